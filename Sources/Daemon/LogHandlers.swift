// How log lines look: one line each, on standard error, as text for people and journals or as JSON for collectors.

import Evidence
import Foundation
import Logging
import MonitorConfiguration

package enum MonitorLog {
    /// A logger as the configuration wants it.
    package static func logger(_ settings: LogSettings) -> Logger {
        var logger = Logger(label: "aasa-monitor") { _ in LineLogHandler(isJSON: settings.format == .json) }
        logger.logLevel = Logger.Level(rawValue: settings.level.rawValue) ?? .info
        return logger
    }
}

struct LineLogHandler: LogHandler {
    let isJSON: Bool
    var logLevel: Logger.Level = .info
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var fields: [String: String] = [:]
        for (key, value) in metadata.merging(event.metadata ?? [:], uniquingKeysWith: { _, new in new }) {
            fields[key] = "\(value)"
        }
        let time = Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        let line =
            isJSON
            ? Self.json(time, event.level, "\(event.message)", fields)
            : Self.text(time, event.level, "\(event.message)", fields)
        LogSink.shared.write(line)
    }

    private static func text(_ time: String, _ level: Logger.Level, _ message: String, _ fields: [String: String])
        -> String
    {
        let pairs = fields.sorted { $0.key < $1.key }.map { key, value in
            let clean = value.displayable
            return clean.contains(where: { $0 == " " || $0 == "\"" }) ? "\(key)=\"\(clean)\"" : "\(key)=\(clean)"
        }
        return ([time, level.rawValue, message.displayable] + pairs).joined(separator: " ")
    }

    private static func json(_ time: String, _ level: Logger.Level, _ message: String, _ fields: [String: String])
        -> String
    {
        var object = fields
        object["time"] = time
        object["level"] = level.rawValue
        object["message"] = message
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(object)).map { String(decoding: $0, as: UTF8.self) } ?? message
    }
}
