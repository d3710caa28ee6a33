import Evidence
import Foundation
import MonitorConfiguration

/// Arguments that may stand in a list: `@FILE` and `-` have one a line.
struct ListedArguments {
    /// What they are, as messages say it.
    let noun: String
    /// Whether a `#` ends what is read of a line. In a URL it begins the fragment; there only a line that begins with one is
    /// skipped.
    let hasCommentsAtLineEnds: Bool

    /// More than this is no list.
    private static let maximumFileSize = 16 * 1024 * 1024

    /// An argument, and where it stands in a list.
    struct Entry {
        let text: String
        private let place: String?

        fileprivate init(_ text: String, _ place: String? = nil) { (self.text, self.place) = (text, place) }

        /// What is wrong with it, with its place.
        func fault(_ words: String) -> String { place.map { "\($0.displayable): \(words)" } ?? words }
    }

    /// All of them, in the order given.
    /// - Throws: `CommandFailure` where a list cannot be read, or has no end in sight.
    func read(_ arguments: [String]) throws(CommandFailure) -> [Entry] {
        var entries: [Entry] = []
        for argument in arguments {
            if argument == "-" {
                entries += lines(of: try content(SmallFile.standardInput), place: "standard input")
            } else if argument.hasPrefix("@") {
                let path = String(argument.dropFirst())
                let bytes = try content { limit throws(ConfigurationFileUnreadable) in
                    try SmallFile.bytes(at: path, limit: limit)
                }
                entries += lines(of: bytes, place: path)
            } else {
                entries.append(Entry(argument))
            }
        }
        return entries
    }

    private func content(
        _ read: (Int) throws(ConfigurationFileUnreadable) -> [UInt8]
    ) throws(CommandFailure) -> [UInt8] {
        let bytes: [UInt8]
        do {
            bytes = try read(Self.maximumFileSize + 1)
        } catch {
            throw CommandFailure(.noInput, "the list of \(noun): \(error.description.displayable)")
        }
        guard bytes.count <= Self.maximumFileSize else {
            throw CommandFailure(.noInput, "the list of \(noun) is larger than \(Self.maximumFileSize >> 20) MiB")
        }
        return bytes
    }

    /// Blank lines and comments are skipped.
    private func lines(of bytes: [UInt8], place: String) -> [Entry] {
        // A line break of Windows is one character, and empty lines count.
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let lines = String(decoding: bytes.starts(with: mark) ? bytes.dropFirst(3) : bytes[...], as: UTF8.self)
            .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return lines.enumerated().compactMap { index, line in
            let isComment = line.drop(while: \.isWhitespace).first == "#"
            let content = hasCommentsAtLineEnds || isComment ? line.prefix { $0 != "#" } : line
            let text = content.trimmingCharacters(in: .whitespaces)
            return text.isEmpty ? nil : Entry(text, "\(place), line \(index + 1)")
        }
    }
}
