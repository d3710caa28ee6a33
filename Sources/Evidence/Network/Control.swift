// The control: how this machine's requests to hosts other than the watched site went, at each step of a request. A site
// is blamed for a step only if the same step works for others. This costs nothing: a check asks Apple's CDN anyway.

import Facts
import Foundation

/// How far this machine can be trusted as a witness in one check, step by step.
package struct Control: Sendable {
    // The steps, in the order of a request.
    var name = StepResult.untested
    var ipv4 = StepResult.untested
    var ipv6 = StepResult.untested
    var connection = StepResult.untested
    var trust = StepResult.untested
    /// Whether the other hosts answer themselves, and nothing answers in their place.
    var interception = StepResult.untested

    var clock = Clock.untested
    /// The environment variable that names a proxy, if this program was given none.
    var unusedProxy: String?

    enum StepResult: Equatable, Sendable {
        case passes
        /// The step fails for other hosts too, as the sign says.
        case fails(Symptom)
        case untested
    }

    /// How a step fails for other hosts.
    enum Symptom: Equatable, Sendable {
        /// No name server answers.
        case noNameServer
        /// The name server does not know the other hosts' names, or fails; `answer`: its words.
        case noName(isUnknown: Bool, answer: String)
        /// This machine has no address of the family, or reaches no host over it.
        case noFamily
        /// No host accepts a connection; the kinds of failure.
        case noConnection(Set<Failure.Kind>)
        /// The other hosts' certificates are refused because of this authority.
        case authority(String)
        /// The other hosts' names show a certificate for other names; its subject.
        case foreignCertificate(String)
        /// Something other than Apple answers in its place.
        case gate(Gate)
    }

    /// An answer in place of Apple's CDN, of a captive portal or a filter, and what identifies another answer of it.
    struct Gate: Equatable, Sendable {
        var status: Int
        var body: ContentHash?
        /// The host to which it redirects clients.
        var target: String?

        init(_ answer: Answer) {
            status = answer.status
            body = answer.body.hash
            let isRedirect = (300..<400).contains(status) && status != 304
            target = isRedirect ? answer.header("location").flatMap(Self.host) : nil
        }

        /// Whether an answer, or its first redirect, comes from the same gate.
        func isBehind(_ retrieval: Retrieval) -> Bool {
            let hop = retrieval.redirects.first
            if let target { return (hop?.target ?? hop?.location).flatMap(Self.host) == target }
            guard hop == nil, let answer = retrieval.answer else { return false }
            return answer.status == status && (status == 511 || answer.body.hash != nil && answer.body.hash == body)
        }

        private static func host(_ url: String) -> String? { URLComponents(string: url)?.host?.lowercased() }
    }

    /// Permission to blame a site for the failure of a request. Only `Control` grants it.
    struct SiteEvidence: Sendable {
        /// Whether the step was seen to work for others. If not, the text says that this machine saw it.
        let isTested: Bool
        /// 4 or 6 if addresses of both were tried and the failure says something about this family only.
        let onlyFamily: Int?

        fileprivate init(isTested: Bool, onlyFamily: Int? = nil) {
            self.isTested = isTested
            self.onlyFamily = onlyFamily
        }
    }

    enum Attribution: Sendable {
        case site(SiteEvidence)
        case machine(MonitorCause)

        fileprivate static func site(isTested: Bool) -> Attribution { .site(SiteEvidence(isTested: isTested)) }
    }
}

// MARK: - Who is to blame

extension Control {
    /// Who is responsible for the result of a request to the site, at the step where it ended. `families`: of the tried
    /// addresses, if the retrieval does not say. `host`: the last one that was asked.
    func attribution(of retrieval: Retrieval, host: String, families: [Int]? = nil) -> Attribution {
        // A gate shows the same answer for every host.
        if case .fails(.gate(let gate)) = interception, gate.isBehind(retrieval) {
            return .machine(.gateAnswers(status: gate.status))
        }
        if case .fails(.foreignCertificate) = interception, let hop = retrieval.hopToAnotherSite {
            return .machine(.gateAnswers(status: hop.status))
        }
        switch retrieval.outcome {
        case .answered(let answer):
            // A site cannot know that a network requires a login: https://www.rfc-editor.org/rfc/rfc6585#section-6
            if answer.status == 511 { return .machine(.gateAnswers(status: 511)) }
            if case .fails(.gate) = interception { return .site(isTested: false) }
            return .site(isTested: true)
        case .failed(let failure):
            return attribution(of: failure, retrieval, host, families ?? retrieval.triedFamilies ?? [])
        }
    }

    private func attribution(
        of failure: Failure, _ retrieval: Retrieval, _ host: String, _ families: [Int]
    ) -> Attribution {
        switch failure.kind {
        case .own: return .machine(.ownFault(detail: failure.detail.inSentence))
        case .proxy: return .machine(.proxyFailed(status: failure.proxyStatus, detail: failure.detail.inSentence))
        case .nameServerFailure, .noNameServer, .nameNotFound, .noAddress: return attribution(ofName: failure, host)
        case .timedOut where failure.phase == .resolving: return attribution(ofName: failure, host)
        case .certificate: return attribution(ofCertificate: retrieval, host)
        case .unreachable, .timedOut, .connectionRefused, .connectionReset, .tlsHandshake, .tlsVersion:
            guard failure.phase == .connecting || failure.phase == .handshaking else { break }
            return attribution(ofConnection: failure, families)
        case .noIPv4Address, .noIPv6Address, .truncated, .headersTooLarge, .malformedAnswer, .badEncoding,
            .privateAddress:
            break
        }
        // An answer, or the beginning of one, comes from the server.
        return .site(isTested: true)
    }

    private static let silentOnName = "no answer in time about this name, though other names resolve"

    private func attribution(ofName failure: Failure, _ host: String) -> Attribution {
        let host = host.inSentence
        let isAbsent = failure.kind == .nameNotFound || failure.kind == .noAddress
        let isSilent = failure.kind == .noNameServer || failure.kind == .timedOut
        return switch name {
        case .fails(.noName(isUnknown: true, let answer)) where isAbsent:
            .machine(.namesFail(host: host, answer: answer))
        case _ where isAbsent: .site(isTested: name == .passes)
        case .fails(.noNameServer): .machine(.nameServerFailed(host: host, answer: nil))
        case .fails(.noName(isUnknown: false, let answer)): .machine(.namesFail(host: host, answer: answer))
        // Only the site's own name servers can be that slow; ours answers for other names.
        case .passes where isSilent: .machine(.nameServerFailed(host: host, answer: Self.silentOnName))
        default: .machine(.nameServerFailed(host: host, answer: isSilent ? nil : failure.detail.inSentence))
        }
    }

    private func attribution(ofConnection failure: Failure, _ families: [Int]) -> Attribution {
        let lacking = families.filter { result(ofFamily: $0) == .fails(.noFamily) }
        if failure.phase == .connecting, failure.kind != .connectionRefused {
            if let family = lacking.first, lacking.count == families.count { return .machine(.noFamily(family)) }
            // No edge was asked over IPv6. A request that could not even be sent shows that there is no IPv6 route.
            if failure.kind == .unreachable, families == [6], ipv6 == .untested { return .machine(.noFamily(6)) }
        }
        // A server that refuses is up. If no host is reachable, this machine's network may be down.
        let silence: Set<Failure.Kind> = [.timedOut, .unreachable]
        if case .fails(.noConnection(let ways)) = connection,
            ways.contains(failure.kind) || silence.contains(failure.kind) && !ways.isDisjoint(with: silence)
        {
            return .machine(.noWayOut(unusedProxy: unusedProxy))
        }
        // A family that this machine lacks did not cause the failure. If it seems to lack all, all count.
        let own = lacking.count < families.count ? families.filter { !lacking.contains($0) } : families
        let isReached = own.allSatisfy { result(ofFamily: $0) == .passes }
        return .site(
            SiteEvidence(
                isTested: isReached && connection == .passes, onlyFamily: onlyFamily(toldBy: failure, families)))
    }

    /// The family that a failed connection says something about, if the name has both and this machine lacks one.
    ///
    ///     failed with  this machine lacks  not tested  says something about
    ///     no route     neither             one         the tested family
    ///     no route     one                 any         the other family
    ///     time-out     one                 any         the other family
    ///     in all other cases nil: it is about both families, or about an unknown one
    func onlyFamily(toldBy failure: Failure, _ families: [Int]) -> Int? {
        guard failure.phase == .connecting, families.count == 2 else { return nil }
        let lacking = families.filter { result(ofFamily: $0) == .fails(.noFamily) }
        let untested = families.filter { result(ofFamily: $0) == .untested }
        let silent: [Int] =
            switch failure.kind {
            case .unreachable: lacking.isEmpty ? untested : lacking
            case .timedOut: lacking
            default: []
            }
        return silent.count == 1 ? families.first { $0 != silent[0] } : nil
    }

    /// `family`: 4 or 6.
    private func result(ofFamily family: Int) -> StepResult { family == 6 ? ipv6 : ipv4 }

    private func attribution(ofCertificate retrieval: Retrieval, _ host: String) -> Attribution {
        let tls = retrieval.connection?.tls
        switch tls?.problem {
        case .expired, .notYetValid:
            guard let cause = clock.cause(ofRefusing: tls?.chain ?? []) else {
                return .site(isTested: clock != .untested)
            }
            return .machine(cause)
        case .nameMismatch:
            if case .fails(.foreignCertificate(let subject)) = interception, subject == tls?.chain.first?.subject {
                return .machine(.gateAnswers(status: nil))
            }
            return .site(isTested: interception == .passes)
        case .revoked: return .site(isTested: true)
        case .selfSigned, .untrustedRoot, .incompleteChain, .other, nil: break
        }
        guard case .fails(.authority(let others)) = trust else { return .site(isTested: trust == .passes) }
        let own = tls?.refusedAuthority
        // A self-signed certificate is not a root that a trust store can lack.
        if tls?.problem == .selfSigned, own != others { return .site(isTested: false) }
        return .machine(
            own == others
                ? .tlsIntercepted(host: host.inSentence, authority: CertificateFacts.name(in: others).inSentence)
                : .trustStoreLacks(authority: CertificateFacts.name(in: own ?? "").inSentence))
    }
}

extension TLSFacts {
    /// The untrusted authority at the end of the chain that was sent.
    var refusedAuthority: String? {
        switch problem {
        case .selfSigned, .untrustedRoot, .incompleteChain, .other: break
        case .expired, .notYetValid, .revoked, .nameMismatch, nil: return nil
        }
        return chain.linked.last.flatMap { $0.issuer.isEmpty ? nil : $0.issuer }
    }
}

extension Retrieval {
    /// The host of the first URL.
    fileprivate var host: String { URLComponents(string: url)?.host ?? "" }

    /// The first redirect that leaves the site of the first host.
    fileprivate var hopToAnotherSite: RedirectHop? {
        guard !redirects.isEmpty, let domain = try? Domain(host) else { return nil }
        return redirects.first { hop in
            hop.target.flatMap { URLComponents(string: $0)?.host }.map { !domain.isSameSite(as: $0) } ?? false
        }
    }
}

// MARK: - What kept this machine from Apple's CDN

extension Control {
    /// What this machine lacks, if that is why Apple's CDN said nothing. `origin`: the same check's result at the site.
    func ownCause(ofCDN cdn: Retrieval, besides origin: Retrieval) -> MonitorCause? {
        if let cause = origin.ownFault, Self.isMet(cause, by: cdn) { return cause }
        guard let failure = cdn.failure else {
            return cdn.answer?.isForeign == true ? cdn.answer.map { .gateAnswers(status: $0.status) } : nil
        }
        switch failure.kind {
        case .proxy: return .proxyFailed(status: failure.proxyStatus, detail: failure.detail.inSentence)
        case .noNameServer,
            .timedOut where failure.phase == .resolving:
            // If other names resolve, only this name fails.
            let isOther = origin.answer != nil || origin.failure?.phase != .resolving
            return isOther ? nil : .nameServerFailed(host: cdn.host.inSentence, answer: nil)
        case .timedOut, .unreachable, .connectionRefused, .connectionReset:
            guard failure.phase == .connecting else { return nil }
            let address = cdn.connection.flatMap { $0.viaProxy ? nil : $0.address }
            let families = cdn.triedFamilies ?? address.map { [ResolvedAddress($0).family] } ?? []
            if let family = families.first, families.allSatisfy({ result(ofFamily: $0) == .fails(.noFamily) }) {
                return .noFamily(family)
            }
            // The site may be reachable without the proxy although Apple's CDN is not.
            guard case .fails(.noConnection) = connection, unusedProxy != nil else { return nil }
            return .noWayOut(unusedProxy: unusedProxy)
        case .certificate: return ownCause(ofCertificate: cdn.connection?.tls?.problem, besides: origin)
        default: return nil
        }
    }

    private func ownCause(
        ofCertificate problem: CertificateProblem?, besides origin: Retrieval
    ) -> MonitorCause? {
        switch problem {
        case .expired, .notYetValid:
            // The site's certificate passes by a clock that Apple does not confirm: something answers for the CDN.
            if clock == .refused, origin.connection?.tls?.trusted == true { return nil }
            return clock.cause
        case .nameMismatch:
            if case .fails(.foreignCertificate) = interception { return .gateAnswers(status: nil) }
            return nil
        default: return nil
        }
    }

    /// Whether the request to the CDN ended at the step where this machine fails for the site.
    private static func isMet(_ cause: MonitorCause, by cdn: Retrieval) -> Bool {
        let failure = cdn.failure
        switch cause {
        case .nameServerFailed, .namesFail: return failure?.phase == .resolving
        case .noFamily: return failure?.phase == .connecting
        case .noWayOut: return failure?.phase == .connecting || failure?.phase == .handshaking
        case .tlsIntercepted, .trustStoreLacks, .clockIsWrong: return failure?.kind == .certificate
        case .gateAnswers: return failure?.kind == .certificate || cdn.answer?.isForeign == true
        default: return false
        }
    }
}
