import Foundation

/// How much a test of properties plays: enough in `make test` to see a broken rule, all in `make soak`, which sets `AASA_SOAK`.
package enum Rounds {
    package static let isSoak = ProcessInfo.processInfo.environment["AASA_SOAK"] == "1"

    /// `few` in `make test`, `many` in `make soak`.
    package static func of<Value>(_ few: Value, soak many: Value) -> Value { isSoak ? many : few }
}
