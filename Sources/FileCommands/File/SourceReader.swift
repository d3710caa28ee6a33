import AASA
import ArgumentParser
import Evidence
import Facts
import Foundation

/// How a command reaches sites and Apple's CDN, with the options for it.
package protocol Remote: ParsableArguments {
    static var isReachable: Bool { get }
    /// The help's sentence about a SOURCE. `example`: one that needs the network.
    static func sourceHelp(_ example: String?) -> String
    /// Completes the name of a domain.
    static var domainCompletion: CompletionKind { get }

    /// - Throws: `CommandFailure` if an option is wrong.
    func check() throws

    /// The bytes of each source, or why it cannot be read. `sources`: domains and Apple's copies; may be empty.
    /// - Throws: `CommandFailure` for a usage error.
    func read(_ sources: [FileSource]) async throws -> [FileSource: Result<SourceText, CommandFailure>]

    /// Checks each domain in the target's mode. `asksCDN`: asks Apple's CDN even if the origin has no file yet.
    /// - Throws: `CommandFailure`.
    func sites(of targets: [Target], asksCDN: Bool) async throws -> [Target: any AuditedSite]
}

/// A build without the network.
struct FilesOnly: Remote {
    static let isReachable = false
    static let domainCompletion = CompletionKind.default
    static func sourceHelp(_ example: String?) -> String { "A SOURCE is a path, or - for standard input." }

    func check() {}

    func read(_ sources: [FileSource]) -> [FileSource: Result<SourceText, CommandFailure>] {
        var result: [FileSource: Result<SourceText, CommandFailure>] = [:]
        for source in sources {
            guard let domain = source.domain else { continue }
            let url = if case .cdn = source { "\(AppleCDN.baseURL)/\(domain)" } else { domain.wellKnownURL }
            result[source] = .failure(
                CommandFailure(
                    .noInput,
                    "there is no file '\(source)', and this build reads files only: save the file of a domain with "
                        + "'curl -f -o FILE \(url)' and name FILE"))
        }
        return result
    }

    func sites(of targets: [Target], asksCDN: Bool) throws -> [Target: any AuditedSite] {
        throw CommandFailure(
            .usage, "this build reads files only: add --offline, and --file DOMAIN=PATH for each domain's file")
    }
}

/// Reads sources; uses the network only if one of them needs it.
struct SourceReader {
    let remote: any Remote

    /// The bytes of each source, in the order given.
    /// - Throws: `CommandFailure`: 66 for a source that cannot be read. Exit code 1 is for findings in readable
    ///   sources.
    func read(_ texts: [String]) async throws -> [SourceText] {
        // A missing file is reported before any request is sent.
        for text in texts { _ = try FileSource(parsing: text) }
        return try await readEach(texts).map { text in
            try text.mapError { $0.exit == .found ? CommandFailure(.noInput, $0.message) : $0 }.get()
        }
    }

    /// The bytes of each source, or why there are none, in the order given. A source that cannot be read does not
    /// affect the others.
    /// - Throws: `CommandFailure` for a usage error.
    func readEach(_ texts: [String]) async throws -> [Result<SourceText, CommandFailure>] {
        try remote.check()
        let sources = try texts.map { text in try orFailure { try FileSource(parsing: text) } }
        let named = sources.compactMap { try? $0.get() }
        guard named.count(where: { $0 == .standardInput }) <= 1 else {
            throw CommandFailure(.usage, "standard input can be read only once")
        }
        let read = try await remote.read(named.filter(\.isRemote))
        return try sources.map { source in
            try orFailure {
                let source = try source.get()
                return try read[source]?.get() ?? SourceText(local: source)
            }
        }
    }

    /// The value of a closure, or its failure if the source cannot be read. A usage error is thrown.
    private func orFailure<Value>(_ body: () throws -> Value) throws -> Result<Value, CommandFailure> {
        do {
            return .success(try body())
        } catch let failure as CommandFailure where failure.exit != .usage {
            return .failure(failure)
        }
    }
}

/// A SOURCE of the command line: a path, standard input, a domain's origin, or Apple's copy of it.
package enum FileSource: Hashable, Sendable, CustomStringConvertible {
    case path(String)
    case standardInput
    case origin(Domain)
    case cdn(Domain)

    /// Reads `-`, `cdn:DOMAIN`, a path or a domain. An existing file is a file, whatever its name. A folder may have
    /// the name of a domain, and a missing `aasa.json` is not a domain.
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
            // Reading the domain would give another file.
            if let link = target.link {
                throw CommandFailure(
                    .usage,
                    "'\(link.displayable.shortened(to: 200))' is not where devices read the file of \(target.domain); they read "
                        + "\(target.domain.wellKnownURL). To read that file, name \(target.domain). To read yours, save it "
                        + "with 'curl -f -o FILE URL' and name FILE")
            }
            let isCopy = text.lowercased().hasPrefix(AppleCDN.baseURL + "/")
            self = isCopy ? .cdn(target.domain) : .origin(target.domain)
        } else if exists {
            throw CommandFailure(.noInput, "'\(text.displayable)' is a folder; name the file in it")
        } else {
            throw CommandFailure(.noInput, "there is no file '\(text.displayable)', and it is not a domain")
        }
    }

    /// Whether a name has the ending of a file, which no domain has: https://www.iana.org/domains/root/db
    private static func isNamedAsFile(_ text: String) -> Bool {
        let endings = [".json", ".aasa", ".txt", ".yaml", ".yml", ".html", ".plist", ".bak", ".orig", ".tmp"]
        return !text.contains("://") && endings.contains { text.lowercased().hasSuffix($0) }
    }

    static func domain(_ text: String) throws -> Domain {
        do {
            return try Target(parsing: text).domain
        } catch {
            throw CommandFailure(.usage, "\(error)")
        }
    }

    /// Its name in messages.
    package var description: String {
        switch self {
        case .path(let path): path
        case .standardInput: "<stdin>"
        case .origin(let domain): domain.name
        case .cdn(let domain): "cdn:\(domain)"
        }
    }

    var isRemote: Bool { domain != nil }

    /// Whose file it is, if known.
    var domain: Domain? {
        switch self {
        case .path, .standardInput: nil
        case .origin(let domain), .cdn(let domain): domain
        }
    }
}

/// The bytes of a source.
package struct SourceText: Sendable {
    let source: FileSource
    let bytes: [UInt8]
    /// Where it was read; nil for what did not come from the network.
    var url: String?

    var name: String { source.description }

    package init(source: FileSource, bytes: [UInt8], url: String? = nil) {
        (self.source, self.bytes, self.url) = (source, bytes, url)
    }

    /// Reads a file or standard input.
    /// - Throws: `CommandFailure`.
    init(local source: FileSource) throws {
        let bytes: [UInt8]
        do {
            switch source {
            case .path(let path): bytes = try SmallFile.bytes(at: path, limit: Self.limit + 1)
            case .standardInput: bytes = try SmallFile.standardInput(limit: Self.limit + 1)
            case .origin, .cdn: throw CommandFailure(.software, "\(source) was not read")
            }
        } catch let error as UnreadableFile {
            throw CommandFailure(.noInput, error.description.displayable)
        }
        guard bytes.count <= Self.limit else {
            throw CommandFailure(
                .noInput,
                "'\(source)'".displayable + " is larger than \(Self.limit >> 20) MiB; devices read "
                    + "\(AssociationFile.sizeLimit >> 10) KiB at most")
        }
        self.init(source: source, bytes: bytes)
    }

    /// How devices read the bytes.
    enum Content: Sendable {
        case file(AssociationFile)
        /// Devices ignore it; the reason, with the place.
        case nothing(String)

        var file: AssociationFile? {
            if case .file(let file) = self { file } else { nil }
        }
    }

    /// - Throws: `CommandFailure` if we do not know how devices read the bytes.
    func content() throws -> Content {
        guard bytes.count <= AssociationFile.sizeLimit else {
            let (size, limit) = (bytes.count.grouped, AssociationFile.sizeLimit.grouped)
            return .nothing("\(name): the file has \(size) bytes, but devices read up to \(limit)".displayable)
        }
        do {
            let file = try AssociationFile(parsing: bytes)
            guard file.document.root.members != nil else {
                return .nothing("\(name): the outermost value is not a JSON object".displayable)
            }
            return .file(file)
        } catch {
            // Devices can read a signed file and we cannot, so the result is unknown.
            if Linter.lint(bytes).findings.contains(where: { $0.rule == "signed-file" }) {
                let reason = "the file is CMS-signed, and aasa-monitor cannot read what is inside; give the plain JSON"
                throw CommandFailure(.noInput, "\(name): \(reason)".displayable)
            }
            if error.cause == .tooDeep { throw CommandFailure(.noInput, "\(name):\(error)".displayable) }
            return .nothing("\(name):\(error); 'aasa-monitor lint' shows more".displayable)
        }
    }

    /// A larger file is not an association file; devices read 128 KiB.
    static let limit = 16 * 1024 * 1024
}
