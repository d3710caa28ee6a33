// `audit`: what an app claims, compared with what its domains serve.

import Foundation
import Lab
import LabFaults
import TestSupport
import Testing

extension EndToEndTests {
    @Suite struct AuditTests {
        private static let app = "ABCDE12345.com.example.app"

        private static func entitlements(_ app: String?, _ entries: [String]) -> String {
            let id = app.map { "<key>application-identifier</key><string>\($0)</string>" } ?? ""
            return """
                <?xml version="1.0" encoding="UTF-8"?>
                <plist version="1.0"><dict>\(id)
                <key>com.apple.developer.associated-domains</key>
                <array>\(entries.map { "<string>\($0)</string>" }.joined())</array>
                </dict></plist>
                """
        }

        private static func serving(_ services: String...) -> String {
            let members = services.map { service in
                service == "applinks"
                    ? #""applinks":{"details":[{"appIDs":["\#(app)"],"components":[{"/":"/a"}]}]}"#
                    : #""\#(service)":{"apps":["\#(app)"]}"#
            }
            return "{" + members.joined(separator: ",") + "}"
        }

        /// What a place answers, for each entry.
        private static func answers(_ audit: JSONValue, _ place: String) -> [String] {
            audit["entries"].elements.map { $0[place].string ?? "" }
        }

        private static func works(_ audit: JSONValue) -> [Bool?] {
            audit["entries"].elements.map { $0["works"] == .null ? nil : $0["works"] == .bool(true) }
        }

        @Test("each entry is compared with the origin's file and Apple's copy, for its service")
        func entries() async throws {
            try await Stage.with { stage in
                stage.lab.origin("both.test").serve(Self.serving("applinks", "webcredentials"))
                stage.lab.origin("links.test").serve(Self.serving("applinks"))
                stage.lab.origin("dev.test").serve(Self.serving("applinks"))
                stage.lab.origin("down.test").behaviour = .reply(.status(500))
                // Apple's copy is behind: it names no app for passwords yet.
                stage.lab.origin("late.test").serve(Self.serving("applinks", "webcredentials"))
                stage.lab.cdn.holds("late.test", body: Self.serving("applinks"))
                // Devices do not read files above the limit.
                let large = Self.serving("applinks").dropLast() + #","x":"\#(String(repeating: "x", count: 140_000))"}"#
                stage.lab.origin("large.test").serve(String(large))
                stage.lab.origin("twice.test").serve(#"{"applinks":{},"# + Self.serving("applinks").dropFirst())
                let claimed = [
                    "applinks:both.test", "webcredentials:*.both.test", "applinks:twice.test", "applinks:links.test",
                    "webcredentials:links.test", "applinks:dev.test?mode=developer", "webcredentials:down.test",
                    "webcredentials:late.test", "applinks:large.test?mode=developer", "applinks:https://both.test",
                    "https://both.test", "applinks:$(HOST)", "both.test", "both.test:443", "appclips:*.both.test",
                ]
                try stage.write("App.entitlements", Self.entitlements(Self.app, claimed))
                let command = ["audit", "--entitlements", "App.entitlements"] + stage.network
                let process = try await stage.runNotSlow(command + ["--format", "json"])
                #expect(process.end == .exit(1), "\(process.errors)")
                let report = try process.json()
                #expect(report["schema"] == .string("aasa-monitor/audit/v1"))
                let audit = try #require(report["apps"].elements.first)
                #expect(audit["app"] == .string(Self.app) && audit["verdict"] == .string("failing"))
                #expect(audit["entries"].elements.compactMap { $0["entry"].string } == claimed)
                let (named, missing, unasked) = ("names the app", "does not name the app", "not asked")
                let faulty = [String](repeating: unasked, count: 6)
                #expect(
                    Self.answers(audit, "origin")
                        == [
                            named, named, named, named, missing, named, "status 500", named,
                            "no file, but 140,101 bytes",
                        ] + faulty)
                #expect(Self.answers(audit, "cdn")[7] == missing)
                #expect(
                    Self.works(audit)
                        == [true, true, true, true, false, true] + [Bool](repeating: false, count: 9))
                // The check of an entry is the same as in `check`.
                #expect(audit["entries"][4]["check"]["schema"] == .string("aasa-monitor/check/v1"))
                #expect(audit["entries"][4]["check"].rules.contains("expect.service-missing"))
                let text = try await stage.runNotSlow(command)
                #expect(text.end == .exit(1))
                for part in [
                    "\(Self.app)  FAILING  5 of its 15 associated domains work.\n",
                    "Apple's copy: not read in this mode\n", "no file, but 140,101 bytes",
                    "at the origin of both.test",
                    #"Add the key webcredentials with the ID of the app, such as "webcredentials": {"apps": ["\#(Self.app)"]}."#,
                    "The entry is not an associated domain: it does not begin with a service;",
                    "Write applinks:both.test.\n",
                    "The entry is not an associated domain: it contains a build setting;",
                    "The entry is not an associated domain: App Clips have no wildcards;",
                    "Write appclips:both.test.\n",
                    "\nwebcredentials:down.test  FAILING  ", "Apple's crawler reports",
                    "Apple's copy lacks the service webcredentials: passkeys and password AutoFill do not work.",
                ] {
                    #expect(text.output.contains(part), "\(part)\n\(text.output)")
                }
            }
        }

        @Test("the entitlement's mode wins over the configuration's")
        func modes() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(Self.serving("applinks"))
                stage.lab.cdn.holds("site.test", body: "{}")
                try stage.write("monitor.yaml", "version: 1\ndomains: [{domain: site.test, mode: developer}]\n")
                try stage.write(
                    "App.entitlements",
                    Self.entitlements(Self.app, ["applinks:site.test", "applinks:site.test?mode=managed"]))
                let process = try await stage.run(
                    ["audit", "--entitlements", "App.entitlements", "--format", "json"] + stage.network)
                let audit = try #require(try process.json()["apps"].elements.first)
                #expect(process.end == .exit(1))
                #expect(Self.answers(audit, "cdn") == ["does not name the app", "not read in this mode"])
            }
        }

        /// Entitlements of a signed app.
        private static func signed(_ entries: [String], _ keys: String = "", app: String = app) -> String {
            entitlements(app, entries).replacing("<dict>", with: "<dict>\(keys)")
        }

        private static let forStore = "<key>get-task-allow</key><false/><key>beta-reports-active</key><true/>"
        private static let forDevelopment = "<key>get-task-allow</key><true/>"

        struct Signing: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let entitlements: String
            let file: String
            /// One value for each entry.
            let works: [Bool]
            let words: [String]
        }

        /// The App Clips of an app, as in its signature.
        private static func declaring(_ clip: String) -> String {
            "<key>com.apple.developer.associated-appclip-app-identifiers</key><array><string>\(clip)</string></array>"
        }

        static let signings = [
            Signing(
                testDescription: "developer mode alone in an app for the store",
                entitlements: signed(["applinks:site.test?mode=developer"], forStore), file: serving("applinks"),
                works: [false],
                words: [
                    "Links do not work in TestFlight and the App Store.", "The app is signed for distribution.",
                    "Add applinks:site.test to the entitlements",
                ]),
            Signing(
                testDescription: "developer mode for development",
                entitlements: signed(["applinks:site.test?mode=developer"], forDevelopment), file: serving("applinks"),
                works: [true], words: []),
            Signing(
                testDescription: "developer mode beside the plain entry",
                entitlements: signed(["applinks:site.test?mode=developer", "applinks:site.test"], forStore),
                file: serving("applinks"), works: [true, true], words: []),
            Signing(
                testDescription: "a plain entry of another service helps no link",
                entitlements: signed(["applinks:site.test?mode=developer", "webcredentials:site.test"], forStore),
                file: serving("applinks", "webcredentials"), works: [false, true],
                words: ["Add applinks:site.test to the entitlements"]),
            Signing(
                testDescription: "managed mode without its entitlement",
                entitlements: signed(["webcredentials:site.test?mode=managed"]), file: serving("webcredentials"),
                works: [false],
                words: [
                    "Passkeys and password AutoFill do not work in this app.",
                    "The app lacks com.apple.developer.associated-domains.mdm-managed.",
                    "Add that entitlement, or webcredentials:site.test, which every device reads.",
                ]),
            Signing(
                testDescription: "managed mode with it, and one of two in a build for development",
                entitlements: signed(
                    ["webcredentials:site.test?mode=managed", "applinks:site.test?mode=developer+managed"],
                    "<key>com.apple.developer.associated-domains.mdm-managed</key><true/>" + forStore),
                file: serving("applinks", "webcredentials"), works: [true, true], words: []),
            Signing(
                testDescription: "both modes, and neither is of use",
                entitlements: signed(["applinks:site.test?mode=developer+managed"], forStore),
                file: serving("applinks"), works: [false],
                words: ["The app is signed for distribution. The app lacks com.apple.developer.associated-domains.mdm"]),
            Signing(
                testDescription: "a web browser",
                entitlements: signed(
                    ["applinks:site.test", "webcredentials:site.test"],
                    "<key>com.apple.developer.web-browser</key><true/>"),
                file: serving("applinks", "webcredentials"), works: [false, true],
                words: ["The app is a web browser (com.apple.developer.web-browser)"]),
            Signing(
                testDescription: "an app whose Clip the file names",
                entitlements: signed(["appclips:site.test"]),
                file: #"{"appclips":{"apps":["ABCDE12345.com.example.app.Clip"]}}"#, works: [true],
                words: ["names its App Clip"]),
            Signing(
                testDescription: "the Clip itself",
                entitlements: signed(
                    ["appclips:site.test"],
                    "<key>com.apple.developer.parent-application-identifiers</key><array><string>\(app)</string></array>",
                    app: "\(app).Clip"),
                file: #"{"appclips":{"apps":["ABCDE12345.com.example.app.Clip"]}}"#, works: [true], words: []),
            Signing(
                testDescription: "a Clip in place of which the file names one of its own",
                entitlements: signed(
                    ["appclips:site.test"],
                    "<key>com.apple.developer.parent-application-identifiers</key><array><string>\(app)</string></array>",
                    app: "\(app).Clip"),
                file: #"{"appclips":{"apps":["ABCDE12345.com.example.app.Clip.x"]}}"#, works: [false],
                words: ["It names ABCDE12345.com.example.app.Clip.x"]),
            Signing(
                testDescription: "another app's Clip",
                entitlements: signed(["appclips:site.test"]),
                file: #"{"appclips":{"apps":["ABCDE12345.com.example.apple.Clip"]}}"#, works: [false],
                words: ["under appclips. It names ABCDE12345.com.example.apple.Clip (another app of the team)."]),
            Signing(
                testDescription: "a file without the app's Clip: the Clip's ID is what to add",
                entitlements: signed(["appclips:site.test"]), file: #"{"appclips":{"apps":[]}}"#, works: [false],
                words: [
                    "The file does not name the app's App Clip under appclips.",
                    "Add the ID of the App Clip, such as \(app).Clip, to 'appclips.apps' of site.test's file",
                    "0 of its 1 associated domain works.\n",
                ]),
            Signing(
                testDescription: "a Clip that the app's signature names, whatever its ID",
                entitlements: signed(["appclips:site.test"], declaring("ABCDE12345.com.example.mini")),
                file: #"{"appclips":{"apps":["ABCDE12345.com.example.mini"]}}"#, works: [true],
                words: ["names its App Clip"]),
            Signing(
                testDescription: "another Clip than the one that the app's signature names",
                entitlements: signed(["appclips:site.test"], declaring("\(app).Mini")),
                file: #"{"appclips":{"apps":["ABCDE12345.com.example.app.Clip"]}}"#, works: [false],
                words: ["Add \(app).Mini to 'appclips.apps' of site.test's file"]),
            Signing(
                testDescription: "another team and another case are named, the nearest first",
                entitlements: signed(["applinks:site.test"]),
                file: """
                    {"applinks":{"details":[{"appIDs":["ZZZZZ99999.com.example.app","ABCDE12345.com.Example.app"],
                    "components":[{"/":"/a"}]}]}}
                    """, works: [false],
                words: [
                    "It names ABCDE12345.com.Example.app (upper and lower case differ), ZZZZZ99999.com.example.app "
                        + "(another team).",
                    "Add ABCDE12345.com.example.app to an entry of 'applinks.details' of site.test's file, or correct the ID",
                ]),
            Signing(
                testDescription: "an entry that opens nothing",
                entitlements: signed(["applinks:site.test"]),
                file: #"{"applinks":{"details":[{"appIDs":["\#(app)"],"components":[{"/":"/a","exclude":true}]}]}}"#,
                works: [false],
                words: [
                    "names the app, opens no URL", "all rules of this entry are exclusions; its apps open no URL",
                    "The file names the app, but no rule of its entry opens a URL.", "aasa-monitor lint site.test",
                ]),
            Signing(
                testDescription: "a second entry opens what the first does not",
                entitlements: signed(["applinks:site.test"]),
                file: """
                    {"applinks":{"details":[{"appIDs":["\(app)"],"components":[{"/":"/a","exclude":true}]},
                    {"appIDs":["\(app)"],"components":[{"/":"/b"}]}]}}
                    """, works: [true], words: []),
        ]

        @Test("the signature decides the entries' verdicts and which App Clip belongs to the app", arguments: signings)
        func signing(_ row: Signing) async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(row.file)
                try stage.write("App.entitlements", row.entitlements)
                let command = ["audit", "--entitlements", "App.entitlements"] + stage.network
                let process = try await stage.runNotSlow(command + ["--format", "json"])
                let works = row.works.allSatisfy(\.self)
                #expect(process.end == .exit(works ? 0 : 1), "\(process.errors)")
                let audit = try #require(try process.json()["apps"].elements.first)
                #expect(Self.works(audit) == row.works)
                // A file that works may have warnings.
                #expect((audit["verdict"] == .string("failing")) != works)
                for (entry, works) in zip(audit["entries"].elements, row.works) {
                    #expect((entry["verdict"] == .string("failing")) != works)
                }
                let text = try await stage.runNotSlow(command).output
                for words in row.words { #expect(text.contains(words), "\(words)\n\(text)") }
                #expect(text.contains("FAILING") != works)
            }
        }

        @Test("--offline gives the same results for a local file as a check for the origin's file", arguments: signings)
        func inHand(_ row: Signing) async throws {
            try await Stage.withoutLab { stage in
                try stage.write("site.json", row.file)
                try stage.write("App.entitlements", row.entitlements)
                let command = [
                    "audit", "--offline", "--entitlements", "App.entitlements", "--file", "site.test=site.json",
                ]
                let process = try await stage.run(command + ["--format", "json"])
                let works = row.works.allSatisfy(\.self)
                #expect(process.end == .exit(works ? 0 : 1), "\(process.errors)")
                let audit = try #require(try process.json()["apps"].elements.first)
                #expect(Self.works(audit) == row.works)
                #expect((audit["verdict"] == .string("failing")) != works)
                for entry in audit["entries"].elements {
                    #expect(entry["file"]["path"] == .string("site.json") && entry["check"] == .null)
                    #expect(entry["origin"] == .string("not asked") && entry["cdn"] == .string("not asked"))
                }
                let text = try await stage.run(command).output
                // Not the linter's messages: the text has only the first.
                for words in row.words where !words.contains("lint ") && !words.contains("entry opens") {
                    #expect(text.contains(words), "\(words)\n\(text)")
                }
            }
        }

        struct Offline: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let file: String
            var entries = ["applinks:site.test", "applinks:other.test"]
            var name = "site.json"
            /// After the entitlements.
            var arguments = ["--file", "site.test=site.json"]
            var exit: Int32 = 1
            let words: [String]
            var not: [String] = []
        }

        static let offline = [
            Offline(
                testDescription: "another domain has no file",
                file: serving("applinks"), exit: 0,
                words: [
                    "1 of its 2 associated domains works, 1 unknown.",
                    "applinks:other.test  UNKNOWN  Whether the entry works is unknown: it was not checked.",
                    "do    Name the file of other.test: --file other.test=PATH.",
                    "applinks:site.test   OK       names the app, in site.json\n",
                ]),
            Offline(
                testDescription: "no file at all", file: "", arguments: [], exit: 0,
                words: ["0 of its 2 associated domains work, 2 unknown."]),
            Offline(
                testDescription: "several files behind one option", file: serving("applinks"),
                arguments: ["--file", "site.test=site.json", "other.test=site.json"], exit: 0,
                words: ["2 of its 2 associated domains work."]),
            Offline(
                testDescription: "no JSON", file: "<html>",
                words: ["Links do not work with this file.", "is not an association file, in site.json"]),
            Offline(
                testDescription: "a misspelt entry is the reason why none uses the file", file: serving("applinks"),
                entries: ["applinks:https://site.test/"],
                words: ["'https://' does not belong in it", "Write applinks:site.test."]),
            Offline(
                testDescription: "a longer ID is another app's, whatever else is wrong with its entry",
                file: """
                    {"applinks":{"details":[{"appIDs":["\(app).beta"],
                    "components":[{"/":"*"},{"/":"/a","exclude":true}]}]}}
                    """,
                words: ["why   The file does not name the app under applinks. It names \(app).beta"]),
            Offline(
                testDescription: "the reason is in the app's entry, not in that of another app",
                file: """
                    {"applinks":{"details":[{"appIDs":["A.com.x"],"components":[{"/":7}]},
                    {"appIDs":["\(app) "],"components":[{"/":"/a"}]}]}}
                    """,
                words: ["contains a space or a line break; no app matches it"]),
            Offline(
                testDescription: "the linter's reason is the only finding",
                file: #"{"applinks":{"details":[{"appIDs":["\#(app)"],"components":[]}]}}"#,
                words: ["names the app, opens no URL, in site.json"], not: ["more finding"]),
            Offline(
                testDescription: "a file whose name the shell would split", file: serving("applinks"),
                name: "my site.json", arguments: ["--file", "site.test=my site.json"], exit: 0,
                words: ["names the app, in my site.json"]),
            Offline(
                testDescription: "the command for more findings can be pasted",
                file: serving("applinks").replacing(#"{"/":"/a"}"#, with: #"{"/":"/a"},{"/":7},{"?":8}"#),
                name: "my site.json", arguments: ["--file", "site.test=my site.json"],
                words: ["2 more findings: aasa-monitor lint 'my site.json'"]),
            Offline(
                testDescription: "a request in an audit without requests", file: "{}", arguments: ["--ask-cdn"],
                exit: 64, words: ["--ask-cdn sends a request"]),
            Offline(
                testDescription: "a pair without its domain", file: "{}", arguments: ["--file", "=site.json"], exit: 64,
                words: ["--file: '=site.json' is not of the form DOMAIN=PATH"]),
            Offline(
                testDescription: "a file that is too large for devices",
                file: serving("applinks").dropLast() + #","x":"\#(String(repeating: "x", count: 140_000))"}"#,
                words: ["Links do not work with this file.", "the file has 140101 bytes"]),
            Offline(
                testDescription: "an app that works although its rules have an error",
                file: serving("applinks").replacing(#"{"/":"/a"}"#, with: #"{"/":"/a"},{"/":7}"#),
                words: ["Links work with this file, and it has an error.", "1 of its 2 associated domains works"]),
            Offline(
                testDescription: "a service that the app does not claim", file: serving("applinks", "webcredentials"),
                exit: 0, words: ["webcredentials:site.test  NOTE"]),
            Offline(
                testDescription: "a domain without an entry", file: "{}",
                arguments: ["--file", "sight.test=site.json"],
                exit: 64, words: ["no entry of the entitlements uses the file of sight.test"]),
            Offline(
                testDescription: "a domain twice", file: "{}",
                arguments: ["--file", "site.test=site.json", "--file", "site.test=site.json"], exit: 64,
                words: ["--file names site.test twice"]),
            Offline(
                testDescription: "no domain", file: "{}", arguments: ["--file", "site.json"], exit: 64,
                words: ["'site.json' is not of the form DOMAIN=PATH"]),
            Offline(
                testDescription: "no such file", file: "{}", arguments: ["--file", "site.test=none.json"], exit: 66,
                words: ["cannot read 'none.json'"]),
        ]

        @Test("--offline shows what each entry's file says, and which entries were not checked", arguments: offline)
        func offlineAnswers(_ row: Offline) async throws {
            try await Stage.withoutLab { stage in
                try stage.write(row.name, row.file)
                try stage.write("App.entitlements", Self.entitlements(Self.app, row.entries))
                let process = try await stage.run(
                    ["audit", "--offline", "--entitlements", "App.entitlements"] + row.arguments)
                #expect(process.end == .exit(row.exit), "\(process.errors)\(process.output)")
                let text = row.exit > 1 ? process.errors : process.output
                for words in row.words { #expect(text.contains(words), "\(words)\n\(text)") }
                for words in row.not { #expect(!text.contains(words), "\(words)\n\(text)") }
            }
        }

        @Test("--offline without a file: the result is unknown in JSON as in the text")
        func offlineUnknown() async throws {
            try await Stage.withoutLab { stage in
                try stage.write("App.entitlements", Self.entitlements(Self.app, ["applinks:site.test"]))
                let command = ["audit", "--offline", "--entitlements", "App.entitlements"]
                let process = try await stage.run(command + ["--format", "json"])
                #expect(process.end == .exit(0))
                #expect(try process.json()["apps"][0]["verdict"] == .string("unknown"))
                #expect(try await stage.run(command).output.hasPrefix("\(Self.app)  UNKNOWN  "))
            }
        }

        @Test("an app without the entitlement fails: missing, empty, or of the wrong type")
        func unentitled() async throws {
            try await Stage.withoutLab { stage in
                let none = Self.signed([]).replacing(
                    "<key>com.apple.developer.associated-domains</key>\n<array></array>", with: "")
                let text = none.replacing(
                    "</dict>",
                    with: "<key>com.apple.developer.associated-domains</key><string>applinks:a.test</string></dict>")
                let bare = #"<plist version="1.0"><dict/></plist>"#
                for (file, words) in [
                    (none, "The app is signed without the entitlement com.apple.developer.associated-domains."),
                    (Self.signed([]), "is an empty list."), (text, "is not a list of strings."),
                    (bare, "is signed without"),
                ] {
                    try stage.write("App.entitlements", file)
                    let process = try await stage.run(["audit", "--entitlements", "App.entitlements"])
                    #expect(process.end == .exit(1), "\(process.errors)")
                    #expect(process.output.contains(words), "\(process.output)")
                    #expect(process.output.contains("Add the capability Associated Domains in Xcode"))
                }
                try stage.write(
                    "Info.plist",
                    #"<plist version="1.0"><dict><key>CFBundleName</key><string>a</string></dict></plist>"#)
                let other = try await stage.run(["audit", "--entitlements", "Info.plist"])
                #expect(other.end == .exit(66) && other.errors.contains("holds no entitlements"), "\(other.errors)")
            }
        }

        @Test("a service in the file that the app does not claim is a note")
        func unclaimed() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(Self.serving("applinks", "webcredentials", "activitycontinuation"))
                try stage.write(
                    "App.entitlements",
                    Self.entitlements(Self.app, ["applinks:*.site.test", "activitycontinuation:site.test"]))
                let command = ["audit", "--entitlements", "App.entitlements"] + stage.network
                let text = try await stage.runNotSlow(command)
                #expect(text.end == .exit(0))
                #expect(
                    text.output.contains(
                        "webcredentials:*.site.test  NOTE  The file names the app, but the app does not claim it"),
                    "\(text.output)")
                let json = try await stage.runNotSlow(command + ["--format", "json"]).json()
                #expect(json["apps"][0]["unclaimed"].elements == [.string("webcredentials:*.site.test")])
            }
        }

        @Test("a wildcard entry names the host whose file it reads")
        func wildcard() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").behaviour = .reply(.status(404))
                try stage.write("App.entitlements", Self.entitlements(Self.app, ["applinks:*.site.test"]))
                let process = try await stage.runNotSlow(
                    ["audit", "--entitlements", "App.entitlements"] + stage.network)
                #expect(process.end == .exit(1))
                #expect(process.output.contains("devices read the file of site.test."), "\(process.output)")
            }
        }

        @Test(
            "a local network fault is unknown; a file that only the device can read is not a fault"
        )
        func unknown() async throws {
            try await Stage.with { stage in
                try stage.write("App.entitlements", Self.entitlements(Self.app, ["applinks:site.test"]))
                let offline = ["--connect-to", "::127.0.0.1:1"]
                for command in [["check", "applinks:site.test"], ["audit", "--entitlements", "App.entitlements"]] {
                    let process = try await stage.runNotSlow(command + offline)
                    #expect(process.end == .exit(70), "\(process.output)")
                    #expect(process.output.contains("UNKNOWN"))
                }
                try stage.write(
                    "App.entitlements", Self.entitlements(Self.app, ["webcredentials:localhost?mode=developer"]))
                let local = try await stage.run(["audit", "--entitlements", "App.entitlements"])
                #expect(
                    local.end == .exit(0) && local.output.contains("localhost is the device itself"), "\(local.output)"
                )
            }
        }

        @Test("an --app that contradicts the file is refused; the same ID is accepted")
        func contradiction() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(Self.serving("applinks"))
                try stage.write("App.entitlements", Self.entitlements(Self.app, ["applinks:site.test"]))
                let command = ["audit", "--entitlements", "App.entitlements"] + stage.network
                let other = try await stage.runNotSlow(command + ["--app", "ABCDE12345.com.example.other"])
                #expect(other.end == .exit(64) && other.output.isEmpty)
                #expect(
                    other.errors.contains("App.entitlements belongs to \(Self.app), but --app names ABCDE12345.com"))
                let same = try await stage.runNotSlow(command + ["--app", Self.app])
                #expect(same.end == .exit(0), "\(same.errors)")
                try stage.write(
                    "App.entitlements", Self.entitlements("ABCDE12345.com.example.*", ["applinks:site.test"]))
                let within = try await stage.runNotSlow(command + ["--app", Self.app])
                #expect(within.end == .exit(0), "\(within.errors)")
                let outside = try await stage.runNotSlow(command + ["--app", "ZZZZZ99999.com.example.app"])
                #expect(outside.end == .exit(64) && outside.output.isEmpty)
                #expect(
                    outside.errors.contains("is for apps whose ID is ABCDE12345.com.example.*, but --app names ZZZZZ"))
            }
        }

        @Test("several apps are audited, each with its own ID or --app; 0 means that all pass")
        func apps() async throws {
            try await Stage.with { stage in
                stage.lab.origin("both.test").serve(Self.serving("applinks", "appclips"))
                try stage.write("App.entitlements", Self.entitlements(Self.app, ["applinks:both.test"]))
                try stage.write("Clip.entitlements", Self.entitlements(nil, ["appclips:both.test"]))
                let command = ["audit", "--entitlements", "App.entitlements", "Clip.entitlements"] + stage.network
                let unnamed = try await stage.runNotSlow(command)
                #expect(unnamed.end == .exit(64) && unnamed.output.isEmpty)
                #expect(
                    unnamed.errors.contains("Clip.entitlements does not contain the app's ID; give it with --app"))
                let named = try await stage.runNotSlow(command + ["--app", Self.app])
                #expect(named.end == .exit(0), "\(named.output)")
                #expect(named.output.matches(of: /1 of its 1 associated domain works\.\n/).count == 2)
                let piped = try await stage.run(
                    ["audit", "--entitlements", "-"] + stage.network,
                    input: Self.entitlements("$AppIdentifierPrefix.com.x", ["applinks:both.test"]))
                #expect(piped.end == .exit(64) && piped.errors.contains("- does not contain the app's ID"))
                let other = try await stage.runNotSlow(command + ["--app", "ABCDE12345.com.example.Clip"])
                #expect(other.end == .exit(1), "\(other.output)")
                let faulty = try await stage.runNotSlow(command + ["--app", "com.example.app"])
                #expect(faulty.end == .exit(64))
                #expect(faulty.errors.contains("--app: 'com.example.app' is not a valid app ID"), "\(faulty.errors)")
            }
        }
    }
}
