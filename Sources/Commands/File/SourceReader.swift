import AASA
import Curl
import Evidence
import Foundation
import MonitorConfiguration
import Probing

/// Reads sources; opens the network only where one of them needs it.
struct SourceReader {
    let network: NetworkOptions
    let configuration: ConfigurationFile?

    /// The bytes of each source, in the order given.
    /// - Throws: `CommandFailure`: 66 for a source that cannot be read. Exit code 1 is for what was found in sources that can.
    func read(_ texts: [String]) async throws -> [SourceText] {
        // A missing file is reported before any request is sent.
        for text in texts { _ = try FileSource(parsing: text) }
        return try await readEach(texts).map { text in
            try text.mapError { $0.exit == .found ? CommandFailure(.noInput, $0.message) : $0 }.get()
        }
    }

    /// The bytes of each source, or why there are none, in the order given: one that cannot be read takes nothing from the
    /// others.
    /// - Throws: `CommandFailure` where the question itself is at fault.
    func readEach(_ texts: [String]) async throws -> [Result<SourceText, CommandFailure>] {
        try network.connections.checkFiles()
        let sources = try texts.map { text in try orFailure { try FileSource(parsing: text) } }
        let named = sources.compactMap { try? $0.get() }
        guard named.count(where: { $0 == .standardInput }) <= 1 else {
            throw CommandFailure(.usage, "standard input can be read only once")
        }
        guard named.contains(where: \.isRemote) else {
            return try sources.map { source in try orFailure { try readLocal(source.get()) } }
        }
        let checker = try OneShotChecker(
            connections: network.connections, timeout: network.timeout, asksCDN: true, targets: named.count,
            configuration: configuration)
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

    /// What a closure gives, or how it failed for want of a readable source.
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
