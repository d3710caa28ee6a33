/// What an origin, the CDN or a receiver does with one request.
package enum LabBehaviour: Sendable {
    case reply(LabReply)
    case act(any LabAct)
}

/// What a server does instead of an answer, or before it. The demo has none; `LabFaults` has those of the tests.
package protocol LabAct: Sendable {
    /// Performs the act.
    /// - Parameters:
    ///   - wire: the connection.
    ///   - goOn: performs another behavior for the same request. Without this call, the connection is unusable.
    func perform(on wire: LabWire, goOn: @escaping (LabBehaviour) -> Void)

    /// The result for Apple's crawler, which followed `urls`.
    func outcome(for crawler: LabCrawler, from urls: [String]) -> LabCrawler.Outcome
}
