// Log output: one line each on standard error, as text for people and journals, or as JSON for collectors.

import CDispatch
import Evidence
import Foundation
import Glibc
import Logging
import MonitorConfiguration
import Monitoring

package enum MonitorLog {
    /// A logger with the configured format and level.
    package static func logger(_ settings: LogSettings) -> Logger {
        let goesToJournal = Journal.takesStandardError
        var logger = Logger(label: "aasa-monitor") { _ in
            LineLogHandler(isJSON: settings.format == .json, goesToJournal: goesToJournal)
        }
        logger.logLevel = Logger.Level(rawValue: settings.level.rawValue) ?? .info
        return logger
    }
}

/// The journal takes a line's priority from its beginning. Without one, all lines have the same.
/// https://www.freedesktop.org/software/systemd/man/latest/sd-daemon.html
package enum Journal {
    /// Whether standard error goes to the journal, not to a file or pipe.
    package static let takesStandardError = takes(
        STDERR_FILENO, stream: ProcessInfo.processInfo.environment["JOURNAL_STREAM"])

    /// `stream`: `DEVICE:INODE` of the journal's socket, as systemd gives it.
    static func takes(_ descriptor: Int32, stream: String?) -> Bool {
        var status = stat()
        guard let stream, fstat(descriptor, &status) == 0 else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }

    /// `<3>` and the like: the levels of syslog.
    package static func priority(_ level: Logger.Level) -> String {
        switch level {
        case .trace, .debug: "<7>"
        case .info: "<6>"
        case .notice: "<5>"
        case .warning: "<4>"
        case .error: "<3>"
        case .critical: "<2>"
        }
    }
}

struct LineLogHandler: LogHandler {
    let isJSON: Bool
    var goesToJournal = false
    var logLevel: Logger.Level = .info
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let fields = metadata.merging(event.metadata ?? [:]) { _, new in new }
        let time = Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        let line =
            isJSON
            ? Self.json(time, event.level, "\(event.message)", fields)
            : Self.text(time, event.level, "\(event.message)", fields)
        Self.write((goesToJournal ? Journal.priority(event.level) : "") + line + "\n")
    }

    /// Writes a whole line, in one call if possible. If nobody reads standard error, or the disk is full, the line is
    /// lost: that must not end the daemon.
    private static func write(_ line: String) {
        var bytes = Array(line.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            guard written > 0 || errno == EINTR else { return }
            bytes = bytes.dropFirst(max(0, written))
        }
    }

    /// logfmt, the format of Go's `log/slog` and Prometheus.
    private static func text(_ time: String, _ level: Logger.Level, _ message: String, _ fields: Logger.Metadata)
        -> String
    {
        let all =
            [("time", time), ("level", level.rawValue), ("msg", message)]
            + fields.sorted { $0.key < $1.key }.map { ($0.key, "\($0.value)") }
        return all.map { key, value in "\(key)=\(quoted(value.displayable))" }.joined(separator: " ")
    }

    private static func quoted(_ value: String) -> String {
        let isPlain = !value.isEmpty && value.unicodeScalars.allSatisfy { !" \"=\\".unicodeScalars.contains($0) }
        if isPlain { return value }
        return "\"" + value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    private static func json(_ time: String, _ level: Logger.Level, _ message: String, _ fields: Logger.Metadata)
        -> String
    {
        var object: [(String, OrderedJSON)] = fields.map { key, value in
            if case .stringConvertible(let number as Int) = value { return (key, .integer(number)) }
            return (key, .string("\(value)"))
        }
        object += [("time", .string(time)), ("level", .string(level.rawValue)), ("message", .string(message))]
        return OrderedJSON.object(object.sorted { $0.0 < $1.0 }).text(isPretty: false)
    }
}

extension IncidentChange {
    /// Logs a line for each transition that somebody may be notified of. `now`: of the wall clock.
    func log(to logger: Logger, at now: Date) {
        guard let words else { return }
        var metadata: Logger.Metadata = [
            "kind": "\(incident.kind.rawValue)", "incident": "\(incident.id)",
            "severity": "\(incident.severity.rawValue)",
        ]
        if let domain = incident.domain { metadata["domain"] = "\(domain)" }
        if let reason = incident.reason { metadata["reason"] = "\(reason.rawValue)" }
        if let facts { metadata["diagnosis"] = "\(facts.text(at: now).oneLine)" }
        logger.notice("\(words)", metadata: metadata)
    }

    private var words: String? {
        if incident.kind == .change {
            if transition == .firing { return "change detected at the origin" }
            return incident.reason == .cdnCaughtUp ? "change propagated to every edge" : nil
        }
        return switch transition {
        case .opened, .recovering, .rewritten, .other, .dropped: nil
        case .firing: "incident fired"
        case .worse: "incident became worse"
        case .again: "incident came back"
        case .flapping: "incident is flapping: notifications pause until it is stable"
        case .changed: "incident changed"
        case .resolved: "incident resolved"
        }
    }
}
