// Calculates and prints figures.

import Foundation
import Glibc

/// Not buffered: a signal loses nothing.
enum Output {
    static func line(_ text: String = "") { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }

    static func error(_ text: String) { FileHandle.standardError.write(Data("aasa-monitor-bench: \(text)\n".utf8)) }

    /// Only on a terminal. Each text replaces the previous one.
    static func progress(_ text: String) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8))
    }

    /// Prints what is measured, and the conditions.
    static func heading(_ title: String, _ facts: [(name: String, text: String)]) {
        var load = 0.0
        getloadavg(&load, 1)
        let cores = ProcessInfo.processInfo.activeProcessorCount
        line("aasa-monitor-bench: \(title)\n")
        for (name, text) in [("machine", "\(cores) cores; load average before: \(load.text(1))")] + facts {
            line("\(name):".padding(toLength: 9, withPad: " ", startingAt: 0) + text)
        }
        line()
    }
}

/// Lines of cells under their heads. The first column is aligned left, all others right.
struct Table {
    private var lines: [[String]]

    init(_ heads: [String]) { lines = [heads] }

    mutating func add(_ cells: [String]) { lines.append(cells) }

    var text: String {
        let columns = lines.first?.indices ?? 0..<0
        let widths = columns.map { column in lines.map { $0[column].count }.max() ?? 0 }
        return lines.map { line in
            zip(line, widths).enumerated().map { column, cell in
                let padding = String(repeating: " ", count: cell.1 - cell.0.count)
                return column == 0 ? cell.0 + padding : padding + cell.0
            }.joined(separator: "  ")
        }.joined(separator: "\n")
    }
}

/// The median and range of one contender's runs.
struct Spread {
    let median: Double
    let least: Double
    let greatest: Double

    /// - Parameter values: an odd number of them: the median must be a real run.
    init(_ values: [Double]) {
        let sorted = values.sorted()
        median = sorted.isEmpty ? .nan : sorted[sorted.count / 2]
        least = sorted.first ?? .nan
        greatest = sorted.last ?? .nan
    }

    func text(_ digits: Int) -> String { "\(median.text(digits)) (\(least.text(digits))-\(greatest.text(digits)))" }
}

extension Double {
    func text(_ digits: Int) -> String {
        isNaN ? "-" : String(format: "%.\(digits)f", locale: Locale(identifier: "en_US_POSIX"), self)
    }
}

extension [Double] {
    /// For ascending elements; NaN if there are none.
    func quantile(_ share: Double) -> Double {
        isEmpty ? .nan : self[Swift.min(count - 1, Int(Double(count) * share))]
    }
}

extension rusage {
    /// User and system time.
    var cpu: Duration {
        .seconds(ru_utime.tv_sec + ru_stime.tv_sec) + .microseconds(ru_utime.tv_usec + ru_stime.tv_usec)
    }

    /// The CPU time of all threads of this process so far, without children.
    static var cpuOfSelf: Duration {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.cpu
    }
}
