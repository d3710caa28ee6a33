// What a server does besides a plain answer and short of a fault.

import Foundation
import Lab

extension LabBehaviour {
    /// A redirect with that status and `Location`, sent as it stands: it may be relative, absolute or nonsense.
    package static func redirect(status: Int, location: String) -> LabBehaviour {
        .act(Redirect(status: status, location: location))
    }

    /// A redirect with that status to a path of the same host that was never named before, again and again: a chain
    /// without end and without a circle.
    package static func maze(status: Int) -> LabBehaviour { .act(Maze(status: status)) }

    /// Waits, then does the other.
    package static func after(_ delay: Duration, _ behaviour: LabBehaviour) -> LabBehaviour {
        .act(Wait(delay: delay, behaviour: behaviour))
    }

    /// The reply with its body as gzip, and the `Content-Encoding` that says so.
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
    /// The crawler's patience, as far as anyone outside Apple can tell.
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

    /// Apple's own code for it.
    static func timeout(_ cause: String) -> LabCDNFailure {
        LabCDNFailure(reason: "SWCERR00301 Timeout", cause: cause, tryDirect: true)
    }
}
