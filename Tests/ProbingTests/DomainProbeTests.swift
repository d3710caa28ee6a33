import Evidence
import Facts
import Foundation
import Lab
import LabFaults
import TestSupport
import TestTraits
import Testing

@testable import Probing

extension ProbingTests {
    @Suite struct DomainProbeTests {
        @Test("origin and copy are fetched, each body once")
        func both() async throws {
            try await Scene.with { scene in
                scene.lab.origin("site.test").serve(file())
                let seen = try await scene.observe()
                #expect(seen.checkedAt == instant)
                #expect(seen.origin.answer?.body.hash != nil)
                #expect(seen.cdn.retrieval?.answer?.body.hash == seen.origin.answer?.body.hash)
                #expect(seen.contents.values.map { String(decoding: $0, as: UTF8.self) } == [file()])
                #expect(seen.origin.connection?.address == "127.0.0.1")
                #expect(seen.origin.connection?.tls?.trusted == true)
                #expect(seen.origin.connection?.tls?.chain.first?.names == ["site.test"])
                let request = try #require(scene.requests("site.test").first)
                #expect(request.method == "GET")
                #expect(request.path == wellKnown)
                #expect(request.userAgent == "probing-tests")
                #expect(scene.lab.cdn.requests(for: "site.test").map(\.path) == ["/a/v1/site.test"])
            }
        }

        @Test("each origin request uses a fresh connection, CDN requests reuse one")
        func connections() async throws {
            try await Scene.with { scene in
                scene.lab.origin("site.test").serve(file())
                for _ in 0..<3 { _ = try await scene.observe() }
                #expect(scene.lab.connectionsAccepted == 4)
            }
        }

        @Test("before a copy counts as different, the origin is fetched again")
        func readAgain() async throws {
            try await Scene.with { scene in
                scene.lab.origin("site.test").serve(file("v2"))
                scene.lab.cdn.holds("site.test", body: file("v1"))
                let seen = try await scene.observe()
                #expect(scene.requests("site.test").count == 2)
                #expect(seen.contents.count == 2)
                #expect(seen.cdn.retrieval?.answer?.body.hash != seen.origin.answer?.body.hash)
            }
        }

        @Test(
            "a Content-Encoding that names no compression leaves the body unchanged",
            arguments: [("utf-8", true), ("aws-chunked", true), ("none", true), ("gzip", false), ("br, utf-8", false)])
        func unknownEncoding(_ encoding: String, _ isRead: Bool) async throws {
            try await Scene.with { scene in
                let reply = LabReply(
                    status: 200, headers: [("Content-Type", "application/json"), ("Content-Encoding", encoding)],
                    body: Array(file().utf8))
                scene.lab.origin("site.test").on(path: wellKnown, .reply(reply))
                let seen = try await scene.observe()
                #expect(seen.origin.answer?.header("content-encoding") == encoding)
                #expect((seen.origin.answer?.body.end == .complete) == isRead)
                let body = seen.origin.answer?.body.hash.flatMap { seen.contents[$0] }
                #expect(body.map { String(decoding: $0, as: UTF8.self) } == (isRead ? file() : nil))
                #expect(Set(scene.requests("site.test").compactMap { $0.header("accept-encoding") }) == ["gzip"])
            }
        }

        // The CDN answers long after the origin changed, and that change takes no time.

        @Test("a change between the two requests is not a difference", .waitsForTimeout)
        func changeBetween() async throws {
            try await Scene.with { scene in
                scene.lab.origin("site.test").serve(file("v1"))
                scene.lab.cdn.behaves(
                    "site.test", .after(.seconds(10), .reply(.json(file("v2")))))
                async let seen = scene.observe()
                try await until { !scene.lab.cdn.requests(for: "site.test").isEmpty }
                scene.lab.origin("site.test").serve(file("v2"))
                let observation = try await seen
                #expect(observation.origin.answer?.body.hash == observation.cdn.retrieval?.answer?.body.hash)
            }
        }

        @Test("an origin that fails on the second fetch keeps its first answer", .waitsForTimeout)
        func secondReadingFails() async throws {
            try await Scene.with { scene in
                scene.lab.origin("site.test").serve(file("v1"))
                scene.lab.cdn.behaves("site.test", .after(.seconds(10), .reply(.json(file("v2")))))
                async let seen = scene.observe()
                try await until { !scene.lab.cdn.requests(for: "site.test").isEmpty }
                scene.lab.origin("site.test").behaviour = .reply(.status(500))
                #expect(try await seen.origin.answer?.status == 200)
                #expect(scene.requests("site.test").count == 2)
            }
        }

        @Test("the CDN is not asked if the origin never had a file", arguments: [404, 410])
        func noFile(_ status: Int) async throws {
            try await Scene.with { scene in
                scene.lab.origin("site.test").behaviour = .reply(.status(status))
                #expect(try await scene.observe().cdn == .notAsked(.originHasNoFile))
                #expect(scene.lab.cdn.requests(for: "site.test").isEmpty)
                #expect(try await scene.observe(hadFile: true).cdn.retrieval != nil)
                let bold = try await scene.probe(asksBeforeOrigin: true).observe(
                    try Domain("site.test"), hadFile: false, now: instant)
                #expect(bold.cdn.retrieval != nil)
            }
        }

        @Test("other origin failures do not stop the request for the copy", arguments: [401, 403, 500, 503])
        func otherTrouble(_ status: Int) async throws {
            try await Scene.with { scene in
                scene.lab.origin("site.test").behaviour = .reply(.status(status))
                let seen = try await scene.observe()
                #expect(seen.cdn.retrieval != nil)
            }
        }

        @Test("a known difference does not cost a second request each time", arguments: [true, false])
        func lastingDifference(_ isKnown: Bool) async throws {
            try await Scene.with { scene in
                scene.lab.origin("site.test").serve(file())
                scene.lab.cdn.holds("site.test", body: file() + "\n")
                let first = try await scene.observe()
                #expect(scene.requests("site.test").count == 2)
                let origin = try #require(first.origin.answer?.body.hash)
                let copy = try #require(first.cdn.retrieval?.answer?.body.hash)
                _ = try await scene.probe().observe(
                    Domain("site.test"), hadFile: true, compared: isKnown ? (origin, copy) : (copy, origin),
                    now: instant)
                #expect(scene.requests("site.test").count == (isKnown ? 3 : 4))
            }
        }

        @Test("in other modes the CDN is never asked", arguments: [AssociationMode.developer, .managed])
        func modes(_ mode: AssociationMode) async throws {
            try await Scene.with { scene in
                scene.lab.origin("site.test").serve(file())
                let seen = try await scene.observe(mode: mode, hadFile: true)
                #expect(seen.cdn == .notAsked(.mode))
                #expect(scene.lab.cdn.requests(for: "site.test").isEmpty)
            }
        }

        @Test("cancellation ends a probe immediately, whichever server hangs", arguments: [true, false])
        func cancellation(_ originHangs: Bool) async throws {
            try await Scene.with { scene in
                if originHangs {
                    scene.lab.origin("site.test").behaviour = .fault(.hang)
                } else {
                    scene.lab.origin("site.test").serve(file())
                    scene.lab.cdn.behaves("site.test", .fault(.hang))
                }
                let result = Task { try await scene.observe(timeout: .seconds(3600)) }
                try await until {
                    originHangs
                        ? !scene.requests("site.test").isEmpty : !scene.lab.cdn.requests(for: "site.test").isEmpty
                }
                result.cancel()
                await #expect(throws: CancellationError.self) { try await result.value }
            }
        }

        @Test("a body beyond the limit is truncated and has no hash")
        func largeBody() async throws {
            try await Scene.with { scene in
                scene.lab.origin("site.test").serve(String(repeating: " ", count: ProbeSettings.bodyLimit + 1))
                let body = try await scene.observe(mode: .developer).origin.answer?.body
                #expect(body?.end == .capped(limit: ProbeSettings.bodyLimit))
                #expect(body?.hash == nil)
                #expect(body?.decodedBytes == ProbeSettings.bodyLimit)
            }
        }
    }
}
