// The control: what this machine's requests to others than the watched site met, at each step that a request takes. A site is blamed
// for a step only where the same step works for others. It costs nothing: a check asks Apple's CDN anyway.

import Facts
import Foundation

/// How far this machine can be trusted as a witness, step by step, in one check.
package struct Control: Sendable {
    /// What a request goes through, from the name to the answer.
    package enum Step: String, Sendable, CaseIterable {
        case name, ipv4, ipv6, connection, trust, clock, interception, time
    }

    package enum Standing: Equatable, Sendable {
        case passes
        /// It fails for others too, as the sign says.
        case fails(Sign)
        case untested

        /// Whether the clock is known to be off, by Apple's answer.
        fileprivate var isAhead: Bool { if case .fails(.clockAhead) = self { true } else { false } }
    }

    /// In which way a step fails for others.
    package enum Sign: Equatable, Sendable {
        /// No name server answers.
        case noNameServer
        /// The name server does not know the others' names, or cannot tell, in its words.
        case noName(isUnknown: Bool, answer: String)
        /// This machine has no address of the family, or reaches nobody with it.
        case noFamily
        /// Nobody takes a connection, in these ways.
        case noConnection(Set<Failure.Kind>)
        /// The others' certificates are refused for this authority.
        case authority(String)
        /// The others' names show a certificate for other names: by its subject.
        case foreignCertificate(String)
        /// The others' certificates are refused for their dates.
        case dates
        /// The clock is so many seconds ahead of Apple's.
        case clockAhead(TimeInterval)
        /// Something that is not Apple answers in its place.
        case gate(Gate)
        /// The look-up of a name took so many milliseconds.
        case slowNameServer(milliseconds: Int)
    }

    /// An answer in the place of Apple's CDN, as far as another one can be told to be of the same hand.
    package struct Gate: Equatable, Sendable {
        var status: Int
        var body: ContentHash?
        /// Where it sends clients.
        var target: String?

        /// Whether an answer, or the first redirect on the way to none, is the same gate's.
        func isBehind(_ retrieval: Retrieval) -> Bool {
            let hop = retrieval.redirects.first
            if let target { return (hop?.target ?? hop?.location).flatMap(Self.host) == target }
            guard hop == nil, let answer = retrieval.answer else { return false }
            return answer.status == status && (status == 511 || answer.body.hash != nil && answer.body.hash == body)
        }

        init(_ answer: Answer) {
            status = answer.status
            body = answer.body.hash
            target = answer.isRedirect ? answer.header("location").flatMap(Self.host) : nil
        }

        private static func host(_ url: String) -> String? { URLComponents(string: url)?.host?.lowercased() }
    }

    /// The right to blame a site for what a request to it met. Only a control gives it.
    struct Permission: Sendable {
        /// Whether the step was seen to work for others; where not, the words say that this machine saw it.
        let isTested: Bool
        /// 4 or 6 where addresses of both were tried, and all that is known rests on those of one.
        let onlyFamily: Int?

        fileprivate init(isTested: Bool, onlyFamily: Int? = nil) {
            self.isTested = isTested
            self.onlyFamily = onlyFamily
        }
    }

    enum Attribution: Sendable {
        case site(Permission)
        case machine(MonitorCause)
    }

    private let standings: [Step: Standing]
    /// The true time where the clock is off, as Apple's CDN has it.
    private let appleTime: Date?
    private let unusedProxy: String?

    package init(_ standings: [Step: Standing], appleTime: Date? = nil, unusedProxy: String? = nil) {
        self.standings = standings
        self.appleTime = appleTime
        self.unusedProxy = unusedProxy
    }

    package subscript(_ step: Step) -> Standing { standings[step] ?? .untested }

    /// `family`: 4 or 6.
    private subscript(family family: Int) -> Standing { self[family == 6 ? .ipv6 : .ipv4] }
}

// MARK: - From an observation

extension Control {
    /// Off by less than this, a clock harms no judgement.
    private static let clockSlack: TimeInterval = 600
    /// A look-up that takes longer is a finding, in milliseconds.
    static let slowLookUp = 1000.0

    /// What is known besides of those whom a check asked beside the site.
    package enum Witness: Sendable {
        case asSeen
        /// They failed before, while the site did not: their failure says nothing of the site's.
        case unfit
        /// Reference hosts answered meanwhile: their failure is not this machine's.
        case proven
    }

    package init(of seen: Observation, witness: Witness = .asSeen) {
        let others = Others(seen)
        func fit(_ standing: Standing) -> Standing {
            guard case .fails = standing else { return standing }
            return switch witness {
            case .asSeen: standing
            case .unfit: .untested
            case .proven: .passes
            }
        }
        self.init(
            [
                .name: fit(others.name), .ipv4: others.family(4), .ipv6: others.family(6),
                .connection: fit(others.connection), .trust: fit(others.trust),
                .clock: others.clock == .fails(.dates) ? fit(others.clock) : others.clock,
                .interception: fit(others.interception), .time: others.time,
            ],
            appleTime: seen.control?.clock.flatMap { abs($0.ahead) > Self.clockSlack ? $0.apple : nil },
            unusedProxy: seen.control?.unusedProxy)
    }

    /// The requests of one check that went to others than the site.
    private struct Others {
        let look: ControlLook?
        let seen: [Other]
        let lookUp: Double?

        init(_ observation: Observation) {
            look = observation.control
            seen =
                [observation.cdn.retrieval.map { Other($0) }, observation.control?.reference.map(Other.init)]
                .compactMap(\.self)
                + (observation.full?.edges ?? []).map { Other($0.retrieval, at: $0.address) }
            lookUp = observation.origin.connection?.timings.dns
        }

        private var failures: [Failure] { seen.compactMap(\.failure) }

        var name: Standing {
            if let name = look?.name, name.source == .system {
                if !name.addresses.isEmpty { return .passes }
                if let failure = name.failure { return .fails(sign(failure)) }
            }
            // A name that is known already is not looked up again: only what was not found tells.
            if let failure = failures.first(where: { $0.phase == .resolving }), failure.kind != .own,
                failure.kind != .proxy
            {
                return .fails(sign(failure))
            }
            return seen.contains { $0.address != nil } ? .passes : .untested
        }

        private func sign(_ failure: Failure) -> Sign {
            failure.kind == .noNameServer
                ? .noNameServer : .noName(isUnknown: failure.hasNoAddress, answer: failure.detail.inSentence)
        }

        func family(_ family: Int) -> Standing {
            let own = seen.filter { $0.address.map { $0.contains(":") ? 6 : 4 } == family }
            if own.contains(where: \.isConnected) { return .passes }
            if let families = look?.families, !families.isEmpty, !families.contains(family) { return .fails(.noFamily) }
            // Of edges that are tried over both families, those of a dead one stay silent.
            let isTried = own.contains { $0.failure?.phase == .connecting }
            return isTried && seen.contains(where: \.isConnected) ? .fails(.noFamily) : .untested
        }

        var connection: Standing {
            if seen.contains(where: \.isMet) { return .passes }
            let ways = failures.filter { $0.phase == .connecting || $0.phase == .handshaking }.map(\.kind)
            let isOwn = failures.contains { $0.kind == .own || $0.kind == .proxy }
            return ways.isEmpty || isOwn ? .untested : .fails(.noConnection(Set(ways)))
        }

        var trust: Standing {
            if seen.contains(where: \.isVerified) { return .passes }
            return seen.lazy.compactMap(\.connection?.tls?.refusedAuthority).first.map { .fails(.authority($0)) }
                ?? .untested
        }

        var clock: Standing {
            if let clock = look?.clock, abs(clock.ahead) > Control.clockSlack {
                return .fails(.clockAhead(clock.ahead))
            }
            // A certificate that passes dates the clock to some months alone, an answer to the second.
            if seen.contains(where: { $0.isVerified && $0.answer != nil }) { return .passes }
            let isOfDates = seen.contains { [.expired, .notYetValid].contains($0.connection?.tls?.problem) }
            return isOfDates ? .fails(.dates) : .untested
        }

        var interception: Standing {
            if seen.contains(where: { $0.speaksOfFile || $0.isVerified && $0.answer?.isOfStranger != true }) {
                return .passes
            }
            if let foreign = seen.first(where: { $0.connection?.tls?.problem == .nameMismatch }),
                let leaf = foreign.connection?.tls?.chain.first
            {
                return .fails(.foreignCertificate(leaf.subject))
            }
            if let authority = seen.lazy.compactMap(\.connection?.tls?.refusedAuthority).first {
                return .fails(.authority(authority))
            }
            if let gate = seen.lazy.compactMap(\.answer).first(where: \.isOfStranger) {
                return .fails(.gate(Gate(gate)))
            }
            return .untested
        }

        var time: Standing {
            guard let lookUp else { return .untested }
            guard lookUp >= Control.slowLookUp else { return .passes }
            // Another name is found at once: it is the name servers of this one that are slow.
            if let other = look?.name?.milliseconds, other < Control.slowLookUp / 2 { return .passes }
            return .fails(.slowNameServer(milliseconds: Int(lookUp)))
        }
    }
}

/// One request of a check to somebody else than the site.
private struct Other {
    let failure: Failure?
    let connection: Connection?
    let answer: Answer?
    let speaksOfFile: Bool
    /// nil where a proxy stands between.
    let address: String?

    init(_ retrieval: Retrieval, at address: String? = nil) {
        failure = retrieval.failure
        connection = retrieval.connection
        answer = retrieval.answer
        speaksOfFile = retrieval.speaksOfFile
        let isDirect = retrieval.connection?.viaProxy != true
        self.address = isDirect ? address ?? retrieval.connection?.address : nil
    }

    init(_ look: ConnectionLook) {
        failure = look.failure
        connection = look.connection
        answer = nil
        speaksOfFile = false
        address = look.connection?.viaProxy == true ? nil : look.connection?.address
    }

    /// Whether the address took the connection, whatever came of it.
    var isConnected: Bool {
        failure.map { $0.phase != .resolving && $0.phase != .connecting || $0.kind == .connectionRefused } ?? true
    }

    /// Whether a server was met there, in whatever language it spoke.
    var isMet: Bool {
        isConnected && failure?.phase != .connecting
            && (failure?.phase != .handshaking || failure?.kind == .certificate)
    }

    /// Whether a certificate was shown and passed.
    var isVerified: Bool { connection?.tls?.trusted == true }
}

extension TLSFacts {
    /// The authority that the chain ends with, as far as it was sent, where it is not trusted.
    fileprivate var refusedAuthority: String? {
        switch problem {
        case .selfSigned, .untrustedRoot, .incompleteChain, .other: break
        case .expired, .notYetValid, .revoked, .nameMismatch, nil: return nil
        }
        return chain.linked.last.flatMap { $0.issuer.isEmpty ? nil : $0.issuer }
    }
}

extension Answer {
    fileprivate var isRedirect: Bool { (300..<400).contains(status) && status != 304 }
}

extension Retrieval {
    /// Of the URL that was asked for.
    fileprivate var host: String { URLComponents(string: url)?.host ?? "" }

    /// A redirect that leaves the site of the host that was asked first.
    fileprivate var hopToAnotherSite: RedirectHop? {
        guard !redirects.isEmpty, let domain = try? Domain(host) else { return nil }
        return redirects.first { hop in
            hop.target.flatMap { URLComponents(string: $0)?.host }.map { !domain.isSameSite(as: $0) } ?? false
        }
    }
}

// MARK: - Who is to blame

extension Control {
    /// Who a retrieval of the site's speaks of, at the step where it ended. `families`: of the addresses that it was tried at, where
    /// the retrieval does not say; `host`: the one that was asked last.
    func attribution(of retrieval: Retrieval, host: String, families: [Int]? = nil) -> Attribution {
        // A gate shows everybody the same.
        if case .fails(.gate(let gate)) = self[.interception], gate.isBehind(retrieval) {
            return .machine(.gateAnswers(status: gate.status))
        }
        if case .fails(.foreignCertificate) = self[.interception], let hop = retrieval.hopToAnotherSite {
            return .machine(.gateAnswers(status: hop.status))
        }
        switch retrieval.outcome {
        case .answered(let answer):
            // No site can know that a network wants a login: https://www.rfc-editor.org/rfc/rfc6585#section-6
            if answer.status == 511 { return .machine(.gateAnswers(status: 511)) }
            if case .fails(.gate) = self[.interception] { return .site(Permission(isTested: false)) }
            return .site(Permission(isTested: true))
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
        // Who got an answer, or the beginning of one, met the server.
        return .site(Permission(isTested: true))
    }

    private static let silentOnName = "no answer in time about this name, though other names resolve"

    private func attribution(ofName failure: Failure, _ host: String) -> Attribution {
        let host = host.inSentence
        switch (failure.kind, self[.name]) {
        case (.nameNotFound, .fails(.noName(isUnknown: true, let answer))),
            (.noAddress, .fails(.noName(isUnknown: true, let answer))):
            return .machine(.namesFail(host: host, answer: answer))
        case (.nameNotFound, let standing), (.noAddress, let standing):
            return .site(Permission(isTested: standing == .passes))
        case (_, .fails(.noNameServer)): return .machine(.nameServerFailed(host: host, answer: nil))
        case (_, .fails(.noName(isUnknown: false, let answer))):
            return .machine(.namesFail(host: host, answer: answer))
        case (.noNameServer, .passes), (.timedOut, .passes):
            // Nobody but the name servers of the site can be that slow; ours answers for others.
            return .machine(
                .nameServerFailed(host: host, answer: Self.silentOnName))
        case (.noNameServer, _), (.timedOut, _): return .machine(.nameServerFailed(host: host, answer: nil))
        default: return .machine(.nameServerFailed(host: host, answer: failure.detail.inSentence))
        }
    }

    private func attribution(ofConnection failure: Failure, _ families: [Int]) -> Attribution {
        let lost = families.filter { self[family: $0] == .fails(.noFamily) }
        if failure.phase == .connecting, failure.kind != .connectionRefused {
            if let family = lost.first, lost.count == families.count { return .machine(.noFamily(family)) }
            // Without edges that are asked over IPv6: what could not even be sent shows that this machine has no way there.
            if failure.kind == .unreachable, families == [6], self[.ipv6] == .untested { return .machine(.noFamily(6)) }
        }
        // A server that refuses is there; one that nobody reaches may be behind a network that is down.
        let silence: Set<Failure.Kind> = [.timedOut, .unreachable]
        if case .fails(.noConnection(let ways)) = self[.connection],
            ways.contains(failure.kind) || silence.contains(failure.kind) && !ways.isDisjoint(with: silence)
        {
            return .machine(.noWayOut(unusedProxy: unusedProxy))
        }
        let own = lost.count < families.count ? families.filter { !lost.contains($0) } : families
        let isMet = own.allSatisfy { self[family: $0] == .passes }
        return .site(
            Permission(
                isTested: isMet && self[.connection] == .passes, onlyFamily: onlyFamily(of: failure, families)))
    }

    /// The one family that a failure of a name with both rests on: the last error is the one of the family that this machine
    /// lacks, or may be.
    private func onlyFamily(of failure: Failure, _ families: [Int]) -> Int? {
        guard failure.phase == .connecting, families.count == 2 else { return nil }
        let lost = families.filter { self[family: $0] == .fails(.noFamily) }
        let unknown = families.filter { self[family: $0] == .untested }
        switch failure.kind {
        case .unreachable where lost.isEmpty && unknown.count == 1: return families.first { $0 != unknown[0] }
        case .unreachable, .timedOut: return lost.count == 1 ? families.first { $0 != lost[0] } : nil
        default: return nil
        }
    }

    private func attribution(ofCertificate retrieval: Retrieval, _ host: String) -> Attribution {
        let tls = retrieval.connection?.tls
        switch tls?.problem {
        case .expired, .notYetValid: return attribution(ofDates: tls?.chain ?? [])
        case .nameMismatch:
            if case .fails(.foreignCertificate(let subject)) = self[.interception], subject == tls?.chain.first?.subject
            {
                return .machine(.gateAnswers(status: nil))
            }
            return .site(Permission(isTested: self[.interception] == .passes))
        case .revoked: return .site(Permission(isTested: true))
        case .selfSigned, .untrustedRoot, .incompleteChain, .other, nil: break
        }
        guard case .fails(.authority(let others)) = self[.trust] else {
            return .site(Permission(isTested: self[.trust] == .passes))
        }
        let own = tls?.refusedAuthority
        // What signed itself no trust store lacks.
        if tls?.problem == .selfSigned, own != others { return .site(Permission(isTested: false)) }
        return .machine(
            own == others
                ? .tlsIntercepted(host: host.inSentence, authority: CertificateFacts.name(in: others).inSentence)
                : .trustStoreLacks(authority: CertificateFacts.name(in: own ?? "").inSentence))
    }

    private func attribution(ofDates chain: [CertificateFacts]) -> Attribution {
        switch self[.clock] {
        case .passes: return .site(Permission(isTested: true))
        case .untested: return .site(Permission(isTested: false))
        case .fails(.clockAhead(let seconds)):
            // A clock that is off excuses only what is good at the true time.
            let isGood = chain.linked.allSatisfy { certificate in
                guard let now = appleTime else { return true }
                return certificate.notAfter.map { $0 > now } ?? true && certificate.notBefore.map { $0 <= now } ?? true
            }
            return isGood ? .machine(.clockIsWrong(ahead: Int(seconds))) : .site(Permission(isTested: true))
        case .fails: return .machine(.clockIsWrong(ahead: nil))
        }
    }
}

// MARK: - What kept this machine from Apple's CDN

extension Control {
    /// What this machine lacks, where that is why Apple's CDN said nothing. `origin`: what the same check met at the site.
    func ownCause(ofCDN cdn: Retrieval, besides origin: Retrieval) -> MonitorCause? {
        if let cause = origin.ownFault, Self.isMet(cause, by: cdn) { return cause }
        guard let failure = cdn.failure else {
            return cdn.answer?.isOfStranger == true ? cdn.answer.map { .gateAnswers(status: $0.status) } : nil
        }
        switch failure.kind {
        case .proxy: return .proxyFailed(status: failure.proxyStatus, detail: failure.detail.inSentence)
        case .noNameServer,
            .timedOut where failure.phase == .resolving:
            // Where other names are found, it is this one that nobody answers for.
            let isOther = origin.answer != nil || origin.failure?.phase != .resolving
            return isOther ? nil : .nameServerFailed(host: cdn.host.inSentence, answer: nil)
        case .timedOut, .unreachable, .connectionRefused, .connectionReset:
            guard failure.phase == .connecting else { return nil }
            let address = cdn.connection.flatMap { $0.viaProxy ? nil : $0.address }
            let families = cdn.triedFamilies ?? address.map { [$0.contains(":") ? 6 : 4] } ?? []
            if let family = families.first, families.allSatisfy({ self[family: $0] == .fails(.noFamily) }) {
                return .noFamily(family)
            }
            // The site may be reached without the proxy, and Apple's CDN not.
            guard case .fails(.noConnection) = self[.connection], unusedProxy != nil else { return nil }
            return .noWayOut(unusedProxy: unusedProxy)
        case .certificate:
            // Where the site's certificate passes by the same clock, the CDN's place is taken by somebody.
            let problem = cdn.connection?.tls?.problem
            let isOfDates = problem == .expired || problem == .notYetValid
            let isGood = origin.connection?.tls?.trusted == true && !self[.clock].isAhead
            return isOfDates && isGood ? nil : ownCause(ofCertificate: problem)
        default: return nil
        }
    }

    private func ownCause(ofCertificate problem: CertificateProblem?) -> MonitorCause? {
        switch (problem, self[.clock], self[.interception]) {
        case (.expired, .fails(.clockAhead(let seconds)), _), (.notYetValid, .fails(.clockAhead(let seconds)), _):
            .clockIsWrong(ahead: Int(seconds))
        case (.expired, .fails, _), (.notYetValid, .fails, _): .clockIsWrong(ahead: nil)
        case (.nameMismatch, _, .fails(.foreignCertificate)): .gateAnswers(status: nil)
        default: nil
        }
    }

    /// Whether what this machine lacks for the site is at the step at which the request to the CDN ended.
    private static func isMet(_ cause: MonitorCause, by cdn: Retrieval) -> Bool {
        let failure = cdn.failure
        switch cause {
        case .nameServerFailed, .namesFail: return failure?.phase == .resolving
        case .noFamily: return failure?.phase == .connecting
        case .noWayOut: return failure?.phase == .connecting || failure?.phase == .handshaking
        case .tlsIntercepted, .trustStoreLacks, .clockIsWrong: return failure?.kind == .certificate
        case .gateAnswers: return failure?.kind == .certificate || cdn.answer?.isOfStranger == true
        default: return false
        }
    }
}

// MARK: - What an observation is worth

extension Control {
    /// The observation with what this machine alone brought about marked as that.
    func marking(_ seen: Observation) -> Observation {
        guard mayMark(seen) else { return seen }
        var marked = seen
        let host = seen.domain.name
        marked.origin.ownFault = cause(of: seen.origin, MetHost(seen.origin, of: seen.domain).name)
        if let look = ownLook(besides: seen.origin, in: seen.full) {
            marked.origin.outcome = look.retrieval.outcome
            marked.origin.connection = look.retrieval.connection
        }
        guard var look = seen.full else { return marked }
        for index in look.addresses.indices {
            look.addresses[index].retrieval.ownFault = cause(
                of: look.addresses[index].retrieval, host, families: [look.addresses[index].address.family])
        }
        for index in look.agents.indices {
            look.agents[index].retrieval.ownFault = cause(of: look.agents[index].retrieval, host)
        }
        for index in look.pages.indices {
            look.pages[index].retrieval.ownFault = cause(of: look.pages[index].retrieval, host)
        }
        if let root = look.rootCopy { look.rootCopy?.ownFault = cause(of: root, host) }
        // Another place has a way of its own, and this machine's trust store and clock.
        let elsewhere = Control(
            standings.filter { $0.key == .trust || $0.key == .clock }, appleTime: appleTime)
        for index in look.vantages.indices {
            look.vantages[index].retrieval.ownFault = elsewhere.cause(of: look.vantages[index].retrieval, host)
        }
        marked.full = look
        return marked
    }

    /// Of a name with both families, what an address of the one gave that this machine has: where none of them answers, it
    /// stands for the name.
    private func ownLook(besides origin: Retrieval, in full: FullLook?) -> AddressLook? {
        guard origin.redirects.isEmpty, let failure = origin.failure, let looks = full?.addresses,
            let family = onlyFamily(of: failure, origin.triedFamilies ?? [])
        else { return nil }
        let own = looks.filter { $0.address.family == family }
        return own.allSatisfy { $0.retrieval.failure != nil } ? own.first : nil
    }

    /// Whether anything may be this machine's: in most checks nothing failed, and nothing is copied.
    private func mayMark(_ seen: Observation) -> Bool {
        if case .fails(.gate) = self[.interception] { return true }
        if case .fails(.foreignCertificate) = self[.interception], !seen.origin.redirects.isEmpty { return true }
        func isSuspect(_ retrieval: Retrieval) -> Bool { retrieval.failure != nil || retrieval.answer?.status == 511 }
        guard !isSuspect(seen.origin) else { return true }
        guard let full = seen.full else { return false }
        return full.addresses.contains { isSuspect($0.retrieval) } || full.agents.contains { isSuspect($0.retrieval) }
            || full.pages.contains { isSuspect($0.retrieval) } || full.vantages.contains { isSuspect($0.retrieval) }
            || full.rootCopy.map(isSuspect) == true
    }

    private func cause(of retrieval: Retrieval, _ host: String, families: [Int]? = nil) -> MonitorCause? {
        if case .machine(let cause) = attribution(of: retrieval, host: host, families: families) { cause } else { nil }
    }
}
