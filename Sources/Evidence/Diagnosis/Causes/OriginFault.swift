// What an origin does wrong, as far as the advice differs.

import Foundation

package enum OriginFault: Codable, Equatable, Sendable {
    // No answer.
    case nameNotFound
    case noAddress(family: Int)
    case refusesConnections
    case noRoute
    /// The proxy says so.
    case noRouteOfProxy
    case timedOut(Failure.Phase)
    case connectionReset(inHeaders: Bool)
    case headersCut
    case headersTooLarge
    case noHTTP
    case privateAddress
    // TLS.
    case certificateExpired(Date?, intermediate: String?, alsoFor: [String])
    case certificateNotYetValid(Date?, alsoFor: [String])
    case certificateName([String])
    /// No subject alternative name at all.
    case certificateWithoutNames
    /// The certificate that the server shows for hosts that it does not know, by its common name.
    case unknownHost(String)
    case certificateUntrusted(CertificateProblem, issuer: String?)
    case certificateChain(missing: String?)
    case handshake(HandshakeFault)
    case tlsVersion
    // Redirects.
    case redirectInsecure(String)
    case redirectLoop
    case redirectNowhere(status: Int)
    case redirectToLogin(String)
    case redirectToOtherSite(String)
    case redirectToPrivateAddress(String)
    // The answer.
    case status(Int)
    /// The server asks to be left alone for so many seconds.
    case busy(status: Int, pause: Int)
    /// Cloudflare's own statuses, 520 to 530: about the server behind it.
    case behindCloudflare(status: Int)
    case undecodable
    case unaskedEncoding(String)
    case bodySlow(bytes: Int)
    case bodyCut(bytes: Int, promised: Int?)
    case bodyCutInCompression(bytes: Int)
    case tooLarge(bytes: Int)
    case pageType(String)
    case slow(milliseconds: Int)
}

extension OriginFault {
    /// The fault of a retrieval that failed, or was shown a certificate that others refuse; nil where it says nothing about
    /// the server, or is a redirect's.
    init?(of retrieval: Retrieval, host: String, now: Date) {
        guard let failure = retrieval.failure else {
            guard retrieval.hasCertificateWithoutNames else { return nil }
            self = .certificateWithoutNames
            return
        }
        switch failure.kind {
        case .nameNotFound, .noAddress: self = .nameNotFound
        case .noIPv4Address: self = .noAddress(family: 4)
        case .noIPv6Address: self = .noAddress(family: 6)
        case .connectionRefused: self = .refusesConnections
        case .unreachable: self = retrieval.connection?.viaProxy == true ? .noRouteOfProxy : .noRoute
        case .timedOut: self = .timedOut(failure.phase)
        case .connectionReset: self = .connectionReset(inHeaders: failure.phase == .receiving)
        case .truncated: self = .headersCut
        case .headersTooLarge: self = .headersTooLarge
        case .malformedAnswer: self = .noHTTP
        case .privateAddress: self = .privateAddress
        case .badEncoding: self = .undecodable
        case .tlsVersion: self = .tlsVersion
        case .tlsHandshake: self = .handshake(HandshakeFault(words: failure.detail))
        case .certificate:
            let tls = retrieval.connection?.tls
            self.init(tls?.problem ?? .other, chain: tls?.chain ?? [], host: host, now: now)
        case .own, .proxy, .nameServerFailure, .noNameServer, .intercepted: return nil
        }
    }

    private init(_ problem: CertificateProblem, chain: [CertificateFacts], host: String, now: Date) {
        let leaf = chain.first
        let names = (leaf?.names ?? []).prefix(3).map(\.inSentence)
        let isForAnother = leaf.map { !$0.names.isEmpty && !$0.isFor(host) } ?? false
        let last = chain.linked.last
        let issuer = last?.issuer.inSentence
        if let name = leaf?.defaultName(besides: host) {
            self = .unknownHost(name.inSentence)
            return
        }
        switch problem {
        case .expired:
            let old = chain.first { $0.notAfter.map { $0 < now } ?? false } ?? leaf
            self = .certificateExpired(
                old?.notAfter, intermediate: old == leaf ? nil : old?.subject.inSentence,
                alsoFor: isForAnother && old == leaf ? names : [])
        case .notYetValid:
            let early = chain.first { $0.notBefore.map { $0 > now } ?? false } ?? leaf
            self = .certificateNotYetValid(early?.notBefore, alsoFor: isForAnother ? names : [])
        case .nameMismatch: self = .certificateName(names)
        case .incompleteChain where chain.isEmpty || last?.tellsIssuer == true:
            self = .certificateChain(missing: issuer)
        case .selfSigned, .untrustedRoot, .incompleteChain, .revoked, .other:
            self = .certificateUntrusted(problem, issuer: issuer)
        }
    }
}

extension DiagnosisContext {
    /// The fault that a finding about the origin tells of. What the finding rests on is read again: findings are words.
    func fault(_ finding: Finding) -> OriginFault? {
        let origin = check.origin
        let target = (origin.redirects.last?.target ?? origin.redirects.last?.location ?? "").inSentence
        switch finding.rule.rawValue {
        case "origin.status": return origin.answer.map(statusFault)
        case "origin.redirect-insecure": return .redirectInsecure(target)
        case "origin.redirect-loop": return .redirectLoop
        case "origin.redirect":
            if origin.redirectStop == .unreadable {
                return .redirectNowhere(status: origin.redirects.last?.status ?? 0)
            }
            return RedirectTrail(origin.redirects).leadsToLogin
                ? .redirectToLogin(target) : .redirectToOtherSite(target)
        case "origin.not-public-address":
            return origin.redirectStop == .privateAddress ? .redirectToPrivateAddress(target) : .privateAddress
        case "origin.slow": return .slow(milliseconds: Int(origin.connection?.timings.firstByte ?? 0))
        case "origin.too-large": return .tooLarge(bytes: origin.answer?.body.decodedBytes ?? 0)
        case "origin.content-type":
            return .pageType((origin.answer?.header("content-type") ?? "").inSentence)
        case "origin.content-encoding" where origin.answer != nil, "origin.timeout" where origin.answer != nil,
            "origin.truncated" where origin.answer != nil:
            return origin.answer.flatMap(bodyFault)
        default: break
        }
        // The request by name speaks first; of addresses the first that has the fault.
        for retrieval in check.handshakes {
            let host = MetHost(retrieval, of: domain)
            guard let fault = OriginFault(of: retrieval, host: host.name, now: check.now),
                fault.rules.contains(finding.rule.rawValue)
            else { continue }
            return fault
        }
        return nil
    }

    private func statusFault(_ answer: Answer) -> OriginFault {
        if (520...530).contains(answer.status), answer.isOfCloudflare {
            return .behindCloudflare(status: answer.status)
        }
        if answer.isBusy, let pause = answer.retryAfter(check.now) { return .busy(status: answer.status, pause: pause) }
        return .status(answer.status)
    }

    private func bodyFault(_ answer: Answer) -> OriginFault? {
        let body = answer.body
        switch body.end {
        case .cutShort(let failure):
            if failure.kind == .badEncoding { return .undecodable }
            if failure.kind == .timedOut { return .bodySlow(bytes: body.decodedBytes) }
            let promised = answer.header("content-length").flatMap { Int($0) }
            return .bodyCut(bytes: body.decodedBytes, promised: promised.flatMap { $0 > body.wireBytes ? $0 : nil })
        case .capped, .complete:
            if let finding = Checks.unaskedEncoding(answer, check), finding.severity == .error {
                return .unaskedEncoding((answer.header("content-encoding") ?? "").inSentence)
            }
            return Checks.isCutInCompression(answer, check) ? .bodyCutInCompression(bytes: body.decodedBytes) : nil
        }
    }

    /// Where the fault of a finding was met.
    func place(of finding: Finding) -> FaultPlace {
        let host = finding.evidence["redirect_host"]
        let named = host == nil ? finding.addresses : []
        return FaultPlace(host: host.map(\.inSentence), addresses: Array(named.prefix(3)))
    }
}

extension Finding {
    /// The addresses that it is about, where the name has others.
    var addresses: [String] {
        (evidence[CheckContext.namedAddresses] ?? "").split(separator: ",")
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }
}

extension OriginFault {
    /// The rules of the findings that tell of it.
    fileprivate var rules: [String] {
        switch self {
        case .nameNotFound: ["origin.dns-failed"]
        case .noAddress, .refusesConnections, .noRoute, .noRouteOfProxy: ["origin.unreachable"]
        case .timedOut, .bodySlow: ["origin.timeout"]
        case .connectionReset: ["origin.connection-reset"]
        case .headersCut, .bodyCut, .bodyCutInCompression: ["origin.truncated"]
        case .headersTooLarge: ["origin.headers-too-large"]
        case .noHTTP: ["origin.malformed-answer"]
        case .privateAddress, .redirectToPrivateAddress: ["origin.not-public-address"]
        case .certificateExpired: ["origin.certificate-expired"]
        case .certificateNotYetValid: ["origin.certificate-not-yet-valid"]
        case .certificateName, .certificateWithoutNames, .unknownHost: ["origin.certificate-name-mismatch"]
        case .certificateUntrusted: ["origin.certificate-untrusted"]
        case .certificateChain: ["origin.certificate-chain-incomplete"]
        case .handshake: ["origin.tls-failed"]
        case .tlsVersion: ["origin.tls-version"]
        case .redirectInsecure: ["origin.redirect-insecure"]
        case .redirectLoop: ["origin.redirect-loop"]
        case .redirectNowhere, .redirectToLogin, .redirectToOtherSite: ["origin.redirect"]
        case .status, .busy, .behindCloudflare: ["origin.status"]
        case .undecodable, .unaskedEncoding: ["origin.content-encoding"]
        case .tooLarge: ["origin.too-large"]
        case .pageType: ["origin.content-type"]
        case .slow: ["origin.slow"]
        }
    }
}
