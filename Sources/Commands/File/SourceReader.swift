import AASA
import Curl
import Evidence
import Facts
import Foundation
import MonitorConfiguration
import Probing

/// Reads sources; uses the network only if one of them needs it.
struct SourceReader {
    let connections: ConnectionOptions
    let timeLimit: TimeLimitOption
    /// How the network is reached.
    let configuration: ConfigurationOptions

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
        try connections.checkFiles()
        let sources = try texts.map { text in try orFailure { try FileSource(parsing: text) } }
        let named = sources.compactMap { try? $0.get() }
        guard named.count(where: { $0 == .standardInput }) <= 1 else {
            throw CommandFailure(.usage, "standard input can be read only once")
        }
        let isRemote = named.contains(where: \.isRemote)
        let file = try configuration.loadIfPresent(isOfUse: isRemote)
        guard isRemote else {
            return try sources.map { source in try orFailure { try readLocal(source.get()) } }
        }
        let checker = try OneShotChecker(
            connections: connections, timeout: timeLimit.timeout, asksCDN: true, targets: named.count,
            configuration: file)
        return try await checker.close(after: {
            var result: [Result<SourceText, CommandFailure>] = []
            for source in sources {
                do {
                    result.append(.success(try await read(source.get(), with: checker.probe)))
                } catch let failure as CommandFailure {
                    result.append(.failure(failure))
                }
            }
            return result
        })
    }

    /// The value of a closure, or its failure if the source cannot be read. A usage error is thrown.
    private func orFailure<Value>(_ body: () throws -> Value) throws -> Result<Value, CommandFailure> {
        do {
            return .success(try body())
        } catch let failure as CommandFailure where failure.exit != .usage {
            return .failure(failure)
        }
    }

    private func readLocal(_ source: FileSource) throws -> SourceText {
        let bytes: [UInt8]
        do {
            if case .path(let path) = source {
                bytes = try SmallFile.bytes(at: path, limit: SourceText.limit + 1)
            } else {
                bytes = try SmallFile.standardInput(limit: SourceText.limit + 1)
            }
        } catch {
            throw CommandFailure(.noInput, error.description.displayable)
        }
        guard bytes.count <= SourceText.limit else {
            throw CommandFailure(
                .noInput,
                "'\(source)'".displayable + " is larger than \(SourceText.limit >> 20) MiB; devices read "
                    + "\(AssociationFile.sizeLimit >> 10) KiB at most")
        }
        return SourceText(source: source, bytes: bytes)
    }

    private func read(_ source: FileSource, with probe: DomainProbe) async throws -> SourceText {
        let (retrieval, body): (Retrieval, Data?)
        let (place, url): (String, String)
        switch source {
        case .cdn(let domain):
            (retrieval, body) = try await probe.copy(of: domain)
            place = "Apple's CDN"
            url = probe.cdnURL(of: domain)
        case .origin(let domain):
            (retrieval, body) = try await probe.original(of: domain)
            place = "the origin of \(domain)"
            url = domain.wellKnownURL
        case .path, .standardInput:
            return try readLocal(source)
        }
        switch retrieval.outcome {
        case .failed(let failure):
            throw CommandFailure(.found, "\(place) could not be read: \(failure.detail.displayable)")
        case .answered(let answer):
            guard answer.status == 200, let body else {
                let reason = CrawlerFailure(answer).map { "; Apple says: \($0.code ?? "") \($0.reason)" } ?? ""
                let what = answer.status == 200 ? "did not send the whole file" : "answers with status \(answer.status)"
                throw CommandFailure(.found, "\(place) \(what)\(reason); 'aasa-monitor check' shows more")
            }
            return SourceText(source: source, bytes: Array(body), url: url)
        }
    }
}

/// A SOURCE of the command line: a path, standard input, a domain's origin, or Apple's copy of it.
enum FileSource: Hashable, CustomStringConvertible {
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
                        + "with 'curl -o FILE URL' and name FILE")
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

    private static func domain(_ text: String) throws -> Domain {
        do {
            return try Target(parsing: text).domain
        } catch {
            throw CommandFailure(.usage, "\(error)")
        }
    }

    /// Its name in messages.
    var description: String {
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
struct SourceText: Sendable {
    let source: FileSource
    let bytes: [UInt8]
    /// Where it was read; nil for what did not come from the network.
    var url: String?

    var name: String { source.description }

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
