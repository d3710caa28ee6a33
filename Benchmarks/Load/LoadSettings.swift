import Foundation

/// How large the load is.
struct LoadSettings {
    var domains = 1000
    /// Seconds between two checks of a domain.
    var interval = 60
    /// Hours between two full checks of a domain.
    var fullEvery = 1
    /// Domains besides, whose servers take the connection and never answer.
    var hanging = 0
    /// Intervals that pass before anything is measured: after nine a state no longer grows.
    var settle = 9
    /// Minutes that it runs on with all well, its memory written down at each twelfth.
    var soak = 0
    /// Where to add what was measured, a line of JSON for each run; nil: nowhere.
    var record: String?
    /// Path of the monitor; nil: the one beside this program.
    var monitor: String?
}

extension LoadSettings {
    /// Path of the monitor.
    func program() throws -> String {
        let here = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let path = monitor ?? URL(filePath: here).deletingLastPathComponent().appending(path: "aasa-monitor").path
        guard access(path, X_OK) == 0 else {
            throw BenchFault("\(path) missing; run 'swift build -c release --product aasa-monitor'")
        }
        return path
    }
}

extension LoadSettings {
    /// Adds what was measured to the record, as a line of JSON.
    func note(_ values: [String: Double]) throws {
        guard let record else { return }
        let known = values.filter { !$0.value.isNaN }
        var line = try JSONSerialization.data(withJSONObject: known, options: .sortedKeys)
        line.append(UInt8(ascii: "\n"))
        let old = (try? Data(contentsOf: URL(filePath: record))) ?? Data()
        try (old + line).write(to: URL(filePath: record))
    }
}
