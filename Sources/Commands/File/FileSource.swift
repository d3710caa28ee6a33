// Where a file comes from: a path, standard input, a domain's origin, or Apple's copy of it.

import Evidence
import Foundation

/// A SOURCE of the command line.
enum FileSource: Hashable, CustomStringConvertible {
    case path(String)
    case standardInput
    case origin(Domain)
    case cdn(Domain)

    /// Reads `-`, `cdn:DOMAIN`, a path or a domain. What exists as a file is a file, whatever it is called.
    /// - Throws: `CommandFailure`.
    init(parsing text: String) throws {
        if text == "-" {
            self = .standardInput
        } else if text.hasPrefix("cdn:") {
            self = .cdn(try Self.domain(String(text.dropFirst("cdn:".count))))
        } else if FileManager.default.fileExists(atPath: text) {
            self = .path(text)
        } else if let target = try? Target(parsing: text) {
            self = .origin(target.domain)
        } else {
            throw CommandFailure(.noInput, "there is no file '\(text.displayable)', and it is no domain either")
        }
    }

    private static func domain(_ text: String) throws -> Domain {
        do {
            return try Target(parsing: text).domain
        } catch {
            throw CommandFailure(.usage, "\(error)")
        }
    }

    /// As messages name it.
    var description: String {
        switch self {
        case .path(let path): path
        case .standardInput: "<stdin>"
        case .origin(let domain): domain.name
        case .cdn(let domain): "cdn:\(domain)"
        }
    }

    var isRemote: Bool {
        switch self {
        case .path, .standardInput: false
        case .origin, .cdn: true
        }
    }
}

/// The bytes of a source.
struct SourceText: Sendable {
    let source: FileSource
    let bytes: [UInt8]

    var name: String { source.description }

    /// Larger than this is no such file; devices read 128 KiB.
    static let limit = 16 * 1024 * 1024
}
