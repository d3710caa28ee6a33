import Synchronization

/// One web site: what it shows and answers can be changed at any time, and holds from the next connection (certificate,
/// handshake) or request (all else) on.
package final class LabOrigin: Sendable {
    /// Where Apple's crawler and devices look for the file.
    package static let wellKnownPath = "/.well-known/apple-app-site-association"

    private struct State {
        var certificate = LabCertificate.valid
        var handshake = LabHandshake.normal
        var behaviour = LabBehaviour.reply(.status(404))
        var document: LabReply?
        var paths: [String: LabBehaviour] = [:]
        var agents: [(text: String, behaviour: LabBehaviour)] = []
        var addresses: [String: LabBehaviour] = [:]
        var agentsAtAddresses: [String: [String: LabBehaviour]] = [:]
        var certificates: [String: LabCertificate] = [:]
        var handshakes: [String: LabHandshake] = [:]
        var delay = Duration.zero
        var log = LabRequestLog()
    }

    /// In lower case.
    package let host: String
    private let state = Mutex(State())

    init(host: String) {
        self.host = host
    }

    /// Shown from the next connection on.
    package var certificate: LabCertificate {
        get { state.withLock { $0.certificate } }
        set { state.withLock { $0.certificate = newValue } }
    }

    /// Holds from the next connection on.
    package var handshake: LabHandshake {
        get { state.withLock { $0.handshake } }
        set { state.withLock { $0.handshake = newValue } }
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
        state.withLock {
            $0.behaviour = .reply(.status(404))
            $0.document = reply
            $0.paths[Self.wellKnownPath] = nil
        }
    }

    /// A rule for one path, compared exactly and without the query; nil takes the rule back.
    package func on(path: String, _ behaviour: LabBehaviour?) {
        state.withLock { $0.paths[path] = behaviour }
    }

    /// A rule for user agents that contain `text`, whatever the case; wins over paths, and the oldest rule wins. Nil takes
    /// the rule back.
    package func on(userAgentContaining text: String, _ behaviour: LabBehaviour?) {
        let text = text.lowercased()
        state.withLock { state in
            state.agents.removeAll { $0.text == text }
            if let behaviour { state.agents.append((text, behaviour)) }
        }
    }

    /// A rule for one of the lab's addresses (see ``Lab/start(directory:addresses:)``); wins over all else. Nil takes the
    /// rule back.
    package func on(address: String, _ behaviour: LabBehaviour?) {
        state.withLock { $0.addresses[address] = behaviour }
    }

    /// A rule for user agents that contain `text`, whatever the case, at one of the lab's addresses; wins over all else.
    /// Nil takes the rule back.
    package func on(address: String, userAgentContaining text: String, _ behaviour: LabBehaviour?) {
        state.withLock { $0.agentsAtAddresses[address, default: [:]][text.lowercased()] = behaviour }
    }

    /// Another certificate at one of the lab's addresses, from the next connection on; nil takes it back.
    package func on(address: String, certificate: LabCertificate?) {
        state.withLock { $0.certificates[address] = certificate }
    }

    /// Another handshake at one of the lab's addresses, from the next connection on; nil takes it back.
    package func on(address: String, handshake: LabHandshake?) {
        state.withLock { $0.handshakes[address] = handshake }
    }

    /// A delay before each answer, besides the answer's own; zero at first.
    package var delay: Duration {
        get { state.withLock { $0.delay } }
        set { state.withLock { $0.delay = newValue } }
    }

    /// The last 1000 requests that came over the wire; what the CDN's copy crawls in memory is not among them.
    package var requests: [LabRequest] {
        state.withLock { $0.log.requests }
    }

    func record(_ request: LabRequest) {
        state.withLock { $0.log.append(request) }
    }

    func greeting(at address: String) -> (certificate: LabCertificate, handshake: LabHandshake) {
        state.withLock {
            ($0.certificates[address] ?? $0.certificate, $0.handshakes[address] ?? $0.handshake)
        }
    }

    func behaviour(for request: LabRequest) -> LabBehaviour {
        let decided = rule(for: request)
        let delay = delay
        return delay > .zero ? .after(delay, decided) : decided
    }

    private func rule(for request: LabRequest) -> LabBehaviour {
        let agent = request.userAgent.lowercased()
        let path = request.pathOnly
        return state.withLock { state in
            let here = state.agentsAtAddresses[request.address] ?? [:]
            if let decided = here.first(where: { agent.contains($0.key) }) { return decided.value }
            if let decided = state.addresses[request.address] { return decided }
            if let decided = state.agents.first(where: { agent.contains($0.text) }) { return decided.behaviour }
            if let decided = state.paths[path] { return decided }
            if let document = state.document, path == Self.wellKnownPath { return .reply(document) }
            return state.behaviour
        }
    }
}
