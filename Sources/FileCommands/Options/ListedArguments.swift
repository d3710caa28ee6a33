import Evidence
import Foundation
import Facts

/// Arguments that may come from a list: `@FILE` and `-` have one per line.
package struct ListedArguments {
    /// What messages call them.
    let noun: String
    /// Whether a `#` begins a comment anywhere in a line. In a URL it begins the fragment; there only a line that
    /// begins with `#` is a comment.
    let hasCommentsAtLineEnds: Bool

    package init(noun: String, hasCommentsAtLineEnds: Bool) {
        (self.noun, self.hasCommentsAtLineEnds) = (noun, hasCommentsAtLineEnds)
    }

    /// A larger file is not a list.
    private static let maximumFileSize = 16 * 1024 * 1024

    /// An argument, and its place in a list.
    package struct Entry {
        package let text: String
        private let place: String?

        fileprivate init(_ text: String, _ place: String? = nil) { (self.text, self.place) = (text, place) }

        /// What is wrong with it, with its place.
        package func fault(_ words: String) -> String { place.map { "\($0.displayable): \(words)" } ?? words }
    }

    /// All of them, in the order given.
    /// - Throws: `CommandFailure` if a list cannot be read, or is too large.
    package func read(_ arguments: [String]) throws(CommandFailure) -> [Entry] {
        var entries: [Entry] = []
        for argument in arguments {
            if argument == "-" {
                entries += lines(of: try content(SmallFile.standardInput), place: "standard input")
            } else if argument.hasPrefix("@") {
                let path = String(argument.dropFirst())
                let bytes = try content { limit throws(UnreadableFile) in
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
        _ read: (Int) throws(UnreadableFile) -> [UInt8]
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

    /// Skips empty lines and comments.
    private func lines(of bytes: [UInt8], place: String) -> [Entry] {
        // A Windows line break is one character. Empty lines count for the line numbers.
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
