import AASA
import Evidence
import Foundation
import TestSupport
import Testing

@testable import Device

extension DeviceSuite {
    /// Different forms of the same device's report.
    @Suite("Forms of a report")
    struct ShowTextTests {
        private static let plain = MadeDevice.report(
            [
                MadeDevice.entry(
                    "unspecified", domain: "*.example.com?mode=developer", flags: "developer, updating",
                    error: #"Error Domain=SWCErrorDomain Code=7 "CDN refused" UserInfo={Line=265, Function=-[x y:z:]}"#,
                    retries: 3),
                MadeDevice.entry(app: "ABCDE12345.com.example.other"),
            ], network: "a.example.com (cdn discretionary 12s), b.example.com (cdn 3s)",
            settings: MadeDevice.setting(0),
            developer: 1)

        private static let coloured = plain.split(separator: "\n").map { "\u{1B}[38;5;42m\($0)\u{1B}[0m" }
            .joined(separator: "\n")

        private static let json = #"""
            {"headers": {"Developer Mode": "1"},
             "db": [
              {"Service": "applinks", "App ID": "ABCDE12345.com.example.app", "App Version": "1.0",
               "Domain": "*.example.com?mode=developer", "Patterns": "{\"/\":\"/main/*\"}, {\"/\":\"/sub1/*\"}",
               "User Approval": "unspecified", "Site/Fmwk Approval": "unspecified", "Flags": "developer, updating",
               "Last Checked": "2026-11-19 10:09:00 +0000", "Next Check": "2026-11-24 10:00:00 +0000",
               "Error": "Error Domain=SWCErrorDomain Code=7 \"CDN refused\" UserInfo={Line=265, Function=-[x y:z:]}",
               "Retries": "3"},
              {"Service": "applinks", "App ID": "ABCDE12345.com.example.other", "Domain": "links.example.com",
               "Patterns": "{\"/\":\"/main/*\"}, {\"/\":\"/sub1/*\"}", "User Approval": "unspecified",
               "Site/Fmwk Approval": "approved", "Last Checked": "2026-11-19 10:09:00 +0000",
               "Next Check": "2026-11-24 10:00:00 +0000"}],
             "network": {}, "settings": {
              "{ s = applinks, a = ABCDE12345.com.example.app, d = (null) }": "{"}}
            """#

        private static let lines = #"""
            {"developer_mode": "1", "section": "headers"}
            {"section": "db", "service": "applinks", "app_id": "ABCDE12345.com.example.app", "app_version": "1.0", "domain": "*.example.com?mode=developer", "patterns": "{\"/\":\"/main/*\"}, {\"/\":\"/sub1/*\"}", "user_approval": "unspecified", "site_fmwk_approval": "unspecified", "flags": "developer, updating", "last_checked": "2026-11-19 10:09:00 +0000", "next_check": "2026-11-24 10:00:00 +0000", "error": "Error Domain=SWCErrorDomain Code=7 \"CDN refused\" UserInfo={Line=265, Function=-[x y:z:]}", "retries": "3"}
            {"section": "db", "service": "applinks", "app_id": "ABCDE12345.com.example.other", "domain": "links.example.com", "patterns": "{\"/\":\"/main/*\"}, {\"/\":\"/sub1/*\"}", "user_approval": "unspecified", "site/fmwk_approval": "approved", "last_checked": "2026-11-19 10:09:00 +0000", "next_check": "2026-11-24 10:00:00 +0000"}
            {"section": "settings", "s": "applinks", "a": "ABCDE12345.com.example.app", "d": "(null)", "settings": {"com.apple.launch_services.enabled": "0"}}
            {"section": "network", "domain": "a.example.com"}
            {"section": "network", "domain": "b.example.com"}
            """#

        /// In the form of newer versions.
        private static let events = lines.split(separator: "\n").map { line in
            #"{"datetime": "2026-11-19T10:09:00.000000+00:00", "message": "swcutil", "module": "swcutil", "data": \#(line)}"#
        }.joined(separator: "\n")

        private static let wrapped = plain.replacing(" UserInfo={Line=265, ", with: "\n    UserInfo={Line=265,\n")

        @Test(
            "every form gives the same device",
            arguments: [
                ("text", plain), ("CRLF", plain.replacing("\n", with: "\r\n")), ("colours", coloured), ("JSON", json),
                ("a line of JSON each", lines), ("a JSON event each", events), ("wrapped values", wrapped),
                ("an unknown key", plain.replacing("Retries:", with: "New Thing:            x\nRetries:")),
                ("blank lines", plain.replacing("\n", with: "\n\n")), ("a byte order mark", "\u{FEFF}" + plain),
            ])
        func forms(name: String, text: String) throws {
            let report = try report(text)
            #expect(report.entries.count == 2)
            let first = try #require(report.entries.first)
            #expect(first.service == "applinks")
            #expect(first.appID == MadeDevice.app)
            #expect(first.writtenDomain == "*.example.com?mode=developer")
            #expect(first.target == Target(domain: try Domain("example.com"), mode: .developer, service: "applinks"))
            #expect(first.isWildcard)
            #expect(first.siteApproval == .unspecified)
            #expect(first.userApproval == .unspecified)
            #expect(first.flags == ["developer", "updating"])
            #expect(first.lastChecked?.rfc3339 == "2026-11-19T10:09:00Z")
            #expect(first.nextCheck?.rfc3339 == "2026-11-24T10:00:00Z")
            #expect(first.retries == 3)
            #expect(first.error?.domain == "SWCErrorDomain")
            #expect(first.error?.code == 7)
            #expect(first.error?.words == "CDN refused")
            guard case .known(let links) = report.entries[1].rules else { throw ReportFault("no rules in \(name)") }
            #expect(links.appIDs == ["ABCDE12345.com.example.other"])
            #expect(links.entries.first?.rules.map(\.path?.text) == ["/main/*", "/sub1/*"])
            // JSON of the older form lacks the values of SETTINGS and the names of NETWORK.
            #expect(report.choices == (name == "JSON" ? [:] : [MadeDevice.app: false]))
            #expect(report.isDeveloperModeOn == true)
            #expect(report.isVerbose)
            #expect(report.asking.map(\.name).sorted() == (name == "JSON" ? [] : ["a.example.com", "b.example.com"]))
        }

        @Test("an excerpt without rules, sections and --verbose is read as a report")
        func excerpt() throws {
            let report = try report(
                """
                Service:              applinks
                App ID:               ABCDE12345.com.example.app
                Domain:               example.com
                User Approval:        unspecified
                Site/Fmwk Approval:   unspecified
                Error:                SWCErrorDomain 7
                Service:              webcredentials
                App ID:               ABCDE12345.com.example.app
                Domain:               example.com
                Site/Fmwk Approval:   approved
                """)
            #expect(report.entries.map(\.service) == ["applinks", "webcredentials"])
            #expect(!report.isVerbose)
            #expect(report.entries[0].error?.code == 7)
            guard case .absent = report.entries[0].rules else { throw ReportFault("rules") }
        }

        @Test(
            "times are read in every regional form",
            arguments: [
                ("2023-08-24 10:09:00 +0000", "2023-08-24T10:09:00Z"),
                ("2024-12-12 9:09:05 +0000", "2024-12-12T09:09:05Z"),
                ("2024-12-12 9:09:05 PM +0000", "2024-12-12T21:09:05Z"),
                ("2024-12-12 12:09:05 AM +0000", "2024-12-12T00:09:05Z"),
                ("2024-12-12 12:09:05\u{202F}PM +0000", "2024-12-12T12:09:05Z"),
                ("2024-12-12 9:09:05\u{202F}p.m. +0000", "2024-12-12T21:09:05Z"),
                ("٢٠٢٤-١٢-١٢ ٢١:٠٩:٠٥ +٠٠٠٠", "2024-12-12T21:09:05Z"),
                ("2024-12-12 23:09:05 +0200", "2024-12-12T21:09:05Z"),
                ("2024-12-12T21:09:05.123456+00:00", "2024-12-12T21:09:05Z"),
                ("2024-12-12T21:09:05Z", "2024-12-12T21:09:05Z"),
                ("(null)", nil), ("", nil), ("yesterday", nil), ("2024-13-45 99:99:99 +0000", nil),
                ("99999999999999999999-1-1 1:1:1", nil),
            ] as [(String, String?)])
        func instants(text: String, expected: String?) {
            #expect(Date(device: text)?.rfc3339 == expected)
        }

        @Test(
            "errors are read in every form",
            arguments: [
                ("SWCErrorDomain 7", "SWCErrorDomain", 7, nil, nil),
                (
                    "The operation couldn’t be completed. (SWCErrorDomain error 104.)", "SWCErrorDomain", 104, nil, nil
                ),
                (
                    #"Error Domain=NSURLErrorDomain Code=-1103 "resource exceeds maximum size" UserInfo={a=b}"#,
                    "NSURLErrorDomain", -1103, "resource exceeds maximum size", nil
                ),
                (
                    #"Error Domain=NSCocoaErrorDomain Code=3840 "JSON text did not start with array or object""#,
                    "NSCocoaErrorDomain", 3840, "JSON text did not start with array or object", nil
                ),
                (
                    #"Error Domain=SWCErrorDomain Code=7 "(null)" UserInfo={x=SWCERR00301 Timeout -- {"cause":"slow"}, Line=1}"#,
                    "SWCErrorDomain", 7, nil, "SWCERR00301 Timeout"
                ),
                ("something else", "", nil, "something else", nil),
            ] as [(String, String, Int?, String?, String?)])
        func errors(text: String, domain: String, code: Int?, words: String?, apple: String?) {
            let error = DeviceError(text)
            #expect(error.domain == domain)
            #expect(error.code == code)
            #expect(error.words == words)
            #expect(error.apple?.words == apple)
        }

        @Test(
            "a text that is not a report is refused with a reason",
            arguments: [
                ("", "no entry of swcutil show"), ("hello\nworld", "no entry of swcutil show"),
                ("\u{0}\u{1}", "binary"),
                (#"{"applinks": {}}"#, "JSON without an entry"), ("[1, 2]", "JSON without an entry"),
                (String(repeating: "x\n", count: 100_001), "more than 100,000 lines"),
                ("{", "no entry of swcutil show"), (String(repeating: "x", count: 100_000), "no entry"),
            ])
        func refused(text: String, words: String) {
            #expect { try parsed(text) } throws: { "\($0)".contains(words) }
        }

        @Test("an endless entry is one entry")
        func endless() throws {
            let lines = String(repeating: "/abcdefghijkl\n", count: 90_000)
            let long = MadeDevice.entry(patterns: "{\"/\":\"\(lines)\"}")
            let entry = try #require(report(MadeDevice.report([long])).entries.first)
            guard case .unreadable = entry.rules else { throw ReportFault("rules") }
        }

        @Test(
            "patterns must be a list of components; other forms are not read",
            arguments: [
                (#"{"/":"/a"}"#, nil, true), (#"[{"/":"/a"}]"#, nil, false), (#""/a", "NOT /b""#, nil, false),
                (#"{"/":"/a"}, "/b""#, nil, false), ("/a, /b", nil, false), ("", nil, true),
                (#"{"/":"/a"}],"appIDs":["x"]"#, nil, false),
                (#"{"/":"/$(team)"}"#, nil, false),
                (#"{"/":"/$(team)"}"#, #"{"team":["red","blue"]}"#, true),
                (#"{"/":"/$(lang)/x"}"#, nil, true),
            ] as [(String, String?, Bool)])
        func patterns(text: String, variables: String?, isKnown: Bool) {
            var entry = DeviceEntry()
            entry.appID = MadeDevice.app
            entry.patterns = text
            entry.variables = variables
            let links: AppLinks? = if case .known(let links) = entry.rules { links } else { nil }
            #expect(links?.entries.map(\.form) == (isKnown ? [.components] : nil))
        }
    }

    @Suite("Lines of a log")
    struct LogTests {
        private static let stopped =
            #"2026-11-20 08:00:01.123456+0000 0x1a2b Error 0x0 321 0 swcd: [com.apple.swc:dl] Request for '<private>' for task AASA-1 { domain: *.example.com, bytes: 0, route: cdn } denied because the CDN told us to stop with HTTP status 404: SWCERR00101 Bad HTTP Response: 403 Forbidden -- {"status":"403 Forbidden"}"#

        @Test("a line names the domain, the status and Apple's reason")
        func line() throws {
            guard case .log(let log) = try parsed("Timestamp\n\(Self.stopped)\nother line") else {
                throw ReportFault("a report")
            }
            let event = try #require(log.events.first)
            #expect(log.events.count == 1)
            #expect(event.domain?.name == "example.com")
            #expect(event.error?.apple?.words == "SWCERR00101 Bad HTTP Response: 403 Forbidden")
            #expect(event.error?.apple?.details == ["status": "403 Forbidden"])
            #expect(event.at?.rfc3339 == "2026-11-20T08:00:01Z")
        }

        @Test(
            "other kinds of lines are read, too",
            arguments: [
                (
                    "Added service 'applinks', appID 'ABCDE12345.com.example.app', domain 'example.com'",
                    DeviceEvent.Kind.added(service: "applinks", appID: MadeDevice.app), "example.com"
                ),
                (
                    "swcd: SWCErrorDomain error 7 for https://a.example.com/.well-known/apple-app-site-association",
                    .failed(DeviceError("SWCErrorDomain error 7")), "a.example.com"
                ),
                (
                    "swcd: Error Domain=SWCErrorDomain Code=7 domain <private>",
                    .failed(DeviceError("SWCErrorDomain 7")),
                    nil
                ),
                (
                    "… denied because the CDN told us to stop with HTTP status 404",
                    .failed(DeviceError("SWCErrorDomain 7")), nil
                ),
                (
                    "… denied because the CDN told us to stop with HTTP status 404: SWCERR00301 Timeout",
                    .failed(DeviceError("SWCERR00301 Timeout")), nil
                ),
            ] as [(String, DeviceEvent.Kind, String?)])
        func forms(line: String, kind: DeviceEvent.Kind, domain: String?) throws {
            guard case .log(let log) = try parsed(line) else { throw ReportFault("a report") }
            let event = try #require(log.events.first)
            let error = if case .failed(let error) = kind { error } else { DeviceError?.none }
            #expect(event.error?.plainWords == error?.plainWords)
            if error == nil { #expect(event.kind == kind) }
            #expect(event.domain?.name == domain)
        }

        @Test("the diagnosis has Apple's reason and what is served now")
        func answer() throws {
            guard case .log(let log) = try parsed(Self.stopped) else { throw ReportFault("a report") }
            let event = try #require(log.latest(of: nil, about: nil).first)
            let text = DeviceDiagnosis(of: event, domain: event.domain, app: nil, now: nil).text(at: .testing)
            #expect(text.effect == "This device got no file for example.com.")
            #expect(
                text.cause?.contains(#"its crawler reported "SWCERR00101 Bad HTTP Response: 403 Forbidden""#) == true)
            #expect(text.cause?.hasPrefix("Its last attempt, on 20 Nov 08:00 UTC, failed") == true)
            let file = Reply.file(SampleFile.version(1))
            let readings = Readings(try .of(origin: file, cdn: file))
            let now = DomainNow(readings: readings, verdict: Verdict(of: readings, now: .testing))
            let compared = DeviceDiagnosis(of: event, domain: event.domain, app: MadeDevice.app, now: now).text(
                at: .testing)
            #expect(compared.cause?.hasSuffix("Apple's copy names the app now.") == true)
            #expect(compared.action == "Reinstall or update the app to get it now.")
        }

        @Test("each app's claim of a domain is listed, and an error takes precedence")
        func claims() throws {
            let claims = ["a", "b", "a"].map {
                "2026-11-20 08:00:01.1+0100 Added service 'applinks', appID 'ABCDE12345.\($0)', domain 'a.example.com'"
            }
            let error = "SWCErrorDomain error 7 domain: a.example.com"
            guard case .log(let noted) = try parsed(claims.joined(separator: "\n")),
                case .log(let failed) = try parsed((claims + [error]).joined(separator: "\n"))
            else { throw ReportFault("a report") }
            #expect(noted.latest(of: nil, about: nil).count == 2)
            #expect(noted.events.first?.at?.rfc3339 == "2026-11-20T07:00:01Z")
            #expect(failed.latest(of: nil, about: nil).map(\.error?.code) == [7])
        }

        @Test("for a hidden domain, the text says so and how to name it")
        func hidden() throws {
            guard case .log(let log) = try parsed("SWCErrorDomain error 7 <private>") else {
                throw ReportFault("a report")
            }
            let event = try #require(log.latest(of: nil, about: nil).first)
            let text = DeviceDiagnosis(of: event, domain: nil, app: nil, now: nil).text(at: .testing)
            #expect(text.effect == "This device got no file for a domain that the log does not name.")
            #expect(text.action == "Name the domain with --domain: the system hides names in logs as <private>.")
            #expect(try log.latest(of: nil, about: Domain("a.example.com")).first?.domain?.name == "a.example.com")
        }
    }
}
