// Access control: roles, the policy from the configuration, and the check of a token.

import Evidence
import Facts
import Foundation
import Hummingbird
import Logging
import Monitoring
import Synchronization

/// What a client may do. Each role includes the one before.
enum Role: Int, Comparable, Sendable {
    /// Reads the overview and domains if `server.public` is set. Sees nobody who is notified or acts.
    case visitor
    /// Reads everything.
    case reader
    case writer

    static func < (one: Role, other: Role) -> Bool { one.rawValue < other.rawValue }
}

/// The access settings. A reload replaces them while the server runs.
package struct AccessPolicy: Sendable {
    /// nil: the pages are open to everyone who can reach the address.
    let token: AccessToken?
    /// Lets clients read, but not write; nil: there is none.
    let readerToken: AccessToken?
    /// Whether the overview and domains need no token.
    let isPublic: Bool
    /// Whether nothing can be changed over HTTP.
    let isReadOnly: Bool
    /// Proxies whose `X-Forwarded-For` counts.
    let trustedProxies: [AddressRange]
    /// Where people reach the page, such as `https://aasa.example.net`; nil: at the listening address.
    let publicURL: String?

    /// `token` nil: open to everyone who can reach the address; empty: nobody gets in.
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

    /// The role that these bytes give; nil: not a token. Always compares both tokens, to take the same time for each.
    func role(of shown: [UInt8]) -> Role? {
        let (isWriter, isReader) = (token?.equals(shown) ?? false, readerToken?.equals(shown) ?? false)
        return isWriter ? .writer : isReader ? .reader : nil
    }

    /// For clients that may only read.
    var whyNoWrites: String {
        isReadOnly
            ? "server.read_only is set, so nothing can be changed here; use the commands on the monitor's machine"
            : "server.reader_token only allows reading; changes need server.token"
    }

    /// Reduces a writer to a reader if `server.read_only` is set.
    func limited(_ role: Role) -> Role { isReadOnly ? min(role, .reader) : role }
}

/// Decides who gets in: the current policy, the sessions, and the addresses that showed wrong tokens.
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
        /// Not checked; the client may try again after so many seconds.
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

    /// Sessions end when a token changes.
    func replace(with policy: AccessPolicy) {
        let names = OwnNames(host: host, publicURL: policy.publicURL)
        state.withLock { state in
            if state.policy.token != policy.token || state.policy.readerToken != policy.readerToken {
                state = State(policy: policy, names: names)
            }
            (state.policy, state.names) = (policy, names)
        }
    }

    /// Checks a token under one lock: parallel requests must not get more tries than sequential ones.
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

    /// - Returns: the value of the session's cookie.
    func beginSession(of role: Role) -> String {
        state.withLock { $0.sessions.begin(of: role, at: timekeeper.now()) }
    }

    /// nil: the session is not open.
    func role(ofSession session: String) -> Role? {
        state.withLock { $0.policy.token == nil ? nil : $0.sessions.role(of: session, at: timekeeper.now()) }
    }

    func end(session: String) { state.withLock { $0.sessions.end(session) } }
}
