// What an origin does wrong, as far as the advice differs.

import Facts
import Foundation

package enum OriginFault: Codable, Equatable, Sendable {
    // No answer.
    /// `alias`: the name that it is an alias of.
    case nameNotFound(alias: String?)
    case nameWithoutAddress(alias: String?)
    case noAddress(family: Int)
    case refusesConnections
    case noRoute
    /// Of a name with addresses of both families; which error the addresses of this one gave is not known.
    case noConnection(family: Int)
    /// The proxy says so.
    case noRouteOfProxy
    case timedOut(Failure.Phase)
    case connectionReset(inHeaders: Bool)
    case headersCut
    case headersTooLarge
    case noHTTP
    case privateAddress
    // TLS.
    case certificateExpired(Date?, intermediate: String?, alsoFor: Listing?)
    case certificateNotYetValid(Date?, isIntermediate: Bool, alsoFor: Listing?)
    case certificateName(Listing)
    /// No subject alternative name at all.
    case certificateWithoutNames
    /// The certificate that the server shows for hosts that it does not know, by its common name.
    case unknownHost(String)
    case certificateUntrusted(CertificateProblem, issuer: String?)
    /// For another reason, in the verifier's words: a weak key, an old signature, another usage.
    case certificateRefused(words: String)
    /// `isPart`: more than the leaf is sent.
    case certificateChain(missing: String?, isPart: Bool)
    case handshake(HandshakeFault)
    case tlsVersion
    case redirect(RedirectFault)
    // The answer.
    case status(Int)
    /// The server asks to be left alone for so many seconds.
    case busy(status: Int, pause: Int)
    /// Cloudflare's own statuses, 520 to 530: about the server behind it.
    case behindCloudflare(status: Int)
    case undecodable
    case unaskedEncoding(String)
    case bodySlow(bytes: Int)
    case bodyCut(bytes: Int, promised: Int?, isReset: Bool)
    case bodyCutInCompression(bytes: Int)
    /// `isCapped`: it was not read to its end.
    case tooLarge(bytes: Int, isCapped: Bool)
    /// `holdsFile`: the body is the file nevertheless.
    case pageType(String, holdsFile: Bool)
    case slow(milliseconds: Int)
}

extension OriginFault {
    /// The fault of a retrieval that failed, or was shown a certificate that others refuse; nil where the control does not let the
    /// site be blamed, and where it is a redirect's.
    init?(of retrieval: Retrieval, host: String, by permission: Control.Permission?, now: Date) {
        guard let permission else { return nil }
        guard let failure = retrieval.failure else {
            guard retrieval.hasCertificateWithoutNames else { return nil }
            self = .certificateWithoutNames
            return
        }
        switch failure.kind {
        case .nameNotFound: self = .nameNotFound(alias: failure.alias?.inSentence)
        case .noAddress: self = .nameWithoutAddress(alias: failure.alias?.inSentence)
        case .noIPv4Address: self = .noAddress(family: 4)
        case .noIPv6Address: self = .noAddress(family: 6)
        case .connectionRefused: self = .refusesConnections
        case .unreachable where permission.onlyFamily != nil, .timedOut where permission.onlyFamily != nil:
            self = .noConnection(family: permission.onlyFamily ?? 4)
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
            self.init(
                tls?.problem ?? .other, chain: tls?.chain ?? [], words: tls?.detail ?? failure.detail, host: host,
                now: now)
        case .own, .proxy, .nameServerFailure, .noNameServer: return nil
        }
    }

    private init(
        _ problem: CertificateProblem, chain: [CertificateFacts], words: String, host: String, now: Date
    ) {
        let leaf = chain.first
        // A certificate may have thousands.
        let names = Listing((leaf?.names ?? []).map(\.inSentence))
        let others = leaf.flatMap { !$0.names.isEmpty && !$0.isFor(host) ? names : nil }
        let last = chain.linked.last
        let issuer = last.map { CertificateFacts.name(in: $0.issuer).inSentence }
        if let name = leaf?.defaultName(besides: host) {
            self = .unknownHost(name.inSentence)
            return
        }
        switch problem {
        case .expired:
            let old = chain.first { $0.notAfter.map { $0 < now } ?? false } ?? leaf
            self = .certificateExpired(
                old?.notAfter,
                intermediate: old == leaf ? nil : old.map { CertificateFacts.name(in: $0.subject).inSentence },
                alsoFor: old == leaf ? others : nil)
        case .notYetValid:
            let early = chain.first { $0.notBefore.map { $0 > now } ?? false } ?? leaf
            self = .certificateNotYetValid(
                early?.notBefore, isIntermediate: early != leaf, alsoFor: others)
        case .nameMismatch: self = .certificateName(names)
        case .incompleteChain where chain.isEmpty || last?.tellsIssuer == true:
            self = .certificateChain(missing: issuer, isPart: chain.linked.count > 1)
        case .other: self = .certificateRefused(words: Self.reason(words))
        case .selfSigned, .untrustedRoot, .incompleteChain, .revoked:
            self = .certificateUntrusted(problem, issuer: issuer)
        }
    }
}

extension OriginFault {
    /// The verifier's reason in libcurl's sentence: `SSL certificate problem: EE certificate key too weak`.
    private static func reason(_ words: String) -> String {
        let lead = "certificate problem:"
        let reason = words.range(of: lead).map { words[$0.upperBound...] } ?? words[...]
        return reason.trimmingCharacters(in: .whitespaces).inSentence
    }

    var ruling: Ruling {
        let severity: Severity = if case .slow(milliseconds: ...5000) = self { .warning } else { .error }
        return Ruling(rule, severity, reference)
    }

    private var reference: String {
        switch self {
        case .slow: Reference.debuggingLinks
        case .tooLarge: Reference.archivedGuide
        default: Reference.supportingDomains
        }
    }

    private var rule: Rule {
        switch self {
        case .nameNotFound, .nameWithoutAddress: .origin("dns-failed")
        case .noAddress, .refusesConnections, .noRoute, .noConnection, .noRouteOfProxy: .origin("unreachable")
        case .timedOut, .bodySlow: .origin("timeout")
        case .connectionReset: .origin("connection-reset")
        case .headersCut, .bodyCut, .bodyCutInCompression: .origin("truncated")
        case .headersTooLarge: .origin("headers-too-large")
        case .noHTTP: .origin("malformed-answer")
        case .privateAddress: .origin("not-public-address")
        case .certificateExpired: .origin("certificate-expired")
        case .certificateNotYetValid: .origin("certificate-not-yet-valid")
        case .certificateName, .certificateWithoutNames, .unknownHost: .origin("certificate-name-mismatch")
        case .certificateUntrusted, .certificateRefused: .origin("certificate-untrusted")
        case .certificateChain: .origin("certificate-chain-incomplete")
        case .handshake: .origin("tls-failed")
        case .tlsVersion: .origin("tls-version")
        case .redirect(let fault): fault.rule
        case .status, .busy, .behindCloudflare: .origin("status")
        case .undecodable, .unaskedEncoding: .origin("content-encoding")
        case .tooLarge: .origin("too-large")
        case .pageType: .origin("content-type")
        case .slow: .origin("slow")
        }
    }
}

extension DiagnosisContext {
    /// The fault that a finding about the origin tells of.
    func fault(_ finding: Finding) -> OriginFault? {
        guard case .origin(let matter) = finding.matter else { return nil }
        return switch matter {
        case .fault(let fault, _): fault
        case .redirect(let fault, _): .redirect(fault)
        case .status(let answer, _): answer.fault
        case .contentType(_, _, let holdsFile, _):
            .pageType((check.origin.answer?.header("content-type") ?? "").inSentence, holdsFile: holdsFile)
        case .notPublic: .privateAddress
        default: nil
        }
    }

    /// Where the fault of a finding was met.
    func place(of finding: Finding) -> FaultPlace {
        switch finding.place {
        case .behindRedirect(let host): FaultPlace(host: host.inSentence)
        case .addresses(let addresses, _, _): FaultPlace(addresses: Array(addresses.prefix(3)))
        case nil: FaultPlace()
        }
    }
}

/// Redirects that no client follows, or that Apple refuses.
package enum RedirectFault: Codable, Equatable, Sendable {
    /// To a URL that is not HTTPS, where it stopped.
    case insecure(String)
    /// By way of plain HTTP.
    case byInsecure(String)
    case circle
    case tooMany(hops: Int)
    /// Without saying where to.
    case nowhere(status: Int)
    case unreadable(status: Int, location: String)
    case privateAddress(String)
    case login(String)
    case otherSite(String)
    /// To the first page of the site, as if the path were none.
    case home(String)
    case maintenance(String)

    /// Why a redirect was not followed; nil where none stopped.
    init?(stopOf retrieval: Retrieval) {
        guard let stop = retrieval.redirectStop, let last = retrieval.redirects.last else { return nil }
        let target = last.target?.inSentence
        let location = (last.location ?? "").inSentence
        self =
            switch stop {
            case .insecure: .insecure(target ?? location)
            case .loop: .circle
            case .tooMany: .tooMany(hops: retrieval.redirects.count)
            case .unreadable where location.isEmpty: .nowhere(status: last.status)
            case .unreadable: .unreadable(status: last.status, location: location)
            case .privateAddress: .privateAddress(target ?? location)
            }
    }

    var rule: Rule {
        switch self {
        case .insecure, .byInsecure: .origin("redirect-insecure")
        case .circle, .tooMany: .origin("redirect-loop")
        case .nowhere, .unreadable, .login, .otherSite, .home, .maintenance: .origin("redirect")
        case .privateAddress: .origin("not-public-address")
        }
    }
}

/// Why a TLS handshake failed that had not come to a certificate, told by the words of the TLS library: the causes that can be
/// told apart. OpenSSL words an alert as `sslv3 alert handshake failure` or, since 3.2, as
/// `ssl/tls alert handshake failure`; some, such as `tlsv1 unrecognized name`, go without that word.
package enum HandshakeFault: Codable, Equatable, Sendable {
    /// What answers on the port speaks no TLS.
    case plainText
    case unknownName
    case clientCertificate
    case noCommonCipher
    /// Another alert, in the library's words.
    case alert(String)
    /// Closed in answer to the client's first message, without a word.
    case closed
    case other

    init(words: String) {
        let words = words.lowercased()
        if ["wrong version number", "http request", "packet length too long", "unknown protocol", "not tls"]
            .contains(where: words.contains)
        {
            self = .plainText
            return
        }
        if words.contains("unrecognized name") || words.contains("unrecognized_name") {
            self = .unknownName
            return
        }
        guard let range = words.firstRange(of: "alert ") else {
            let isClosed = ["unexpected eof", "ssl_error_syscall", "ssl_error_zero_return"].contains(
                where: words.contains)
            self = isClosed ? .closed : .other
            return
        }
        let name = words[range.upperBound...].prefix { $0.isLetter || $0 == " " || $0 == "_" }
            .replacing("_", with: " ").split(separator: " ").prefix(5).joined(separator: " ")
        self =
            switch name {
            case "certificate required": .clientCertificate
            case "handshake failure", "insufficient security": .noCommonCipher
            case "": .other
            default: .alert(name)
            }
    }
}
