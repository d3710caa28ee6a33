import Evidence
import Foundation
import MonitorConfiguration

/// Reads TARGET arguments: domains, URLs, entitlements, `@FILE` and `-` with one target a line.
enum Targets {
    /// More than this is no list of targets.
    private static let maximumFileSize = 16 * 1024 * 1024

    /// Targets in the order given, each once.
    /// - Throws: `CommandFailure` with every target that cannot be read, not only the first.
    static func read(_ arguments: [String]) throws -> [Target] {
        var texts: [(text: String, place: String?)] = []
        for argument in arguments {
            if argument == "-" {
                let list = try content(SmallFile.standardInput)
                texts += lines(of: list, place: "standard input")
            } else if argument.hasPrefix("@") {
                let path = String(argument.dropFirst())
                texts += lines(
                    of: try content { limit throws(ConfigurationFileUnreadable) in
                        try SmallFile.bytes(at: path, limit: limit)
                    }, place: path)
            } else {
                texts.append((argument, nil))
            }
        }
        var targets: [Target] = []
        var seen: Set<Target> = []
        var faults: [String] = []
        for (text, place) in texts {
            do {
                let target = try Target(parsing: text)
                if seen.insert(target).inserted { targets.append(target) }
            } catch {
                faults.append(place.map { "\($0): \(error)" } ?? "\(error)")
            }
        }
        guard faults.isEmpty else { throw CommandFailure(.usage, faults.joined(separator: "\n")) }
        guard !targets.isEmpty else {
            throw CommandFailure(.usage, "there is no target; name a domain, such as example.com")
        }
        return targets
    }

    /// - Throws: `CommandFailure` where the file cannot be read, or has no end in sight.
    private static func content(
        _ read: (Int) throws(ConfigurationFileUnreadable) -> [UInt8]
    ) throws(CommandFailure) -> [UInt8] {
        let bytes: [UInt8]
        do {
            bytes = try read(maximumFileSize + 1)
        } catch {
            throw CommandFailure(.noInput, "the list of targets: \(error.description.displayable)")
        }
        guard bytes.count <= maximumFileSize else {
            throw CommandFailure(.noInput, "the list of targets is larger than \(maximumFileSize >> 20) MiB")
        }
        return bytes
    }

    /// One target a line; blank lines and what follows a `#` are skipped.
    private static func lines(of bytes: [UInt8], place: String) -> [(text: String, place: String?)] {
        String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).enumerated().compactMap {
            index, line in
            let text = line.prefix { $0 != "#" }.trimmingCharacters(in: .whitespaces)
            return text.isEmpty ? nil : (text, "\(place), line \(index + 1)")
        }
    }
}
