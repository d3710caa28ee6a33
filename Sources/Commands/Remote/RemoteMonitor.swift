// A running daemon, asked over its API.

import Curl
import Evidence
import Foundation
import MonitorConfiguration
import Monitoring
import StatusServer

/// The daemon understood what was asked, and says no: there is no such incident, or the request has a fault.
struct RemoteRefusal: Error {
    let status: Int
    let message: String
}

struct RemoteMonitor: Sendable {
    private let driver: CurlDriver
    /// Without a slash at its end.
    private let url: String
    private let token: String?
    private let tokenFile: String?

    /// An answer may be a list of thousands.
    private static let limits = TransferLimits(
        connectTimeout: .seconds(10), totalTimeout: .seconds(30), bodyBytes: 64 * 1024 * 1024)

    /// - Throws: `CommandFailure` where the token cannot be read.
    init(url: String, tokenFile: String?) throws {
        self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
        self.tokenFile = tokenFile
        do {
            token = try tokenFile.map { try SmallFile.secret(at: $0).trimmingCharacters(in: .whitespacesAndNewlines) }
        } catch {
            throw CommandFailure(.noInput, "--token-file: \(error)")
        }
        if token?.isEmpty == true { throw CommandFailure(.noInput, "--token-file: '\(tokenFile ?? "")' is empty") }
        if token?.contains(where: \.isNewline) == true {
            throw CommandFailure(.noInput, "--token-file: '\(tokenFile ?? "")' has several lines; a token is one")
        }
        do {
            driver = try CurlDriver(maximumConcurrent: 4)
        } catch {
            throw CommandFailure(.software, "the network cannot be used: \(error.message)")
        }
    }

    /// Asks what `work` asks, then closes the connections.
    func close<Value>(after work: () async throws -> Value) async throws -> Value {
        try await driver.shutdown(after: work)
    }

    /// What `work` asked for; nil where the daemon does not know it.
    static func known<Value>(_ work: () async throws -> Value) async throws -> Value? {
        do {
            return try await work()
        } catch let refusal as RemoteRefusal where refusal.status == 404 {
            return nil
        }
    }

    /// `path`: after `/api/v1/`.
    /// - Throws: `RemoteRefusal`, `CommandFailure`.
    func get(_ path: String, _ query: [(name: String, value: String?)] = []) async throws -> Data {
        try await ask(.get, path, query)
    }

    func post(_ path: String, _ body: OrderedJSON) async throws -> Data {
        try await ask(.post(body: Data(body.text(isPretty: false).utf8)), path, [])
    }

    func delete(_ path: String) async throws -> Data { try await ask(.delete, path, []) }

    /// What an answer says.
    /// - Throws: `CommandFailure` where it has another form.
    func read<Value>(_ data: Data, _ decode: (Data) throws -> Value) throws -> Value {
        do {
            return try decode(data)
        } catch {
            throw CommandFailure(
                .software, "\(url) answers in a form that this version does not know; use the version that runs there")
        }
    }

    /// One segment of a path.
    static func segment(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "-._~")))
            ?? ""
    }

    private func ask(
        _ method: TransferRequest.Method, _ path: String, _ query: [(name: String, value: String?)]
    ) async throws -> Data {
        let wanted = query.compactMap { pair in pair.value.map { "\(pair.name)=\(Self.segment($0))" } }
        let address = "/api/v1/" + path + (wanted.isEmpty ? "" : "?" + wanted.joined(separator: "&"))
        var headers = [TransferRequest.Header(name: "Accept", value: "application/json")]
        if case .post = method { headers.append(.init(name: "Content-Type", value: "application/json")) }
        if let token { headers.append(.init(name: "Authorization", value: "Bearer \(token)")) }
        let result = try await driver.perform(
            TransferRequest(
                url: url + address, method: method, headers: headers, userAgent: Version.userAgent,
                allowPlainHTTP: url.lowercased().hasPrefix("http://"), connection: .kept, limits: Self.limits))
        return try body(of: result, at: address)
    }

    private func body(of result: TransferResult, at address: String) throws -> Data {
        if let error = result.error {
            if error.code == .timedOut, error.phase == .waiting || error.phase == .receiving {
                throw CommandFailure(
                    .software, "the daemon at \(url) takes the connection and does not answer within 30 s; see its log")
            }
            throw CommandFailure(
                .noInput,
                "no daemon answers at \(url): \(error.message.displayable); is 'aasa-monitor run' up, and is this its server.listen?"
            )
        }
        let status = result.status ?? 0
        let refusal = APIAnswer.refusal(result.body)
        // Every answer under /api/ has it.
        guard result.header("x-request-id") != nil, refusal != nil || (200...299).contains(status) else {
            throw CommandFailure(
                .noInput, "\(url) is no aasa-monitor: it answers \(address) with status \(status) in another form")
        }
        guard result.bodyEnd == .complete else {
            throw CommandFailure(.software, "the answer of \(url) is larger than 64 MiB")
        }
        guard let refusal else { return result.body }
        switch status {
        case 401 where token == nil:
            throw CommandFailure(.usage, "the daemon at \(url) wants its token: name it with --token-file FILE")
        case 401:
            throw CommandFailure(
                .usage, "the daemon at \(url) refuses the token of '\(tokenFile ?? "")'; it is not its server.token")
        case 404 where refusal == "Not Found", 405:
            throw CommandFailure(
                .software, "the daemon at \(url) has no \(address.prefix { $0 != "?" }): it is of an older version")
        case 429, 500...:
            throw CommandFailure(.software, "the daemon at \(url) cannot answer now: \(refusal.displayable)")
        default: throw RemoteRefusal(status: status, message: refusal.displayable)
        }
    }
}
