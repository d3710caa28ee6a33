import Evidence
import Foundation

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
                let place = "standard input"
                texts += lines(of: try content(of: .standardInput, place), place: place)
            } else if argument.hasPrefix("@") {
                let path = String(argument.dropFirst())
                // A handle, since `@<(…)` of a shell names a pipe.
                let list = try content(of: FileHandle(forReadingAtPath: path), "the list of targets '\(path)'")
                texts += lines(of: list, place: path)
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
    private static func content(of file: FileHandle?, _ name: String) throws -> Data {
        var data = Data()
        do {
            guard let file else { throw CocoaError(.fileReadNoSuchFile) }
            while data.count <= maximumFileSize, let part = try file.read(upToCount: 65_536), !part.isEmpty {
                data += part
            }
        } catch {
            throw CommandFailure(.noInput, "\(name) cannot be read")
        }
        guard data.count <= maximumFileSize else {
            throw CommandFailure(.noInput, "\(name) is larger than \(maximumFileSize >> 20) MiB")
        }
        return data
    }

    /// One target a line; blank lines and what follows a `#` are skipped.
    private static func lines(of data: Data, place: String) -> [(text: String, place: String?)] {
        String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline).enumerated().compactMap {
            index, line in
            let text = line.prefix { $0 != "#" }.trimmingCharacters(in: .whitespaces)
            return text.isEmpty ? nil : (text, "\(place), line \(index + 1)")
        }
    }
}
