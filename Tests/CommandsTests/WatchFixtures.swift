// What edges and the origin serve in the tests of watches.

import Evidence
import Facts
import Foundation
import Probing
import TestSupport

@testable import Commands

/// What one server serves.
enum Served: Equatable, Sendable {
    case version(Int)
    case noFile
    /// A status that means "no copy", or that says nothing about the file.
    case status(Int)
    case noAnswer(String)
    /// Text of a site that would control a terminal.
    case refusal(String)

    var retrieval: Retrieval {
        switch self {
        case .version(let version): Self.answer(200, SampleFile.version(version))
        case .noFile: Self.answer(200, "<html>")
        case .status(let status): Self.answer(status, "no")
        case .refusal(let words): Self.answer(404, "no", [HeaderField(name: "Apple-Failure-Reason", value: words)])
        case .noAnswer(let words):
            Retrieval(
                url: "https://cdn.test/",
                outcome: .failed(Failure(kind: .connectionRefused, phase: .connecting, detail: words)))
        }
    }

    private static func answer(_ status: Int, _ body: String, _ headers: [HeaderField] = []) -> Retrieval {
        let data = Data(body.utf8)
        let age = [HeaderField(name: "Age", value: "7200"), HeaderField(name: "Cache-Control", value: "max-age=21600")]
        return Retrieval(
            url: "https://cdn.test/",
            outcome: .answered(
                Answer(
                    status: status, headers: headers + age,
                    body: .init(
                        hash: ContentHash(of: data), decodedBytes: data.count, wireBytes: data.count, end: .complete))))
    }

    private static let contents = Dictionary(
        uniqueKeysWithValues: ((1...3).map(SampleFile.version) + [SampleFile.spaced(2), "<html>", "no"]).map {
            (ContentHash(of: Data($0.utf8)), Data($0.utf8))
        })

    /// As an edge's answer.
    func at(_ address: String) -> EdgeNews { .seen(EdgeResult(address: address, retrieval: retrieval), Self.contents) }

    /// As the origin's answer.
    func atOrigin(body: String? = nil) throws -> Observation {
        Observation(
            domain: try Domain("site.test"), checkedAt: .testing,
            origin: body.map { Self.answer(200, $0) } ?? retrieval, cdn: .notAsked(.originHasNoFile),
            contents: Self.contents)
    }
}

extension PropagationWatch {
    /// A watch that waits for version 2.
    init(waitingFor version: Int = 2) throws {
        self.init(begin: .testing)
        _ = onOrigin(try Served.version(version).atOrigin(), at: .testing)
    }

    /// One complete round over these edges, without the events that only the board shows.
    mutating func look(_ edges: [(address: String, served: Served)], at now: Date = .testing) -> [WatchEvent] {
        let asked = on(.asking(edges.map(\.address)), at: now)
        let seen = edges.flatMap { on($0.served.at($0.address), at: now) }
        return asked + seen + onLookEnd(at: now).filter { $0.kind != .lookEnded }
    }

    /// The same for edges `a`, `b`, …
    mutating func look(_ served: [Served], at now: Date = .testing) -> [WatchEvent] {
        look(zip("abcdefgh", served).map { (String($0), $1) }, at: now)
    }
}
