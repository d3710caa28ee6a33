import Synchronization

/// One website. Its certificate, handshake and answers can change at any time: certificate and handshake apply from the
/// next connection on, everything else from the next request on.
package final class LabOrigin: Sendable {
    /// The path at which Apple's crawler and devices request the file.
    package static let wellKnownPath = "/.well-known/apple-app-site-association"

    private struct State {
        var greetings: [String?: LabGreeting] = [:]
        var behaviour = LabBehaviour.reply(.status(404))
        var document: LabReply?
        var rules: [Rule] = []
        var log = LabRequestLog()
    }

    /// A nil property matches every request.
    private struct Rule {
        let address: String?
        let path: String?
        let agent: String?
        let behaviour: LabBehaviour

        /// If several rules match, the one with the highest rank applies.
        var rank: Int { (address == nil ? 0 : 4) + (agent == nil ? 0 : 2) + (path == nil ? 0 : 1) }

        func fits(_ request: LabRequest) -> Bool {
            (address.map { $0 == request.address } ?? true) && (path.map { $0 == request.pathOnly } ?? true)
                && (agent.map { request.userAgent.lowercased().contains($0) } ?? true)
        }
    }

    /// In lower case.
    package let host: String
    private let state = Mutex(State())

    init(host: String) {
        self.host = host
    }

    /// How connections begin from now on at one of the lab's addresses (see ``Lab/start(caFile:addresses:now:)``); nil:
    /// at all addresses without their own setting.
    package subscript(greetingAt address: String?) -> LabGreeting {
        get { state.withLock { $0.greetings[address] ?? LabGreeting() } }
        set { state.withLock { $0.greetings[address] = newValue } }
    }

    /// Used from the next connection on.
    package var certificate: LabCertificate {
        get { self[greetingAt: nil].certificate ?? .valid }
        set { self[greetingAt: nil].certificate = newValue }
    }

    /// The response to requests without an `on` rule. Setting it replaces ``serve(_:contentType:headers:)``, and the
    /// other way around: the last call applies. 404 at first.
    package var behaviour: LabBehaviour {
        get { state.withLock { $0.behaviour } }
        set {
            state.withLock {
                $0.behaviour = newValue
                $0.document = nil
            }
        }
    }

    /// From now on 200 with this body at ``wellKnownPath`` and 404 elsewhere. Removes the `on(path:)` rule for that
    /// path; keeps other rules.
    package func serve(
        _ json: String, contentType: String = "application/json", headers: [(String, String)] = []
    ) {
        let reply = LabReply(headers: [("Content-Type", contentType)] + headers, body: Array(json.utf8))
        on(path: Self.wellKnownPath, nil)
        state.withLock {
            $0.behaviour = .reply(.status(404))
            $0.document = reply
        }
    }

    /// A rule for requests to one of the lab's addresses, for a path, from user agents that contain a text, or any
    /// combination of these. A rule with an address comes before rules without one, then one with a user agent; among
    /// equals the oldest applies. Paths match exactly and without the query; user agents are case-insensitive. nil
    /// removes the rule.
    package func on(
        address: String? = nil, path: String? = nil, userAgentContaining text: String? = nil,
        _ behaviour: LabBehaviour?
    ) {
        let agent = text?.lowercased()
        state.withLock { state in
            state.rules.removeAll { $0.address == address && $0.path == path && $0.agent == agent }
            guard let behaviour else { return }
            state.rules.append(Rule(address: address, path: path, agent: agent, behaviour: behaviour))
        }
    }

    /// The last 1000 requests over the network; without the in-memory crawls of the CDN's copy.
    package var requests: [LabRequest] {
        state.withLock { $0.log.requests }
    }

    func forgetRequests() { state.withLock { $0.log = LabRequestLog() } }

    func tenant(at address: String) -> LabTenant {
        tenant(at: address) { [self] request in
            state.withLock { $0.log.append(request) }
            return behaviour(for: request)
        }
    }

    func tenant(at address: String, _ answer: @escaping @Sendable (LabRequest) -> LabBehaviour) -> LabTenant {
        let (here, everywhere) = (self[greetingAt: address], self[greetingAt: nil])
        return LabTenant(
            host: host, certificate: here.certificate ?? everywhere.certificate ?? .valid,
            handshake: here.handshake ?? everywhere.handshake ?? .normal
        ) { request, _ in answer(request) }
    }

    func behaviour(for request: LabRequest) -> LabBehaviour {
        if let ruled = rule(for: request) { return ruled }
        return state.withLock { state in
            if let document = state.document, request.pathOnly == Self.wellKnownPath { return .reply(document) }
            return state.behaviour
        }
    }

    /// The behavior of the matching `on` rule; nil if there is none.
    func rule(for request: LabRequest) -> LabBehaviour? {
        let rules = state.withLock { $0.rules.filter { $0.fits(request) } }
        let rank = rules.map(\.rank).max()
        return rules.first { $0.rank == rank }?.behaviour
    }
}

/// How a connection with a site begins; nil: unchanged.
package struct LabGreeting: Sendable {
    package var certificate: LabCertificate?
    package var handshake: LabHandshake?
}
