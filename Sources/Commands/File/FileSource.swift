// Where a file comes from: a path, standard input, a domain's origin, or Apple's copy of it.

import AASA
import Evidence
import Foundation

/// A SOURCE of the command line.
enum FileSource: Hashable, CustomStringConvertible {
    case path(String)
    case standardInput
    case origin(Domain)
    case cdn(Domain)

    /// Reads `-`, `cdn:DOMAIN`, a path or a domain. What exists as a file is a file, whatever it is called; a folder may
    /// be named for a domain, and a missing `aasa.json` is no domain.
    /// - Throws: `CommandFailure`.
    init(parsing text: String) throws {
        if text == "-" {
            self = .standardInput
            return
        } else if text.hasPrefix("cdn:") {
            self = .cdn(try Self.domain(String(text.dropFirst("cdn:".count))))
            return
        }
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: text, isDirectory: &isFolder)
        if exists, !isFolder.boolValue {
            self = .path(text)
        } else if !Self.isNamedAsFile(text), let target = try? Target(parsing: text) {
            self = .origin(target.domain)
        } else if exists {
            throw CommandFailure(.noInput, "'\(text.displayable)' is a folder; name the file in it")
        } else {
            throw CommandFailure(.noInput, "there is no file '\(text.displayable)', and it is no domain either")
        }
    }

    /// Whether a name ends as files do and no domain does: https://www.iana.org/domains/root/db
    private static func isNamedAsFile(_ text: String) -> Bool {
        let endings = [".json", ".aasa", ".txt", ".yaml", ".yml", ".html", ".plist", ".bak", ".orig", ".tmp"]
        return !text.contains("://") && endings.contains { text.lowercased().hasSuffix($0) }
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

    var isRemote: Bool { domain != nil }

    /// Whose file it is, where that is known.
    var domain: Domain? {
        switch self {
        case .path, .standardInput: nil
        case .origin(let domain), .cdn(let domain): domain
        }
    }
}

/// The bytes of a source.
struct SourceText: Sendable {
    let source: FileSource
    let bytes: [UInt8]
    /// Where it was read; nil for what did not come from the network.
    var url: String?

    var name: String { source.description }

    /// What the bytes say to a device.
    enum Content: Sendable {
        case file(AssociationFile)
        /// Devices take nothing from it; why, with the place.
        case nothing(String)

        var file: AssociationFile? {
            if case .file(let file) = self { file } else { nil }
        }
    }

    /// - Throws: `CommandFailure` where it is not known what devices make of the bytes.
    func content() throws -> Content {
        do {
            let file = try AssociationFile(parsing: bytes)
            guard file.document.root.members != nil else {
                return .nothing("\(name): the outermost value is not a JSON object".displayable)
            }
            guard bytes.count <= AssociationFile.sizeLimit else {
                let (size, limit) = (bytes.count.grouped, AssociationFile.sizeLimit.grouped)
                return .nothing("\(name): the file has \(size) bytes, and devices read up to \(limit)".displayable)
            }
            return .file(file)
        } catch {
            // Devices read a signed file, so nothing may be said here of what they make of it.
            if Linter.lint(bytes).findings.contains(where: { $0.rule == "signed-file" }) {
                let reason = "the file is CMS-signed, and what is inside is not read here; give the plain JSON"
                throw CommandFailure(.noInput, "\(name): \(reason)".displayable)
            }
            if error.cause == .tooDeep { throw CommandFailure(.noInput, "\(name):\(error)".displayable) }
            return .nothing("\(name):\(error); 'aasa-monitor lint' shows more".displayable)
        }
    }

    /// Larger than this is no such file; devices read 128 KiB.
    static let limit = 16 * 1024 * 1024
}
