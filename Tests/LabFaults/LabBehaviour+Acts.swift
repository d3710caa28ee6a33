// Server behaviours that are neither a plain answer nor a fault.

import Foundation
import Lab

extension LabBehaviour {
    /// A redirect with that status and `Location`, sent unchanged: it may be relative, absolute or invalid.
    package static func redirect(status: Int, location: String) -> LabBehaviour {
        .act(Redirect(status: status, location: location))
    }

    /// A redirect with that status to a new path of the same host, every time: an endless chain without a loop.
    package static func maze(status: Int) -> LabBehaviour { .act(Maze(status: status)) }

    /// Waits, then runs the other behaviour.
    package static func after(_ delay: Duration, _ behaviour: LabBehaviour) -> LabBehaviour {
        .act(Wait(delay: delay, behaviour: behaviour))
    }

    /// The reply with a gzip body and the matching `Content-Encoding`.
    package static func gzip(_ reply: LabReply) -> LabBehaviour { .act(Compressed(reply: reply)) }
}

private struct Redirect: LabAct {
    private static let hopLimit = 10

    let status: Int
    let location: String

    func perform(on wire: LabWire, goOn: @escaping (LabBehaviour) -> Void) {
        goOn(.reply(LabReply(status: status, headers: [("Location", location)])))
    }

    func outcome(for crawler: LabCrawler, from urls: [String]) -> LabCrawler.Outcome {
        guard (300..<400).contains(status) else { return .failure(.badStatus(status)) }
        guard urls.count <= Self.hopLimit else { return .failure(.broken("stopped after 10 redirects")) }
        guard let target = URL(string: location, relativeTo: URL(string: urls.last ?? ""))?.absoluteURL,
            let host = target.host()
        else { return .failure(.broken("failed to parse Location header \"\(location.prefix(200))\"")) }
        guard target.scheme == "https" else { return .failure(.broken("redirect to an insecure URL")) }
        return crawler.follow(
            host: host.lowercased(), path: target.path().isEmpty ? "/" : target.path(),
            from: urls + [target.absoluteString])
    }
}

private struct Maze: LabAct {
    let status: Int

    func perform(on wire: LabWire, goOn: @escaping (LabBehaviour) -> Void) {
        goOn(.redirect(status: status, location: "/maze/\(UUID().uuidString)"))
    }

    func outcome(for crawler: LabCrawler, from urls: [String]) -> LabCrawler.Outcome {
        .failure(.broken("stopped after 10 redirects"))
    }
}

private struct Wait: LabAct {
    /// How long the crawler waits, as far as can be observed.
    private static let longest = Duration.seconds(5)

    let delay: Duration
    let behaviour: LabBehaviour

    func perform(on wire: LabWire, goOn: @escaping (LabBehaviour) -> Void) {
        wire.after(delay) { [behaviour] in goOn(behaviour) }
    }

    func outcome(for crawler: LabCrawler, from urls: [String]) -> LabCrawler.Outcome {
        delay > Self.longest ? .failure(.timeout) : crawler.outcome(of: behaviour, from: urls)
    }
}

private struct Compressed: LabAct {
    let reply: LabReply

    func perform(on wire: LabWire, goOn: @escaping (LabBehaviour) -> Void) {
        var reply = reply
        reply.body = LabGzip.stored(reply.body)
        reply.headers.append((name: "Content-Encoding", value: "gzip"))
        goOn(.reply(reply))
    }

    func outcome(for crawler: LabCrawler, from urls: [String]) -> LabCrawler.Outcome {
        .answer(reply, from: urls)
    }
}

extension LabCDNFailure {
    static let timeout = LabCDNFailure.timeout(
        "context deadline exceeded (Client.Timeout exceeded while awaiting headers)")

    /// Apple's own error code for a time-out.
    static func timeout(_ cause: String) -> LabCDNFailure {
        LabCDNFailure(reason: "SWCERR00301 Timeout", cause: cause, tryDirect: true)
    }
}
