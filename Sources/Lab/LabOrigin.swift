import Synchronization

/// One web site: what it shows and answers can be changed at any time, and holds from the next connection (certificate,
/// handshake) or request (all else) on.
package final class LabOrigin: Sendable {
    /// Where Apple's crawler and devices look for the file.
    package static let wellKnownPath = "/.well-known/apple-app-site-association"

    private struct State {
        var greetings: [String?: LabGreeting] = [:]
        var behaviour = LabBehaviour.reply(.status(404))
        var document: LabReply?
        var rules: [Rule] = []
        var log = LabRequestLog()
    }

    /// What is nil in it fits every request.
    private struct Rule {
        let address: String?
        let path: String?
        let agent: String?
        let behaviour: LabBehaviour

        /// Of several rules that fit, the highest counts.
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

    /// How connections begin from now on at one of the lab's addresses (see ``Lab/start(caFile:addresses:now:)``); nil
    /// stands for all of which nothing else is said.
    package subscript(greetingAt address: String?) -> LabGreeting {
        get { state.withLock { $0.greetings[address] ?? LabGreeting() } }
        set { state.withLock { $0.greetings[address] = newValue } }
    }

    /// Shown from the next connection on.
    package var certificate: LabCertificate {
        get { self[greetingAt: nil].certificate ?? .valid }
        set { self[greetingAt: nil].certificate = newValue }
    }

    /// What every request gets that no `on` rule decides. Setting it takes back what ``serve(_:contentType:headers:)``
    /// said, as that takes back this: the last word holds. 404 at first.
    package var behaviour: LabBehaviour {
        get { state.withLock { $0.behaviour } }
        set {
            state.withLock {
                $0.behaviour = newValue
                $0.document = nil
            }
        }
    }

    /// From now on 200 with that body at ``wellKnownPath`` and 404 elsewhere. An `on(path:)` rule for that path goes;
    /// other rules stay.
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

    /// A rule for the requests that come to one of the lab's addresses, for a path, from user agents that contain a text, or
    /// all of these. A rule with an address wins over those without, then one with a user agent, and among like ones the
    /// oldest. Paths are compared exactly and without the query, texts in any case. Nil takes the rule back.
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

    /// The last 1000 requests that came over the wire; what the CDN's copy crawls in memory is not among them.
    package var requests: [LabRequest] {
        state.withLock { $0.log.requests }
    }

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

    /// What an `on` rule says; nil where none does.
    func rule(for request: LabRequest) -> LabBehaviour? {
        let rules = state.withLock { $0.rules.filter { $0.fits(request) } }
        let rank = rules.map(\.rank).max()
        return rules.first { $0.rank == rank }?.behaviour
    }
}

/// How a connection with a site begins; nil leaves it as it is.
package struct LabGreeting: Sendable {
    package var certificate: LabCertificate?
    package var handshake: LabHandshake?
}
