import Foundation

/// The size of property tests: enough in `make test` to find a broken rule, everything in `make soak`, which sets
/// `AASA_SOAK`.
package enum Rounds {
    package static let isSoak = ProcessInfo.processInfo.environment["AASA_SOAK"] == "1"

    /// `few` in `make test`, `many` in `make soak`.
    package static func of<Value>(_ few: Value, soak many: Value) -> Value { isSoak ? many : few }
}
