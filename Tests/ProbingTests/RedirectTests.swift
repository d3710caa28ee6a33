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
    @Suite struct RedirectTests {
        @Test("redirects are followed hop by hop, and the last answer counts")
        func followed() async throws {
            try await Scene.with { scene in
                scene.lab.origin("site.test").on(path: wellKnown, .redirect(status: 301, location: "/a?x=1"))
                scene.lab.origin("site.test").on(
                    path: "/a", .redirect(status: 307, location: "//www.site.test\(wellKnown)"))
                scene.lab.origin("www.site.test").serve(file())
                let seen = try await scene.observe()
                #expect(
                    seen.origin.redirects == [
                        RedirectHop(
                            status: 301, from: "https://site.test\(wellKnown)", location: "/a?x=1",
                            target: "https://site.test/a?x=1"),
                        RedirectHop(
                            status: 307, from: "https://site.test/a?x=1", location: "//www.site.test\(wellKnown)",
                            target: "https://www.site.test\(wellKnown)"),
                    ])
                #expect(seen.origin.redirectStop == nil)
                #expect(seen.origin.url == "https://site.test\(wellKnown)")
                #expect(seen.origin.answer?.status == 200)
                #expect(seen.origin.answer?.body.decodedBytes == file().utf8.count)
            }
        }

        struct Stop: Sendable, CustomTestStringConvertible {
            let location: String
            let stop: RedirectStop
            var testDescription: String { "\(location) is \(stop.rawValue)" }
        }

        @Test(
            "a redirect that cannot or must not be followed ends the chain",
            arguments: [
                Stop(location: "http://site.test\(wellKnown)", stop: .insecure),
                Stop(location: "http://other.test/", stop: .insecure), Stop(location: wellKnown, stop: .loop),
                Stop(location: "https://site.test\(wellKnown)", stop: .loop), Stop(location: "", stop: .loop),
                Stop(location: "ftp://site.test/file", stop: .insecure),
                Stop(location: "https://[::bad/", stop: .unreadable),
                Stop(location: "file:///etc/passwd", stop: .insecure),
            ])
        func stops(_ stop: Stop) async throws {
            try await Scene.with { scene in
                scene.lab.origin("site.test").on(path: wellKnown, .redirect(status: 302, location: stop.location))
                let seen = try await scene.observe()
                #expect(seen.origin.redirects.count == 1)
                let found = seen.origin.redirectStop
                // Whether curl calls a scheme unreadable or insecure varies; it is never followed.
                #expect(
                    found == stop.stop || (found == .unreadable && stop.stop != .loop), "\(String(describing: found))")
                #expect(scene.requests("site.test").count == 1)
            }
        }

        @Test("a redirect without a Location is reported as such")
        func noLocation() async throws {
            try await Scene.with { scene in
                scene.lab.origin("site.test").behaviour = .reply(.status(302))
                let seen = try await scene.observe()
                #expect(seen.origin.redirectStop == .unreadable)
                #expect(seen.origin.redirects.map(\.location) == [nil])
            }
        }

        @Test("a loop of two redirects ends where it closes")
        func circle() async throws {
            try await Scene.with { scene in
                scene.lab.origin("site.test").on(path: wellKnown, .redirect(status: 302, location: "/a"))
                scene.lab.origin("site.test").on(path: "/a", .redirect(status: 302, location: wellKnown))
                let seen = try await scene.observe()
                #expect(seen.origin.redirectStop == .loop)
                #expect(scene.requests("site.test").count == 2)
            }
        }

        @Test("an endless chain ends after ten hops")
        func chain() async throws {
            try await Scene.with { scene in
                let origin = scene.lab.origin("site.test")
                origin.on(path: wellKnown, .redirect(status: 302, location: "/0"))
                for hop in 0..<20 { origin.on(path: "/\(hop)", .redirect(status: 302, location: "/\(hop + 1)")) }
                let seen = try await scene.observe()
                #expect(seen.origin.redirectStop == .tooMany)
                #expect(seen.origin.redirects.count == ProbeSettings.maximumRedirects + 1)
                #expect(scene.requests("site.test").count == ProbeSettings.maximumRedirects + 1)
            }
        }

        @Test("statuses that only look like redirects are final answers", arguments: [300, 304, 305, 306])
        func noRedirect(_ status: Int) async throws {
            try await Scene.with { scene in
                scene.lab.origin("site.test").behaviour = .redirect(status: status, location: "https://other.test/")
                let seen = try await scene.observe()
                #expect(seen.origin.redirects.isEmpty)
                #expect(seen.origin.answer?.status == status)
            }
        }

        @Test("the time limit covers all hops together")
        func slowHops() async throws {
            try await Scene.with { scene in
                let origin = scene.lab.origin("site.test")
                func hop(_ path: String, _ next: String) {
                    origin.on(
                        path: path,
                        .after(.milliseconds(400), .redirect(status: 302, location: next)))
                }
                hop(wellKnown, "/0")
                for index in 0..<9 { hop("/\(index)", "/\(index + 1)") }
                let seen = try await scene.observe(timeout: .milliseconds(1500))
                #expect(seen.origin.failure?.kind == .timedOut)
                // Each hop takes 400 ms: a separate limit for each hop would allow all ten.
                #expect(seen.origin.redirects.count <= 3)
            }
        }

        @Test("waiting for a free slot does not count as the site's time", .waitsForTimeout)
        func queue() async throws {
            try await Scene.with(maximumConcurrent: 1, slotTimeout: .seconds(1000)) { scene in
                scene.lab.origin("deaf.test").behaviour = .fault(.hang)
                scene.lab.origin("site.test").on(path: wellKnown, .redirect(status: 302, location: "/a"))
                scene.lab.origin("site.test").on(path: "/a", .reply(.json(file())))
                async let deaf = scene.observe("deaf.test", timeout: .seconds(30))
                try await until { !scene.requests("deaf.test").isEmpty }
                // It waits longer than its own limit.
                let seen = try await scene.observe("site.test", timeout: .seconds(20))
                #expect(seen.origin.answer?.status == 200)
                #expect(try await deaf.origin.failure?.kind == .timedOut)
            }
        }
    }
}
