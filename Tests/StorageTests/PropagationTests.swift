// How long the CDN took for earlier changes, from rows of checks.

import Evidence
import Foundation
import Testing

@testable import Storage

extension StorageSuite {
    @Suite("Propagation")
    struct PropagationTests {
        /// Checks ten minutes apart, each as what the origin and then the edges have; `-` is no file.
        @Test(
            "the time of a change is from its first sight to the check that saw every edge follow",
            arguments: [
                ("1:1", []),
                ("1:1 2:1 2:1 2:2", [1200]),
                ("1:1 2:1 2:2 2:2 3:2 3:3", [600, 600]),
                // Overtaken by the next change, which counts from its own first sight.
                ("1:1 2:1 3:1 3:2 3:3", [1200]),
                // The origin came back to what the CDN has all along.
                ("1:1 2:1 1:1 1:1,1", []),
                // Seen at once: nobody knows how long it took.
                ("1:1 2:2 2:2,2", []),
                // An error page is no change of the file.
                ("1:1 -:1 1:1 2:1 2:2", [600]),
                // Each edge counts; one that does not answer does not.
                ("1:1 2:1,1 2:2,1 2:2,2", [1200]),
                ("1:1,1 2:1,1 2:2,x", [600]),
                // A copy that is gone has not followed.
                ("1:1 2:1 2:- 2:2", [1200]),
                // The first sight of a domain is no change.
                ("2:1 2:2", []),
            ] as [(String, [TimeInterval])])
        func times(_ story: String, _ expected: [TimeInterval]) async throws {
            let folder = try ScratchFolder()
            let store = try Store(path: folder.store)
            for (index, step) in story.split(separator: " ").enumerated() {
                let at = noon + 600 * Double(index)
                try await store.commit(CheckRecord(observation: try check(step, at: at), state: try state(at: at)))
            }
            #expect(try await store.propagationTimes(of: Domain("example.com")) == expected)
            try store.close()
        }

        private func check(_ step: Substring, at: Date) throws -> Observation {
            let sides = step.split(separator: ":")
            let origin = try probe(sides[0], at: at).origin
            let edges = try sides[1].split(separator: ",").map { try probe($0, at: at).origin }
            var result = try observation(at: at)
            result.origin = origin
            result.cdn = .asked(edges[0])
            if edges.count > 1 {
                result.full = FullLook(
                    resolution: Resolution(source: .system),
                    edges: edges.enumerated().map { EdgeLook(address: "192.0.2.\($0)", retrieval: $1) })
            }
            return result
        }

        private func probe(_ text: Substring, at: Date) throws -> Observation {
            switch text {
            case "-": try observation(at: at, status: 404, body: "gone")
            case "x": try observation(at: at, detail: "refused")
            default: try observation(at: at, body: String(text))
            }
        }

        @Test("a domain that was never seen has no times")
        func unknown() async throws {
            let folder = try ScratchFolder()
            let store = try Store(path: folder.store)
            #expect(try await store.propagationTimes(of: Domain("other.example")).isEmpty)
            try store.close()
        }
    }
}
