// Every surface of a monitor at one moment, as files: the output of the command line, the API, the pages, the metrics,
// and what receivers got.

import Alerting
import ArgumentParser
import Evidence
import Facts
import Foundation
import Monitoring
import Report
import Stage
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Commands
@testable import FileCommands
@testable import StatusServer

struct Surfaces {
    /// By file name.
    private(set) var files: [String: String] = [:]

    /// The server's description of its answers.
    private(set) var openAPI = ""

    init(_ monitor: GoldenMonitor) async throws {
        try addCheck(monitor)
        let local = try await Self.commands(API(monitor.store, now: StageState.now))
        files.merge(local) { $1 }
        addMessages(monitor.receivers)
        let store = monitor.store
        let answers = Mutex<(remote: [String: String], server: [String: String])>(([:], [:]))
        try await monitor.serving { port in
            let remote = try RemoteMonitor(url: "http://127.0.0.1:\(port)", tokenFile: nil, caFile: nil)
            let found = try await remote.close(after: { try await Self.commands(remote) })
            let server = try await Self.answers(port, store)
            answers.withLock { $0 = (found, server) }
        }
        let (remote, server) = answers.withLock(\.self)
        for (name, text) in local {
            #expect(remote[name] == text, "\(name) of --url differs from --store")
        }
        // A document that commands and the API share must be the same.
        for (name, answer) in server {
            #expect(files[name] == nil || files[name] == answer, "\(name) of the API differs from the command")
            files[name] = answer
        }
        openAPI = files.removeValue(forKey: "openapi.json") ?? ""
    }

    // MARK: - The command line

    /// As if the output is not a terminal.
    private static let style = TextStyle(isColoured: false, breaksDiagnosis: false)

    private mutating func addCheck(_ monitor: GoldenMonitor) throws {
        let domain = try Domain(StageState.domain)
        let observation = try #require(monitor.probe.last(domain))
        var verdict = try #require(monitor.known[domain]?.verdict)
        verdict.comparison.changedAt? += StageTime.ahead
        verdict.comparison.changedAfter? += StageTime.ahead
        let report = CheckReport(
            observation: observation, readings: Readings(observation), verdict: verdict,
            cdnURL: "https://app-site-association.cdn-apple.com/a/v1/\(domain)")
        var plugin = PluginOutput()
        plugin.add(report)
        let line = report.json.text(isPretty: false)
        files["check.txt"] = report.text(style: Self.style)
        files["check.json"] = report.json.text(isPretty: true)
        files["check.md"] = report.markdown
        files["check.github.txt"] = report.annotations.joined(separator: "\n")
        files["check.nagios.txt"] = "\(plugin.text)\nexit code \(plugin.status.pluginCode)"
        #expect(!line.contains("\n") && Readable.json(line) == Readable.json(report.json.text(isPretty: true)))
    }

    /// What they print about a store, or about a daemon.
    private static func commands(_ api: any MonitorAPI) async throws -> [String: String] {
        let now = StageState.now
        var files: [String: String] = [:]
        let domains = try await api.domains(SummaryFilter(), limit: 1000).domains
        let overview = Overview(try await api.status(), domains, wall: now)
        files["status.txt"] = StatusText(overview, style: style, now: now).text
        files["status-short.txt"] = StatusText(overview, isShort: true, style: style, now: now).text
        let plugin = PluginOutput(overview, now: now)
        files["status.nagios.txt"] = "\(plugin.text)\nexit code \(plugin.status.pluginCode)"
        let incidents = try await IncidentsCommand.asyncParse(["--all"]).find(api, now)
        files["incidents.txt"] = IncidentsText(incidents, isPast: true, style: style, now: now).text
        var details: [DomainDetail] = []
        for name in domains.map(\.domain).sorted() { details.append(try await api.domain(Domain(name))) }
        files["status.json"] = try json(details)
        if let history = try? await api.history(of: Domain(StageState.domain), limit: 20) {
            files["history.txt"] = HistoryText(history, style: style, now: now).text
            files["history.json"] = try json(history)
        }
        let deliveries = try await api.deliveries(DeliveryQuery(limit: 100))
        files["deliveries.txt"] =
            ([DeliveryListing.text(deliveries.deliveries)] + deliveries.pending.map(DeliveryListing.text))
            .joined(separator: "\n")
        files["deliveries.json"] = try json(deliveries.deliveries)
        if let last = deliveries.deliveries.last {
            let message = try await api.message(named: String(last.id))
            files["delivery.txt"] = DeliveryListing.text(message)
            files["delivery.json"] = try json(message)
        }
        files["silences.txt"] = SilenceList.text(try await api.silences().silences, now: now)
        return files
    }

    private static func json(_ value: some Encodable) throws -> String { Readable.json(try ReportJSON.text(value)) }

    // MARK: - Messages

    private mutating func addMessages(_ receivers: Receivers) {
        for (host, name) in [("hook.test", "webhook.txt"), ("chat.test", "slack.txt")] {
            files[name] = receivers.got(host).map { request in
                let head = ["POST \(request.url)"]
                let headers = request.headers.map { "\($0.name): \($0.value)" }
                let body = Readable.json(String(decoding: request.body, as: UTF8.self))
                return (head + headers + ["", body]).joined(separator: "\n")
            }.joined(separator: "\n\n")
                // Each store has a random key.
                .replacing(/(\?link=[^~"]+~[^~"]+~[^~"]+~)[0-9a-f]+/) { "\($0.1)SIGNATURE" }
        }
    }

    // MARK: - The server

    private static func answers(_ port: Int, _ store: Store) async throws -> [String: String] {
        let api = "/api/v1"
        let domain = StageState.domain
        var files: [String: String] = [:]
        func add(_ name: String, _ path: String, _ readable: (String) -> String) async throws {
            let answer = try await ask(port, path)
            let text = answer.status == 200 ? readable(answer.body) : Readable.refusal(answer.body)
            files[name] = answer.status == 200 ? text : "status \(answer.status)\n\(text)"
        }
        try await add("openapi.json", "/openapi.json", \.self)
        try await add("api-status.json", "\(api)/status", Readable.json)
        try await add("api-domains.json", "\(api)/domains", Readable.json)
        try await add("api-domain.json", "\(api)/domains/\(domain)", Readable.json)
        try await add("history.json", "\(api)/domains/\(domain)/history?limit=20", Readable.json)
        try await add("api-incidents.json", "\(api)/incidents", Readable.json)
        try await add("api-deliveries.json", "\(api)/deliveries", Readable.json)
        try await add("api-silences.json", "\(api)/silences", Readable.json)
        if let last = try await store.deliveries(domain: nil, limit: 100).last {
            try await add("delivery.json", "\(api)/deliveries/\(last.id)", Readable.json)
        }
        try await add("readyz.txt", "/readyz", \.self)
        try await add("metrics.txt", "/metrics", Readable.metrics)
        try await add("badge.svg", "/badge/\(domain).svg", Readable.html)
        try await add("page-domains.html", "/", Readable.html)
        try await add("page-domain.html", "/domains/\(domain)", Readable.main)
        for part in ["changes", "edges", "history", "findings", "evidence"] {
            // The first part has the top, which all parts share.
            try await add("page-domain-\(part).html", "/domains/\(domain)/\(part)") {
                Readable.main($0, from: #"<nav class="tabs""#)
            }
        }
        try await add("page-incidents.html", "/incidents", Readable.main)
        var newest = IncidentQuery(limit: 100)
        newest.hasPending = true
        let incidents = try await store.incidents(newest).map(\.incident)
        if let incident = incidents.min(by: { ($1.openedAt, $0.id) < ($0.openedAt, $1.id) }) {
            try await add("api-incident.json", "\(api)/incidents/\(incident.id)", Readable.json)
            try await add("page-incident.html", "/incidents/\(incident.id)", Readable.main)
        }
        return files
    }
}
