// A daemon on a stage: its configuration, its starts and stops, and what its receivers got.

import Foundation
import Lab
import LabFaults
import Testing
import TestSupport

/// One daemon and its store, over any number of starts.
struct Watch: Sendable {
    let stage: Stage
    /// The name of the configuration file in the stage's folder.
    let file: String

    /// 32 bytes, in the form of the configuration, and in hexadecimal for openssl.
    static let secret = "whsec_" + Data((0..<32).map { UInt8($0 * 7 % 256) }).base64EncodedString()
    static let secretInHex = (0..<32).map { String(format: "%02x", $0 * 7 % 256) }.joined()

    struct Settings {
        var interval = "300ms"
        /// Longer than any test: a lagging copy must not open an incident on a slow machine. Tests of such incidents
        /// use `soon`.
        var staleAfter = "1h"
        /// Long enough for every request that gets an answer, however busy the machine is.
        var timeout = "60s"
        var store = "monitor.db"
        var listen = "127.0.0.1:0"
        /// More keys of `server`, each after a comma.
        var server = ""
        /// Rules under `defaults.ignore`. On a busy machine any origin is slow.
        var ignored = ["{rule: origin.slow, reason: a busy machine}"]
        /// More lines of `defaults`, each indented by two spaces.
        var defaults = ""
        /// Most tests expect one immediate message per incident.
        var groupWait = "0s"
        /// More lines of `alerts`, each indented by two spaces.
        var alerts = ""
        var network: String?
        /// More lines of the file.
        var more = ""
        /// Lines under `channels`, each indented by four spaces.
        var channels: [String] = []
    }

    /// For tests about a lagging copy.
    static let soon = "2s"

    static func webhook(_ url: String, name: String = "hook") -> String {
        #"    - {name: \#(name), type: webhook, url: "\#(url)", secret: "\#(secret)"}"#
    }

    static func slack(_ url: String, name: String = "chat") -> String {
        #"    - {name: \#(name), type: slack, url: "\#(url)"}"#
    }

    /// Writes the configuration.
    init(_ stage: Stage, _ domains: [String], _ settings: Settings, file: String = "monitor.yaml") throws {
        self.stage = stage
        self.file = file
        let channels = settings.channels.isEmpty ? " []" : "\n" + settings.channels.joined(separator: "\n")
        try stage.write(
            file,
            """
            version: 1
            defaults:
              interval: \(settings.interval)
              stale_after: \(settings.staleAfter)
              timeout: \(settings.timeout)
              ignore: [\(settings.ignored.joined(separator: ", "))]
            \(settings.defaults)
            domains: [\(domains.joined(separator: ", "))]
            network:
              ca_file: \(stage.lab.caFile)
            \(settings.network ?? "  connect_to: [\"\(stage.lab.connectTo)\"]")
            cdn: {base_url: "\(stage.lab.cdnBaseURL)", requests_per_second: 1000}
            alerts:
              group_wait: \(settings.groupWait)
            \(settings.alerts)
              channels:\(channels)
            store: {path: \(settings.store)}
            server: {listen: "\(settings.listen)"\(settings.server)}
            \(settings.more)
            """)
    }

    /// Starts the daemon; `errors` gets standard error instead of a file.
    func start(errors: FileHandle? = nil) throws -> MonitorProcess {
        try stage.start(["run", "--config", file], errors: errors)
    }

    /// Starts, and waits until the status page listens.
    /// - Returns: the process and the page's address.
    func started() async throws -> (MonitorProcess, page: String) {
        let process = try start()
        var page = ""
        try await until("the status page", seen: { process.errors }) {
            guard let range = process.errors.firstRange(of: /status page at (http[^ \n]+)/) else {
                return process.end != nil
            }
            page = String(process.errors[range].dropFirst("status page at ".count))
            return true
        }
        try #require(process.end == nil, "\(process.errors)")
        return (process, page)
    }

    /// Fills the store as a daemon would that checks each domain once.
    func past(of hosts: [String]) async throws {
        let process = try start()
        try await until("a check of \(hosts)", seen: { process.errors }) {
            let status = try await stage.run(["status", "--format", "json", "--config", file])
            let domains = (try? status.json())?.elements ?? []
            return hosts.allSatisfy { host in
                domains.contains { $0["domain"].string == host && $0["checked_at"].string != nil }
            }
        }
        process.signal(SIGTERM)
        try #require(try await process.ended() == .exit(0), "\(process.errors)")
    }

    /// Waits until the CDN has seen `count` new checks of each host begin.
    func checks(_ count: Int, of hosts: String...) async throws { try await checks(count, of: hosts) }

    func checks(_ count: Int, of hosts: [String]) async throws {
        let cdn = stage.lab.cdn
        let goals = hosts.map { cdn.requests(for: $0).count + count }
        try await until("\(count) checks of \(hosts)") {
            zip(hosts, goals).allSatisfy { cdn.requests(for: $0).count >= $1 }
        }
    }
}

extension LabReceiver {
    /// The received messages in the order of arrival.
    var messages: [Message] { received.map(Message.init) }

    /// Answers with this status from now on.
    func answers(_ status: Int, headers: [(String, String)] = []) {
        behaviour = .reply(
            LabReply(status: status, headers: headers, body: Array((status == 200 ? "ok" : "no").utf8)))
    }
}

/// One delivery of a webhook.
struct Message: Sendable {
    let id: String
    let timestamp: String
    let signature: String
    let body: Data

    init(_ delivery: LabDelivery) {
        id = delivery.header("webhook-id") ?? ""
        timestamp = delivery.header("webhook-timestamp") ?? ""
        signature = delivery.header("webhook-signature") ?? ""
        body = delivery.body
    }

    var json: JSONValue { (try? JSONValue(body)) ?? .absent }
    var type: String { json["type"].string ?? "" }
    var domain: String { json["data"]["domain"].string ?? "" }
    var kind: String { json["data"]["kind"].string ?? "" }
    var summary: String { json["data"]["summary"].string ?? "" }
    var incident: String { json["data"]["incident"]["id"].string ?? "" }
    /// The domains that it is about, including those of a digest.
    var domains: Set<String> {
        let data = json["data"]
        return Set((data["domains"].elements + [data["domain"]]).compactMap(\.string))
    }
    /// The incidents that it is about, including those of a digest.
    var incidents: Set<String> {
        let data = json["data"]
        return Set((data["incidents"].elements + [data["incident"]]).compactMap { $0["id"].string })
    }
    /// `incident.firing cdn.stale site.test`
    var gist: String { "\(type) \(kind) \(domain)" }
}

extension [Message] {
    /// The types of each incident's messages, in the order of arrival.
    var stories: [[String]] {
        Dictionary(grouping: self, by: \.incident).values.map { $0.map(\.type) }
    }

    /// Each message once, in the order of its first arrival. Throws if the same id came with another body.
    func distinct() throws -> [Message] {
        var seen: [String: Message] = [:]
        return try filter { message in
            guard let known = seen[message.id] else {
                seen[message.id] = message
                return true
            }
            guard known.body == message.body else {
                throw NeverCame(
                    what: "the same body under the same id",
                    seen: String(decoding: known.body + message.body, as: UTF8.self))
            }
            return false
        }
    }
}
