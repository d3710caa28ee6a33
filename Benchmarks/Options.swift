import Foundation

/// The command line.
struct Options {
    enum Command: String, CaseIterable {
        case check, device, file, store, sweep, steady, load, plot
    }

    /// By default, only the commands that end within minutes.
    private(set) var commands: [Command] = [.file, .check, .store, .device]
    private(set) var domains = 1000
    /// Seconds between two checks of a domain.
    private(set) var interval = 60
    /// Intervals to wait before the measurement, because a new domain's state grows for eight checks.
    private(set) var settle = 9
    /// Minutes to watch the memory after the measurement.
    private(set) var soak = 0
    /// The file to which `steady` adds its figures, one line of JSON for each run. `plot` reads it.
    private(set) var record: String?
    private var monitor: String?

    static let usage = """
        usage: aasa-monitor-bench [check] [file] [store]
               aasa-monitor-bench device [--monitor PATH]
               aasa-monitor-bench sweep [--domains N] [--monitor PATH]
               aasa-monitor-bench steady [--domains N] [--interval SECONDS] [--settle INTERVALS] [--soak MINUTES]
                                         [--record FILE] [--monitor PATH]
               aasa-monitor-bench load [--domains N] [--interval SECONDS] [--monitor PATH]
               aasa-monitor-bench plot --record FILE
        """

    /// nil if the arguments are wrong.
    init?(_ arguments: [String]) {
        var chosen: [Command] = []
        var rest = arguments[...]
        while let word = rest.popFirst() {
            if let command = Command(rawValue: word) {
                chosen.append(command)
                continue
            }
            guard let value = rest.popFirst() else { return nil }
            switch (word, Int(value)) {
            case ("--domains", let count?) where (1...100_000).contains(count): domains = count
            case ("--interval", let seconds?) where (1...86_400).contains(seconds): interval = seconds
            case ("--settle", let intervals?) where (1...100).contains(intervals): settle = intervals
            case ("--soak", let minutes?) where (1...10_000).contains(minutes): soak = minutes
            case ("--record", _): record = value
            case ("--monitor", _): monitor = value
            default: return nil
            }
        }
        if !chosen.isEmpty { commands = chosen }
        if commands.contains(.plot), record == nil { return nil }
    }

    /// The path of the monitor; by default the one next to this program.
    func program() throws -> String {
        let here = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let path = monitor ?? URL(filePath: here).deletingLastPathComponent().appending(path: "aasa-monitor").path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw BenchFault("\(path) missing; run 'swift build -c release --product aasa-monitor'")
        }
        return path
    }

    /// Adds figures to the record, if there is one.
    func note(_ figures: [String: Double]) throws {
        guard let record else { return }
        var line = try JSONSerialization.data(withJSONObject: figures.filter { !$0.value.isNaN }, options: .sortedKeys)
        line.append(UInt8(ascii: "\n"))
        let old = (try? Data(contentsOf: URL(filePath: record))) ?? Data()
        try (old + line).write(to: URL(filePath: record))
    }
}
