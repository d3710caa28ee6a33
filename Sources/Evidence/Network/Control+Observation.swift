// The control of one check: what its requests to other hosts show, and what that means for its requests to the site.

import Facts
import Foundation

extension Control {
    /// What else is known about the other hosts that a check asked.
    package enum Witness: Sendable {
        case asSeen
        /// They failed before while the site did not: their failure says nothing about the site's.
        case unfit
        /// Reference hosts answered meanwhile: the failure of the others is not this machine's.
        case proven
    }

    package init(of seen: Observation, witness: Witness = .asSeen) {
        let others = Others(seen)
        name = others.name
        ipv4 = others.family(4)
        ipv6 = others.family(6)
        connection = others.connection
        trust = others.trust
        interception = others.interception
        clock = others.clock
        unusedProxy = seen.control?.unusedProxy
        guard witness != .asSeen else { return }
        for step in [\Control.name, \.connection, \.trust, \.interception] {
            if case .fails = self[keyPath: step] { self[keyPath: step] = witness == .proven ? .passes : .untested }
        }
        if clock == .refused { clock = witness == .proven ? .right : .untested }
    }

    /// The requests of one check to hosts other than the site.
    private struct Others {
        let result: ControlResult?
        let seen: [Other]

        init(_ observation: Observation) {
            result = observation.control
            seen =
                [observation.cdn.retrieval.map { Other($0) }, observation.control?.reference.map(Other.init)]
                .compactMap(\.self)
                + (observation.full?.edges ?? []).map { Other($0.retrieval, at: $0.address) }
        }

        private var failures: [Failure] { seen.compactMap(\.failure) }
        private var refusedAuthority: String? { seen.lazy.compactMap(\.connection?.tls?.refusedAuthority).first }

        var name: StepResult {
            if let name = result?.name, name.source == .system {
                if !name.addresses.isEmpty { return .passes }
                if let failure = name.failure { return .fails(sign(failure)) }
            }
            // A known name is not looked up again, so only a failed lookup counts.
            if let failure = failures.first(where: { $0.phase == .resolving }), failure.kind != .own,
                failure.kind != .proxy
            {
                return .fails(sign(failure))
            }
            return seen.contains { $0.address != nil } ? .passes : .untested
        }

        private func sign(_ failure: Failure) -> Symptom {
            failure.kind == .noNameServer
                ? .noNameServer : .noName(isUnknown: failure.hasNoAddress, answer: failure.detail.inSentence)
        }

        func family(_ family: Int) -> StepResult {
            let own = seen.filter { $0.address.map { ResolvedAddress($0).family } == family }
            if own.contains(where: \.isConnected) { return .passes }
            if let families = result?.families, !families.isEmpty, !families.contains(family) {
                return .fails(.noFamily)
            }
            // If edges are tried over both families, those of a dead family stay silent.
            let isTried = own.contains { $0.failure?.phase == .connecting }
            return isTried && seen.contains(where: \.isConnected) ? .fails(.noFamily) : .untested
        }

        var connection: StepResult {
            if seen.contains(where: \.isMet) { return .passes }
            let ways = failures.filter { $0.phase == .connecting || $0.phase == .handshaking }.map(\.kind)
            let isOwn = failures.contains { $0.kind == .own || $0.kind == .proxy }
            return ways.isEmpty || isOwn ? .untested : .fails(.noConnection(Set(ways)))
        }

        var trust: StepResult {
            if seen.contains(where: \.isVerified) { return .passes }
            return refusedAuthority.map { .fails(.authority($0)) } ?? .untested
        }

        var clock: Clock {
            Clock(
                // A trusted certificate confirms the clock only to some months, an answer to the second.
                result?.clock, isDated: seen.contains { $0.isVerified && $0.answer != nil },
                refusesOthers: seen.contains { [.expired, .notYetValid].contains($0.connection?.tls?.problem) })
        }

        var interception: StepResult {
            if seen.contains(where: { $0.isAboutFile || $0.isVerified && $0.answer?.isForeign != true }) {
                return .passes
            }
            if let foreign = seen.first(where: { $0.connection?.tls?.problem == .nameMismatch }),
                let leaf = foreign.connection?.tls?.chain.first
            {
                return .fails(.foreignCertificate(leaf.subject))
            }
            if let authority = refusedAuthority { return .fails(.authority(authority)) }
            return seen.lazy.compactMap(\.answer).first(where: \.isForeign).map { .fails(.gate(Gate($0))) }
                ?? .untested
        }
    }
}

/// One request of a check to a host other than the site.
private struct Other {
    let failure: Failure?
    let connection: Connection?
    let answer: Answer?
    let isAboutFile: Bool
    /// nil behind a proxy.
    let address: String?

    init(_ retrieval: Retrieval, at address: String? = nil) {
        failure = retrieval.failure
        connection = retrieval.connection
        answer = retrieval.answer
        isAboutFile = retrieval.isAboutFile
        self.address = connection?.viaProxy == true ? nil : address ?? connection?.address
    }

    init(_ result: ConnectionResult) {
        failure = result.failure
        connection = result.connection
        answer = nil
        isAboutFile = false
        address = connection?.viaProxy == true ? nil : connection?.address
    }

    /// Whether the address accepted the connection.
    var isConnected: Bool {
        failure.map { $0.phase != .resolving && $0.phase != .connecting || $0.kind == .connectionRefused } ?? true
    }

    /// Whether a server was reached: the TLS handshake completes, or fails only at the certificate.
    var isMet: Bool {
        switch failure?.phase {
        case .resolving, .connecting: false
        case .handshaking: failure?.kind == .certificate
        case .waiting, .receiving, nil: true
        }
    }

    /// Whether a certificate was shown and trusted.
    var isVerified: Bool { connection?.tls?.trusted == true }
}

// MARK: - Marking what this machine caused

extension Control {
    /// The observation, with each failure marked that only this machine caused.
    func marking(_ seen: Observation) -> Observation {
        let host = seen.domain.name
        var marked = seen
        marked.origin.mark(by: self, LastHost(seen.origin, of: seen.domain).name)
        if let result = ownResult(besides: seen.origin, in: seen.full) {
            marked.origin.outcome = result.retrieval.outcome
            marked.origin.connection = result.retrieval.connection
        }
        guard var result = seen.full else { return marked }
        for index in result.addresses.indices {
            let family = result.addresses[index].address.family
            result.addresses[index].retrieval.mark(by: self, host, families: [family])
        }
        for index in result.agents.indices { result.agents[index].retrieval.mark(by: self, host) }
        for index in result.pages.indices { result.pages[index].retrieval.mark(by: self, host) }
        result.rootCopy?.mark(by: self, host)
        // Another location has its own network, but this machine's trust store and clock.
        let elsewhere = Control(trust: trust, clock: clock)
        for index in result.vantages.indices { result.vantages[index].retrieval.mark(by: elsewhere, host) }
        marked.full = result
        return marked
    }

    /// For a name with both families, a result over the only family that this machine has. If none of that family's
    /// addresses answers, it replaces the result for the name.
    private func ownResult(besides origin: Retrieval, in full: FullCheck?) -> AddressResult? {
        // The addresses are the domain's own, not those of a host that it redirects to.
        guard origin.redirects.isEmpty, let failure = origin.failure, let results = full?.addresses,
            let family = onlyFamily(toldBy: failure, origin.triedFamilies ?? [])
        else { return nil }
        let own = results.filter { $0.address.family == family }
        return own.allSatisfy { $0.retrieval.failure != nil } ? own.first : nil
    }
}

extension Retrieval {
    fileprivate mutating func mark(by control: Control, _ host: String, families: [Int]? = nil) {
        if case .machine(let cause) = control.attribution(of: self, host: host, families: families) { ownFault = cause }
    }
}
