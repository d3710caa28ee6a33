// Who gets in at present.

import Evidence
import Facts
import Foundation
import Hummingbird
import Logging
import Monitoring
import Synchronization

/// What somebody may do here; each may do what the one before may.
enum Role: Int, Comparable, Sendable {
    /// Reads the overview and domains where `server.public` lets everybody, and nothing of who is notified or acts.
    case visitor
    /// Reads everything.
    case reader
    case writer

    static func < (one: Role, other: Role) -> Bool { one.rawValue < other.rawValue }
}

/// What the configuration says of access; a reload replaces it while the server goes on.
package struct AccessPolicy: Sendable {
    /// nil: the pages are open to everybody who reaches the address.
    let token: AccessToken?
    /// Opens the pages to who may read alone; nil: there is none.
    let readerToken: AccessToken?
    /// Whether the overview and domains need no token.
    let isPublic: Bool
    /// Whether nothing can be changed over HTTP.
    let isReadOnly: Bool
    /// Proxies whose `X-Forwarded-For` counts.
    let trustedProxies: [AddressRange]
    /// Where people reach the page, such as `https://aasa.example.net`; nil: where it listens.
    let publicURL: String?

    /// A `token` of nil leaves the page open to everybody who reaches the address; an empty one lets nobody in.
    package init(
        token: String? = nil, readerToken: String? = nil, isPublic: Bool = false, isReadOnly: Bool = false,
        trustedProxies: [AddressRange] = [], publicURL: String? = nil
    ) {
        self.publicURL = publicURL
        self.token = token.map(AccessToken.init)
        self.readerToken = readerToken.map(AccessToken.init)
        self.isPublic = isPublic
        self.isReadOnly = isReadOnly
        self.trustedProxies = trustedProxies
    }

    /// What who shows these bytes may do; nil: they are no token. It takes as long for one token as for the other.
    func role(of shown: [UInt8]) -> Role? {
        let (isWriter, isReader) = (token?.equals(shown) ?? false, readerToken?.equals(shown) ?? false)
        return isWriter ? .writer : isReader ? .reader : nil
    }

    /// For who may read alone.
    var whyNoWrites: String {
        isReadOnly
            ? "nothing can be changed here, as server.read_only says; use the commands beside the store"
            : "you may only read here, with server.reader_token; changes need server.token"
    }

    /// What a role comes to where nobody may write.
    func limited(_ role: Role) -> Role { isReadOnly ? min(role, .reader) : role }
}

/// Who gets in at present: the policy in force, the sessions, and the addresses that showed wrong tokens.
final class AccessKey: Sendable {
    private struct State {
        var policy: AccessPolicy
        var names: OwnNames
        var sessions = SessionTable()
        var wrong = WrongTokens()
    }

    enum Answer: Equatable, Sendable {
        case right(Role)
        case wrong
        /// Not even looked at; again after so many seconds.
        case slowed(seconds: Int)
    }

    private let state: Mutex<State>
    /// Where the server listens.
    private let host: String
    private let logger: Logger
    private let timekeeper: any MonitorClock

    init(_ policy: AccessPolicy, host: String, timekeeper: any MonitorClock, logger: Logger) {
        state = Mutex(State(policy: policy, names: OwnNames(host: host, publicURL: policy.publicURL)))
        self.host = host
        self.timekeeper = timekeeper
        self.logger = logger
    }

    var policy: AccessPolicy { state.withLock(\.policy) }
    var names: OwnNames { state.withLock(\.names) }

    /// Sessions end with the token that opened them.
    func replace(with policy: AccessPolicy) {
        let names = OwnNames(host: host, publicURL: policy.publicURL)
        state.withLock { state in
            if state.policy.token != policy.token || state.policy.readerToken != policy.readerToken {
                state = State(policy: policy, names: names)
            }
            (state.policy, state.names) = (policy, names)
        }
    }

    /// Judges a token under one lock, so that many requests at once get no further than one after the other.
    func judge(_ shown: ShownToken, of visit: Visit, _ request: Request) -> Answer {
        let now = timekeeper.now()
        let (answer, isNews) = state.withLock { state -> (Answer, Bool) in
            let client = visit.client(of: request, trusting: state.policy.trustedProxies)?.subscriber
            if let client, let pause = state.wrong.pause(of: client, at: now) {
                return (.slowed(seconds: max(1, Int(pause.rounded(.up)))), state.wrong.isNews(client))
            }
            guard let role = state.policy.role(of: shown.bytes) else {
                if let client { state.wrong.note(client, at: now) }
                return (.wrong, true)
            }
            if let client { state.wrong.forget(client) }
            return (.right(role), false)
        }
        if isNews { log(answer, shown.way, visit, request) }
        return answer
    }

    private func log(_ answer: Answer, _ way: ShownToken.Way, _ visit: Visit, _ request: Request) {
        let client = visit.client(of: request, trusting: policy.trustedProxies)
        var metadata: Logger.Metadata = [
            "address": "\((client ?? visit.peer).map(\.description) ?? "unknown")", "by": "\(way.rawValue)",
        ]
        if case .slowed(let seconds) = answer {
            metadata["retry_after"] = .stringConvertible(seconds)
            logger.warning("too many wrong tokens; address slowed down", metadata: metadata)
        } else {
            metadata["path"] = "\(request.uri.path.displayable.shortened(to: 100))"
            logger.warning("wrong token refused", metadata: metadata)
        }
    }

    // MARK: - Sessions

    /// Begins a session.
    /// - Returns: what its cookie holds.
    func beginSession(of role: Role) -> String {
        state.withLock { $0.sessions.begin(of: role, at: timekeeper.now()) }
    }

    /// Whose session it is; nil: it is not open.
    func role(ofSession session: String) -> Role? {
        state.withLock { $0.policy.token == nil ? nil : $0.sessions.role(of: session, at: timekeeper.now()) }
    }

    func end(session: String) { state.withLock { $0.sessions.end(session) } }
}
