// Invented devices with their expected first words: one for each row of the table of docs/device.md.

import AASA
import Evidence
import Facts
import Foundation
import TestSupport
import Testing

@testable import Device

/// A device, what is served meanwhile, and the expected text.
struct DeviceStory: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let report: String
    var app: String? = MadeDevice.app
    var domain = "links.example.com"
    var url: String?
    /// Apple's copy and the origin's file; nil if they are not read.
    var apple: Reply?
    var origin: Reply?
    var mode = AssociationMode.production
    var change: (since: TimeInterval, everywhere: TimeInterval?)?
    let cause: String
    let level: Verdict.Level
    let effect: String
    /// Words that the other parts must contain, and words that they must not contain.
    var says: [String] = []
    var unsaid: [String] = []

    init(
        _ name: String, _ entries: [String], settings: String = "(empty)", network: String = "(empty)",
        developer: Int = 1,
        apple: Reply? = fresh, origin: Reply? = nil, cause: String, _ level: Verdict.Level, effect: String,
        says: [String] = [], unsaid: [String] = [], change: (inout DeviceStory) -> Void = { _ in }
    ) {
        testDescription = name
        report = MadeDevice.report(entries, network: network, settings: settings, developer: developer)
        self.apple = apple
        self.origin = origin ?? apple
        self.cause = cause
        self.level = level
        self.effect = effect
        self.says = says
        self.unsaid = unsaid
        change(&self)
    }

    static func file(_ components: String, app: String = MadeDevice.app) -> Reply {
        .file(#"{"applinks": {"details": [{"appIDs": ["\#(app)"], "components": [\#(components)]}]}}"#)
    }

    /// The file that a device with the patterns of `MadeDevice.entry` has, and a newer one.
    static let old = file(#"{"/": "/main/*"}, {"/": "/sub1/*", "comment": "old"}"#)
    static let fresh = file(#"{"/": "/main/*"}, {"/": "/sub1/*"}, {"/": "/sub2"}"#)
    static let otherApp = file(#"{"/": "*"}"#, app: "ZZZZZ99999.com.example.app")
    static let refused = Reply.crawler("SWCERR00101 Bad HTTP Response: 403 Forbidden")
    private static let cdnError = #"Error Domain=SWCErrorDomain Code=7 "(null)" UserInfo={Line=265}"#
    private static let reinstall = "einstall"

    static let all: [DeviceStory] = [
        // The tests' current time is 2026-11-21 07:00 UTC.
        DeviceStory(
            "old patterns, future Next Check", [MadeDevice.entry()], cause: "older-copy", .failing,
            effect: "This device uses an older copy: /sub2 opens Safari.",
            says: [
                "It last asked on 19 Nov 10:09 UTC, before the new file reached Apple's CDN.",
                "Reinstall or update the app to get the new file now.", "It asks again by 24 Nov 10:00 UTC.",
            ]),
        DeviceStory(
            "old patterns, and the last attempt failed", [MadeDevice.entry(error: cdnError)], cause: "older-copy",
            .failing,
            effect: "This device uses an older copy: /sub2 opens Safari.",
            says: [
                "Its last attempt, on 19 Nov 10:09 UTC, failed: Apple's CDN had no copy, and told the device to stop"
            ],
            unsaid: ["before the new file"]),
        DeviceStory(
            "Apple's copy is not the origin's file yet", [MadeDevice.entry(patterns: #"{"/":"/main/*"}"#)], apple: old,
            origin: fresh,
            cause: "older-copy", .failing, effect: "This device uses an older copy: /sub1 opens Safari.",
            says: ["Wait for Apple's CDN", "aasa-monitor watch links.example.com"], unsaid: [reinstall]),
        DeviceStory(
            "the device has Apple's copy, which is behind", [MadeDevice.entry()], apple: old, origin: fresh,
            cause: "copy-behind", .warning,
            effect: "This device uses Apple's copy, which is not the origin's file: /sub2 opens Safari.",
            says: ["Wait for Apple's CDN"], unsaid: [reinstall]),
        DeviceStory(
            "the device has the origin's file before this edge", [MadeDevice.entry()], apple: fresh, origin: old,
            cause: "newer-copy", .ok, effect: "Links of links.example.com open the app on this device."),
        DeviceStory(
            "a history knows when the file came", [MadeDevice.entry()], cause: "older-copy", .failing,
            effect: "This device uses an older copy: /sub2 opens Safari.",
            says: [
                "The origin has served the new file since 20 Nov 07:00 UTC, and every edge of Apple's CDN by 20 Nov 13:00 UTC."
            ]
        ) { $0.change = (-86_400, 6 * 3600) },
        DeviceStory(
            "a history speaks against it", [MadeDevice.entry(checked: "2026-11-21 06:00:00 +0000")],
            cause: "older-copy", .failing,
            effect: "This device uses an older copy: /sub2 opens Safari.",
            says: ["Every edge of Apple's CDN had the new file by 20 Nov 13:00 UTC"], unsaid: ["before the new file"]
        ) { $0.change = (-86_400, 6 * 3600) },
        DeviceStory(
            "the same in meaning", [MadeDevice.entry()], apple: old, cause: "current", .ok,
            effect: "Links of links.example.com open the app on this device."),
        DeviceStory(
            "a final slash makes no difference",
            [MadeDevice.entry(patterns: #"{"/":"/main/*"}, {"/":"/sub1/*"}, {"/":"/sub2/"}"#)],
            cause: "current", .ok, effect: "Links of links.example.com open the app on this device."),
        DeviceStory(
            "approved, and the last refresh failed", [MadeDevice.entry(error: cdnError)], apple: old,
            cause: "refresh-failed",
            .warning, effect: "Links of links.example.com open the app on this device.",
            says: ["keeps its earlier approval and patterns"]),
        DeviceStory(
            "the app is not installed", [MadeDevice.entry(app: "QQQQQ11111.org.other.app")], cause: "not-listed",
            .failing,
            effect: "This device has no app ABCDE12345.com.example.app with associated domains.",
            says: ["not installed, or it is signed without", "audit --entitlements"], unsaid: ["QQQQQ11111"]),
        DeviceStory(
            "signed for another domain", [MadeDevice.entry(domain: "www.links.example.com")], cause: "not-listed",
            .failing,
            effect: "On this device, ABCDE12345.com.example.app does not claim links.example.com.",
            says: ["It is signed for applinks:www.links.example.com."]),
        DeviceStory(
            "the entitlement has a path", [MadeDevice.entry("unspecified", domain: "https://links.example.com/")],
            cause: "written-otherwise", .failing,
            effect: "Links of https://links.example.com/ open Safari on this device.", says: ["Write only the domain"]),
        DeviceStory(
            "never fetched, with an error",
            [MadeDevice.entry("unspecified", patterns: nil, error: "SWCErrorDomain 7", retries: 4)],
            cause: "no-file", .failing, effect: "Links of links.example.com open Safari on this device.",
            says: ["It tried again 4 times. Apple's copy names the app now.", "Reinstall or update the app"]),
        DeviceStory(
            "never fetched, and Apple has no copy", [MadeDevice.entry("unspecified", patterns: nil, error: cdnError)],
            apple: refused, origin: fresh, cause: "no-file", .failing,
            effect: "Links of links.example.com open Safari on this device.",
            says: [
                #"its crawler reports "SWCERR00101 Bad HTTP Response: 403 Forbidden""#,
                "aasa-monitor check links.example.com",
            ],
            unsaid: [reinstall]),
        DeviceStory(
            "not fetched yet", [MadeDevice.entry("unspecified", patterns: nil, checked: nil, next: nil)],
            cause: "not-fetched",
            .warning, effect: "Links of links.example.com open Safari on this device.",
            says: ["outside the region's usual top-level domains", "Leave the device idle on its charger"]),
        DeviceStory(
            "being asked now", [MadeDevice.entry("unspecified", patterns: nil, checked: nil, next: nil)],
            network: "links.example.com (cdn discretionary 12s)", cause: "not-fetched", .warning,
            effect: "Links of links.example.com open Safari on this device.", says: ["It was asking for the file"]),
        DeviceStory(
            "denied, and the file names the app now", [MadeDevice.entry("denied")], cause: "denied", .failing,
            effect: "Links of links.example.com open Safari on this device.",
            says: [
                "It read a file on 19 Nov 10:09 UTC that does not name ABCDE12345.com.example.app.",
                "Reinstall or update",
            ]),
        DeviceStory(
            "denied, and the last refresh failed", [MadeDevice.entry("denied", error: cdnError)], cause: "denied",
            .failing, effect: "Links of links.example.com open Safari on this device.",
            says: [
                "Its last attempt, on 19 Nov 10:09 UTC, failed",
                "A file that it read earlier did not name ABCDE12345.com.example.app.",
            ], unsaid: ["It read a file on"]),
        DeviceStory(
            "denied, and the file does not name the app", [MadeDevice.entry("denied", patterns: nil)], apple: otherApp,
            cause: "denied", .failing, effect: "Links of links.example.com open Safari on this device.",
            says: [
                "Apple's copy names ZZZZZ99999.com.example.app (another team).",
                "Name ABCDE12345.com.example.app in the file",
            ],
            unsaid: [reinstall]),
        DeviceStory(
            "denied, and only the origin names the app", [MadeDevice.entry("denied", patterns: nil)], apple: otherApp,
            origin: fresh,
            cause: "denied", .failing, effect: "Links of links.example.com open Safari on this device.",
            says: ["The origin's file does.", "Wait for Apple's CDN"], unsaid: [reinstall]),
        DeviceStory(
            "denied, without the network", [MadeDevice.entry("denied", patterns: nil)], apple: nil, cause: "denied",
            .failing,
            effect: "Links of links.example.com open Safari on this device.", unsaid: [reinstall, "older"]),
        DeviceStory(
            "the person chose the browser", [MadeDevice.entry()], settings: MadeDevice.setting(0), apple: old,
            cause: "browser-chosen", .failing,
            effect: "The user chose the browser: links of ABCDE12345.com.example.app open Safari on this device.",
            says: ["Long-press a link of the app"]),
        DeviceStory(
            "the user approval is denied", [MadeDevice.entry(user: "denied")], apple: old, cause: "browser-chosen",
            .failing,
            effect: "The user chose the browser: links of ABCDE12345.com.example.app open Safari on this device."),
        DeviceStory(
            "the setting outweighs the user approval", [MadeDevice.entry(user: "denied")],
            settings: MadeDevice.setting(1),
            apple: old, cause: "current", .ok, effect: "Links of links.example.com open the app on this device."),
        DeviceStory(
            "an app that is always enabled", [MadeDevice.entry(flags: "alwaysEnabled")],
            settings: MadeDevice.setting(0),
            apple: old, cause: "current", .ok, effect: "Links of links.example.com open the app on this device."),
        DeviceStory(
            "Next Check is over",
            [MadeDevice.entry(checked: "2026-11-10 10:00:00 +0000", next: "2026-11-15 10:00:00 +0000")],
            cause: "older-copy", .failing, effect: "This device uses an older copy: /sub2 opens Safari.",
            says: ["It was due to ask again by 15 Nov 10:00 UTC, 5 days ago: the report is older than that"]),
        DeviceStory(
            "a foreign region's times",
            [
                MadeDevice.entry(
                    checked: "2026-11-19 9:09:00\u{202F}PM +0000", next: "2026-11-24 9:00:00\u{202F}PM +0000")
            ],
            cause: "older-copy", .failing, effect: "This device uses an older copy: /sub2 opens Safari.",
            says: ["19 Nov 21:09 UTC", "24 Nov 21:00 UTC"]),
        DeviceStory(
            "developer mode", [MadeDevice.entry(domain: "links.example.com?mode=developer", flags: "developer")],
            apple: nil, origin: fresh, cause: "older-copy", .failing,
            effect: "This device uses an older copy: /sub2 opens Safari.",
            says: ["before the new file reached the origin"],
            unsaid: ["Apple"]
        ) { $0.mode = .developer },
        DeviceStory(
            "developer mode, a page in place of the file",
            [
                MadeDevice.entry(
                    "unspecified", domain: "links.example.com?mode=developer", patterns: nil, flags: "developer",
                    error:
                        #"Error Domain=NSCocoaErrorDomain Code=3840 "JSON text did not start with array or object" UserInfo={}"#
                )
            ], apple: nil, origin: .file("<html>"), cause: "no-file", .failing,
            effect: "Links of links.example.com open Safari on this device.",
            says: [
                #""JSON text did not start with array or object" (NSCocoaErrorDomain 3840)"#,
                "The origin serves an HTML page in place of the file.", "'links.example.com?mode=developer'",
            ], unsaid: ["Apple's copy"]
        ) { $0.mode = .developer },
        DeviceStory(
            "developer mode is off on the device",
            [MadeDevice.entry("unspecified", domain: "links.example.com?mode=developer", patterns: nil)], developer: 0,
            apple: nil, origin: fresh, cause: "developer-mode-off", .failing,
            effect: "Links of links.example.com open Safari on this device.", says: ["Associated Domains Development"]
        ) { $0.mode = .developer },
        DeviceStory(
            "a wildcard", [MadeDevice.entry(domain: "*.example.com")], cause: "older-copy", .failing,
            effect: "This device uses an older copy: /sub2 opens Safari."),
        DeviceStory(
            "Apple's copy no longer names the app", [MadeDevice.entry()], apple: otherApp, cause: "copy-lacks-app",
            .failing,
            effect: "Links of links.example.com open the app on this device, because of a file that it read earlier.",
            says: ["Name the app for applinks in the file again"], unsaid: [reinstall]),
        DeviceStory(
            "Apple lost its copy", [MadeDevice.entry()], apple: refused, origin: fresh, cause: "copy-missing", .failing,
            effect: "Links of links.example.com open the app on this device, because of a file that it read earlier.",
            says: ["403 Forbidden", "aasa-monitor check links.example.com"], unsaid: [reinstall]),
        DeviceStory(
            "without --verbose", [MadeDevice.entry(patterns: nil)], cause: "approved", .warning,
            effect:
                "This device has approved ABCDE12345.com.example.app for links.example.com; the device's patterns were not compared.",
            says: ["sudo swcutil show --verbose"]),
        DeviceStory(
            "without the network", [MadeDevice.entry()], apple: nil, cause: "approved", .ok,
            effect: "Links of links.example.com open the app on this device, if they match its patterns.",
            unsaid: ["older"]),
        DeviceStory(
            "this machine has no network", [MadeDevice.entry()], apple: .failed(.timedOut), origin: .failed(.timedOut),
            cause: "approved", .unknown,
            effect:
                "This device has approved ABCDE12345.com.example.app for links.example.com; the device's patterns were not compared."
        ),
        DeviceStory(
            "passkeys",
            [MadeDevice.entry("denied", service: "webcredentials", patterns: nil)],
            cause: "denied", .failing,
            effect: "webcredentials of links.example.com does not work for the app on this device.",
            says: ["Apple's copy does not name ABCDE12345.com.example.app for webcredentials."]),
        DeviceStory(
            "an approval that nobody knows", [MadeDevice.entry("3")], cause: "unknown-state", .unknown,
            effect: "What this device does with links.example.com is unknown: its Site/Fmwk Approval is 3."),
    ]
}

extension DeviceSuite {
    @Suite("Invented devices")
    struct MadeDeviceTests {
        private func now(_ story: DeviceStory) throws -> DomainNow? {
            guard let origin = story.origin else { return nil }
            let readings = Readings(
                try .of("links.example.com", mode: story.mode, origin: origin, cdn: story.apple, unasked: .mode))
            let change = story.change.flatMap { change in
                readings.cdnFile?.meaning.map {
                    KnownChange(
                        meaning: $0, servedSince: .testing + change.since,
                        atEveryEdge: change.everywhere.map { .testing + change.since + $0 })
                }
            }
            return DomainNow(readings: readings, verdict: Verdict(of: readings, now: .testing), change: change)
        }

        private func diagnosis(_ story: DeviceStory) throws -> DeviceDiagnosis {
            let report = try report(story.report)
            let domain = story.domain.isEmpty ? nil : try Domain(story.domain)
            let question = DeviceQuestion(app: story.app, domain: domain)
            let context = DeviceDiagnosis.Context(report: report)
            let entries = question.entries(of: report)
            guard let entry = entries.first else {
                return DeviceDiagnosis(
                    missing: question.absence(from: report), app: story.app, domain: domain?.name, report)
            }
            return DeviceDiagnosis(of: entry, context, now: try now(story))
        }

        @Test("each device gets the right effect, cause, level and advice", arguments: DeviceStory.all)
        func stories(story: DeviceStory) throws {
            let diagnosis = try diagnosis(story)
            let text = diagnosis.text(at: .testing)
            #expect(text.effect == story.effect)
            #expect(diagnosis.cause.id == story.cause)
            #expect(diagnosis.level == story.level)
            for words in story.says { #expect(text.oneLine.contains(words), "\(text.oneLine)") }
            for words in story.unsaid { #expect(!text.oneLine.contains(words), "\(text.oneLine)") }
        }

        @Test("each part is a short, complete sentence", arguments: DeviceStory.all)
        func words(story: DeviceStory) throws {
            for part in try diagnosis(story).text(at: .testing).parts {
                #expect(
                    part.hasSuffix(".") && !part.contains("  ") && !part.contains("..") && part.utf8.count < 450,
                    "\(part)")
            }
        }

        @Test("docs/device.md has every cause")
        func causes() throws {
            let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/device.md")
            let text = try String(contentsOf: page, encoding: .utf8)
            for id in Set(DeviceStory.all.map(\.cause)) { #expect(text.contains("`\(id)`"), "\(id)") }
        }

        @Test("an archive tells the type of its device and its time")
        func origin() throws {
            let path = "sysdiagnose_2026.11.20_10-09-00+0000_iPhone-OS_iPhone_23B85/swcutil_show.txt"
            let member = ReportBytes.Member(path: path, writtenAt: .testing - 3600 * 20)
            let text = MadeDevice.report([MadeDevice.entry(next: "2026-11-20 20:00:00 +0000")])
            guard case .report(let report) = try parsed(text, member: member) else { throw ReportFault("a log") }
            let story = try #require(DeviceStory.all.first)
            let words = DeviceDiagnosis(
                of: report.entries[0], .init(report: report), now: try now(story)
            ).text(at: .testing)
            #expect(words.effect == "This iPhone uses an older copy: /sub2 opens Safari.")
            #expect(
                words.outlook == "It was due to ask again by 20 Nov 20:00 UTC; this report is 20 h old. Make a new one."
            )
        }

        @Test("of two apps, the first match opens a URL, and the pattern is named")
        func twoApps() throws {
            let other = "ABCDE12345.com.example.second"
            let text = MadeDevice.report(
                [
                    MadeDevice.entry(domain: "*.example.com", patterns: #"{"/":"/nothing"}"#),
                    MadeDevice.entry(patterns: #"{"/":"/main/secret","exclude":true}, {"/":"/main/*"}"#),
                    MadeDevice.entry(app: other, patterns: #"{"/":"*"}"#),
                    MadeDevice.entry(domain: "other.example.com", app: other),
                    MadeDevice.entry(app: other, service: "webcredentials", patterns: nil),
                ])
            let report = try report(text)
            func ask(_ url: String) throws -> [DeviceDiagnosis] {
                let question = DeviceQuestion(url: MatchableURL(url), host: try Domain("links.example.com"))
                let context = DeviceDiagnosis.Context(report: report, url: question.url)
                return question.entries(of: report).map { DeviceDiagnosis(of: $0, context, now: nil) }
            }
            let opened = try ask("https://links.example.com/main/a")
            // The exact domain precedes the wildcard. Other services do not open links.
            #expect(opened.map(\.domain) == ["links.example.com", "links.example.com"])
            #expect(opened.opener?.appID == MadeDevice.app)
            #expect(opened.opener?.link?.pattern == #"{"/": "/main/*"}"#)
            #expect(opened.opener?.link?.index == 1)
            let second = try ask("https://links.example.com/main/secret")
            #expect(second.first?.link?.behaviour == .blocked)
            #expect(second.opener?.appID == other)
        }

        @Test("the requested URL is used as the example")
        func asked() throws {
            let report = try report(MadeDevice.report([MadeDevice.entry()]))
            let file = DeviceStory.file(#"{"/": "/sub1/*"}, {"/": "/new/*"}, {"/": "/sub2"}"#)
            let readings = Readings(try .of("links.example.com", origin: file, cdn: file))
            let now = DomainNow(readings: readings, verdict: Verdict(of: readings, now: .testing))
            let url = MatchableURL("https://links.example.com/new/thing")
            let diagnosis = DeviceDiagnosis(
                of: report.entries[0], .init(report: report, url: url), now: now)
            #expect(diagnosis.text(at: .testing).effect.hasPrefix("This device uses an older copy: /new/thing"))
            #expect(diagnosis.link?.behaviour == .notMatched)
            #expect(diagnosis.link?.inFile == .opens)
        }

        @Test("with all apps, those of the system are omitted and trouble comes first")
        func all() throws {
            let text = MadeDevice.report([
                MadeDevice.entry(app: "0000000000.com.apple.AppStore", flags: "systemApplication"),
                MadeDevice.entry(), MadeDevice.entry("denied", app: "ABCDE12345.com.example.second"),
            ])
            let report = try report(text)
            let question = DeviceQuestion()
            #expect(question.isOfAll)
            let context = DeviceDiagnosis.Context(report: report)
            let diagnoses = question.entries(of: report).map { DeviceDiagnosis(of: $0, context, now: nil) }
            #expect(diagnoses.worstFirst.map(\.appID) == ["ABCDE12345.com.example.second", MadeDevice.app])
            #expect(diagnoses.level == .failing)
        }

        @Test("an app ID with another team is named")
        func prefix() throws {
            let report = try report(MadeDevice.report([MadeDevice.entry(app: "ZZZZZ99999.com.example.app")]))
            let absence = DeviceQuestion(app: MadeDevice.app).absence(from: report)
            #expect(absence == .otherPrefix(TruncatedList(["ZZZZZ99999.com.example.app"])))
            #expect(DeviceQuestion(app: "com.example.app").absence(from: report) == absence)
            #expect(DeviceQuestion(app: "example.app").absence(from: report) == .noApp)
        }
    }
}
