// The JSON of commands: the order of keys, and missing values.

import Evidence
import Foundation
import Testing

@testable import FileCommands

extension FileCommandsTests {
    @Suite struct DocumentTests {
        private struct Sample: InOrder {
            var zoneName = "a"
            var alsoThere: Int?
            var inner = [Inner()]
            var report = APIReport()
            var byName = ["b key": "1", "aKey": "2"]
            var at = Date(timeIntervalSince1970: 0)
            var json = OrderedJSON.object([("z", .null), ("a", .bool(true))])
        }

        private struct Inner: InOrder {
            var second: Double? = 1.5
            var first: String?
        }

        private struct APIReport: Codable {
            var second = true
            var first: Double?
        }

        private struct More: InOrder {
            var behind = 1
            var above: String?
        }

        @Test("a document has its keys in order, its reports theirs in alphabetical order, and null for nil")
        func order() {
            #expect(
                OrderedJSON.document(Detailed(Sample(), More())).text(isPretty: false)
                    == #"{"zone_name": "a", "also_there": null, "inner": [{"second": 1.5, "first": null}], "#
                    + #""report": {"first": null, "second": true}, "by_name": {"aKey": "2", "b key": "1"}, "#
                    + #""at": "1970-01-01T00:00:00Z", "json": {"z": null, "a": true}, "behind": 1, "above": null}"#)
        }
    }
}
