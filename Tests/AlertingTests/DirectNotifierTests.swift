import Evidence
import Foundation
import Logging
import Monitoring
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("Direct notifications")
    struct DirectNotifierTests {
        private let transport: ScriptedTransport
        private let notifier: DirectNotifier

        init() {
            transport = ScriptedTransport(time: ManualTime())
            notifier = DirectNotifier(
                transport: transport, userAgent: "x", wallClock: { noon },
                logger: Logger(label: "x") { _ in SwiftLogNoOpLogHandler() })
        }

        private func trouble(isAtStart: Bool = false) -> Alert {
            Alert.storeTrouble(
                since: noon - 60, outage: isAtStart ? .start : .writes, words: "disk I/O error",
                links: .init(statusPage: nil), instance: "monitor-1", now: noon)
        }

        @Test(
            "only a clear success counts as delivered",
            arguments: [
                (200, true), (500, false), (503, false), (408, false), (429, false), (302, false), (400, false),
                (403, false), (410, false), (nil, false),
            ] as [(Int?, Bool)])
        func taken(status: Int?, isTaken: Bool) async throws {
            transport.script("hook", [status.map { .status($0) } ?? .fault(.network)])
            let taken = await notifier.send(trouble(), to: [try channel("hook"), try channel("other")])
            #expect(taken == (isTaken ? ["hook", "other"] : ["other"]))
        }

        @Test("a repeat has the same key and bytes; another channel has its own key")
        func keys() async throws {
            let channels = [try channel("hook"), try channel("other")]
            for _ in 1...2 { _ = await notifier.send(trouble(), to: channels) }
            let sent = transport.sent(to: "hook")
            try #require(sent.map(\.type) == ["incident.firing", "incident.firing"])
            #expect(sent[0].id == sent[1].id && sent[0].request.body == sent[1].request.body)
            #expect(sent[0].id != transport.sent(to: "other").first?.id)
        }

        @Test("the alert says what fails, what that means and what to do", arguments: [false, true])
        func words(isAtStart: Bool) {
            let text = RenderedAlert(trouble(isAtStart: isAtStart)).plainText
            #expect(text.hasPrefix("aasa-monitor: ") && text.contains(", for 1 min · error · monitor.degraded"))
            #expect(text.contains("disk I/O error") && text.contains("store.path"))
            #expect(text.contains("cannot start") == isAtStart)
            #expect(trouble().facts.findings.map(\.rule.rawValue) == ["monitor.store-failing"])
        }

        @Test("a Telegram group that moved gets the message at its new id")
        func moved() async throws {
            let moved = #"{"ok":false,"description":"x","parameters":{"migrate_to_chat_id":-100777}}"#
            let channel = try Service.telegram.channel(url: "https://ops.test")
            transport.script("ops", [.status(400, moved), .status(200, #"{"ok":true,"result":{"message_id":5}}"#)])
            let report = try await notifier.test(trouble(), on: channel)
            #expect(report.outcome == .delivered && report.movedTo == "-100777")
            #expect(transport.sent(to: "ops").count == 2)
        }

        @Test("a test message to a pager closes the incident that it opened")
        func pagerTest() async throws {
            let test = Alert.test(
                domain: try Domain("example.com"), links: .init(statusPage: nil), instance: "monitor-1", now: noon)
            let report = try await notifier.test(test, on: Service.pagerduty.channel(url: "https://ops.test"))
            #expect(report.outcome == .delivered && !report.isLeftOpen)
            let sent = try transport.sent.map { try object($0.request.body) }
            try #require(sent.map { $0["event_action"] as? String } == ["trigger", "resolve"])
            #expect(sent[0]["dedup_key"] as? String == sent[1]["dedup_key"] as? String)
        }
    }
}
