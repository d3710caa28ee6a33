/// What an origin, the CDN or a receiver does with one request.
package enum LabBehaviour: Sendable {
    case reply(LabReply)
    case act(any LabAct)
}

/// What a server does in place of an answer, or before it. The demo has none; those of the tests are in `LabFaults`.
package protocol LabAct: Sendable {
    /// Does it.
    /// - Parameters:
    ///   - wire: the connection.
    ///   - goOn: does another behaviour for the same request. Without it the connection is of no further use.
    func perform(on wire: LabWire, goOn: @escaping (LabBehaviour) -> Void)

    /// What Apple's crawler makes of it, having come over `urls`.
    func outcome(for crawler: LabCrawler, from urls: [String]) -> LabCrawler.Outcome
}
