@testable import Evidence
import Foundation
import TestSupport
import Testing

extension EvidenceSuite {
    @Suite("One service of a domain")
    struct AskedServiceTests {
        static let app = "ABCDE12345.com.example.app"
        static let both =
            #"{"applinks":{"details":[{"appIDs":["\#(app)"],"components":[{"/":"/a"}]}]},"webcredentials":{"apps":["\#(app)"]}}"#
        static let passkeys = #"{"webcredentials":{"apps":["\#(app)"]}}"#
        static let otherApp = #"{"webcredentials":{"apps":["ABCDE12345.com.example.new"]}}"#
        static let links = SampleFile.version(1)

        static func verdict(
            _ service: String, for id: String? = nil, clips: [String]? = [], origin: Reply, cdn: Reply?,
            mode: AssociationMode = .production, edges: [Reply] = []
        ) throws -> Verdict {
            var scene = Scene()
            if !edges.isEmpty { scene = scene.edges(edges) }
            let readings = Readings(
                try Observation.of(mode: mode, origin: origin, cdn: cdn, unasked: .mode, scene: scene))
            return Verdict(
                of: readings, history: .none, checks: CheckSettings(certificateWarning: .seconds(86_400)),
                asked: AskedService(service, for: id.map { .init($0, clips: clips) }), now: .testing)
        }

        @Test(
            "the effect and the level are those of the requested service",
            arguments: [
                ("webcredentials", both, both, "Passkeys and password AutoFill work.", .ok),
                ("webcredentials", passkeys, passkeys, "Passkeys and password AutoFill work.", .ok),
                ("webcredentials", links, links, "Passkeys and password AutoFill do not work.", .failing),
                ("appclips", both, both, "App Clips do not work.", .failing),
                ("activitycontinuation", both, both, "Handoff does not work.", .failing),
                // A key without an app is as bad as no key.
                (
                    "webcredentials", #"{"webcredentials":{"apps":[]}}"#, #"{"webcredentials":{"apps":[]}}"#,
                    "Passkeys and password AutoFill do not work.", .failing
                ),
                (
                    "webcredentials", otherApp, passkeys,
                    "Passkeys and password AutoFill work for the apps that Apple's copy names. The origin's file names other apps "
                        + "for webcredentials, or none.", .warning
                ),
                // A malformed app ID matches no app.
                (
                    "webcredentials", #"{"webcredentials":{"apps":["com.example.app"]}}"#,
                    #"{"webcredentials":{"apps":["com.example.app"]}}"#, "Passkeys and password AutoFill do not work.",
                    .failing
                ),
                // Only another service differs.
                ("webcredentials", passkeys, both, "Passkeys and password AutoFill work.", .warning),
                ("webcredentials", both, links, "Passkeys and password AutoFill do not work.", .failing),
                ("applinks", both, both, "Links work.", .ok),
                ("applinks", passkeys, passkeys, "Links open the website, not the app.", .failing),
            ] as [(String, String, String, String, Verdict.Level)])
        func effect(
            _ service: String, _ origin: String, _ copy: String, _ effect: String, _ level: Verdict.Level
        ) throws {
            let verdict = try Self.verdict(service, origin: .file(origin), cdn: .file(copy))
            #expect(verdict.text.effect == effect)
            #expect(verdict.level == level, "\(verdict.told)")
        }

        @Test(
            "the action names the key and the app, and no expectation",
            arguments: [
                (
                    "webcredentials", links,
                    "which passkeys, password AutoFill and https callbacks of web sign-in need",
                    "Add the key webcredentials with the ID of the app, such as \"webcredentials\": {\"apps\": [\"\(app)\"]}."
                ),
                (
                    "appclips", both, "which App Clips need",
                    "Add the key appclips with the App Clip's ID, such as \"appclips\": {\"apps\": [\"\(app).Clip\"]}."
                ),
                (
                    "activitycontinuation", both, "which Handoff needs",
                    "Add the key activitycontinuation with the ID of the app, such as \"activitycontinuation\": "
                        + "{\"apps\": [\"\(app)\"]}."
                ),
                (
                    "applinks", passkeys, "which links need",
                    "Add the key applinks with the ID of the app and its URLs, such as \"applinks\": {\"details\": "
                        + "[{\"appIDs\": [\"\(app)\"], \"components\": [{\"/\": \"/path/*\"}]}]}."
                ),
            ])
        func action(_ service: String, _ file: String, _ need: String, _ action: String) throws {
            let verdict = try Self.verdict(service, origin: .file(file), cdn: .file(file))
            #expect(verdict.text.action == action)
            #expect(verdict.text.cause == "The file has no key \(service), \(need).")
            // Where monitor.yaml has the expectation, the advice also says to correct it.
            let words = Finding(.file(.serviceMissing(service, apps: [Self.app]))).text(at: .testing)
            #expect(words.fix.hasSuffix(" Or fix the expectation."))
        }

        static let clip = #"{"appclips":{"apps":["\#(app).Clip"]}}"#
        static let shut = #"{"applinks":{"details":[{"appIDs":["\#(app)"],"components":[{"/":"/a","exclude":true}]}]}}"#

        @Test(
            "for an app, the file must name that app or its own App Clip",
            arguments: [
                ("webcredentials", app, [], passkeys, passkeys, "Passkeys and password AutoFill work.", nil),
                ("appclips", app, [], clip, clip, "App Clips work.", nil),
                ("appclips", "\(app).Clip", nil, clip, clip, "App Clips work.", nil),
                (
                    "appclips", app, ["\(app).Mini"], clip, clip, "App Clips do not work.",
                    "Add \(app).Mini to 'appclips.apps' of example.com's file, or correct the ID that is there."
                ),
                (
                    "appclips", "\(app).Mini", nil, both, both, "App Clips do not work.",
                    "Add the key appclips with the App Clip's ID, such as \"appclips\": {\"apps\": [\"\(app).Mini\"]}."
                ),
                (
                    "webcredentials", "ZZZZZ99999.com.example.app", [], passkeys, passkeys,
                    "Passkeys and password AutoFill do not work.",
                    "Add ZZZZZ99999.com.example.app to 'webcredentials.apps' of example.com's file, or correct the ID that is "
                        + "there."
                ),
                // The linter reports faults in the entry itself.
                ("applinks", app, [], shut, shut, "Links open the website, not the app.", "Add a component without"),
                // Phones find the app until Apple fetches the file again.
                (
                    "webcredentials", app, [], otherApp, passkeys,
                    "Passkeys and password AutoFill work now, but can break when Apple fetches the file again.",
                    "Add \(app) to 'webcredentials.apps' of example.com's file"
                ),
                (
                    "webcredentials", app, [], passkeys, otherApp, "Passkeys and password AutoFill do not work.",
                    "Wait"
                ),
                ("webcredentials", app, [], both, passkeys, "Passkeys and password AutoFill work.", nil),
            ] as [(String, String, [String]?, String, String, String, String?)])
        func named(
            _ service: String, _ id: String, _ clips: [String]?, _ origin: String, _ copy: String, _ effect: String,
            _ action: String?
        ) throws {
            let verdict = try Self.verdict(service, for: id, clips: clips, origin: .file(origin), cdn: .file(copy))
            #expect(verdict.text.effect == effect)
            #expect((verdict.level == .failing) == (action != nil), "\(verdict.told)")
            if let action { #expect(verdict.text.action?.hasPrefix(action) == true, "\(verdict.text)") }
        }

        @Test("if the app is not named, an invalid ID is not given as the reason")
        func placeholder() throws {
            let file = #"{"webcredentials":{"apps":["TEAM_ID.com.example.app"]}}"#
            let verdict = try Self.verdict("webcredentials", for: Self.app, origin: .file(file), cdn: .file(file))
            #expect(
                verdict.text.cause
                    == "The file does not name the app under webcredentials. It names TEAM_ID.com.example.app (another team)."
            )
            #expect(verdict.told.contains("aasa.app-id-placeholder error"), "\(verdict.told)")
            // But an `apps` that is not a list hides the app.
            let text = #"{"webcredentials":{"apps":"\#(Self.app)"}}"#
            let hidden = try Self.verdict("webcredentials", for: Self.app, origin: .file(text), cdn: .file(text))
            #expect(hidden.text.cause?.hasPrefix("The file has an error in line 1") == true, "\(hidden.text)")
        }

        @Test("a new file should have the key; a site that refuses everybody gets no advice about a service")
        func newFile() throws {
            let action = try Self.verdict("webcredentials", origin: .status(404), cdn: .status(404)).text.action
            #expect(action?.hasSuffix(#" such as "webcredentials": {"apps": ["ABCDE12345.com.example.app"]}."#) == true)
            let refused = try Self.verdict("webcredentials", origin: .status(403), cdn: .status(404)).text.action
            #expect(refused?.contains("webcredentials") != true)
        }

        @Test("the effect covers a missing file, some edges only, and another mode")
        func places() throws {
            let name = "Passkeys and password AutoFill"
            #expect(
                try Self.verdict("webcredentials", origin: .file(Self.both), cdn: .status(404)).text.effect
                    == "\(name) do not work.")
            #expect(
                try Self.verdict(
                    "webcredentials", origin: .file(Self.both), cdn: nil,
                    edges: [.file(Self.both), .file(Self.links), .file(Self.both), .file(Self.both)]
                ).text.effect == "\(name) do not work on 1 of Apple's 4 edges.")
            #expect(
                try Self.verdict("webcredentials", origin: .file(Self.both), cdn: nil, mode: .developer).text.effect
                    == "\(name) work on phones in developer mode.")
            #expect(
                try Self.verdict("webcredentials", origin: .file(Self.links), cdn: nil, mode: .developer).text.effect
                    == "\(name) do not work on phones in developer mode.")
        }

        @Test("expectations about links count in a check of passkeys, but not for an app's entry")
        func expected() throws {
            let readings = Readings(
                try Observation.of(
                    mode: .production, origin: .file(Self.both), cdn: .file(Self.both), unasked: .mode, scene: Scene()))
            let expected = Expectations(urls: [ExpectedURL(url: "/b", opens: .app(Self.app))])
            let asked: [(AskedService.App?, Verdict.Level)] = [(nil, .failing), (.init(Self.app, clips: []), .ok)]
            for (app, level) in asked {
                let verdict = Verdict(
                    of: readings, history: .none, checks: CheckSettings(certificateWarning: .seconds(86_400)),
                    expectations: expected, asked: AskedService("webcredentials", for: app), now: .testing)
                #expect(verdict.level == level, "\(verdict.told)")
            }
        }

        @Test("a missing entry is proposed in a mode that the app may use")
        func unclaimed() throws {
            let readings = Readings(
                try Observation.of(
                    mode: .production, origin: .file(Self.both), cdn: .file(Self.both), unasked: .mode, scene: Scene()))
            func proposed(_ claims: String...) throws -> [String] {
                let app = ClaimingApp(
                    id: Self.app, isClip: false, clips: [], isBrowser: false, isManaged: false, isForDistribution: true)
                return app.unclaimed(try claims.map { try AssociatedDomain(parsing: $0) }) { _ in
                    readings.cdnFile ?? readings.originFile
                }
                .map(\.text)
            }
            #expect(try proposed("applinks:a.test?mode=managed") == ["webcredentials:a.test"])
            #expect(try proposed("applinks:a.test?mode=developer") == ["webcredentials:a.test"])
            #expect(try proposed("applinks:www.a.test", "webcredentials:*.a.test") == ["applinks:*.a.test"])
        }

        @Test("an error in another service's part of the file is a note and changes no verdict")
        func otherService() throws {
            let file =
                #"{"applinks":{"details":[{"appIDs":["\#(Self.app)"],"components":[{"/":7}]}]},"webcredentials":{"apps":["\#(Self.app)"]}}"#
            let verdict = try Self.verdict("webcredentials", origin: .file(file), cdn: .file(file))
            #expect(verdict.text.effect == "Passkeys and password AutoFill work.")
            #expect(verdict.level == .ok)
            #expect(verdict.told == ["aasa.component-type note"])
            #expect(verdict.text.cause?.contains("serves the same") == true, "\(verdict.text)")
            #expect(try Self.verdict("applinks", origin: .file(file), cdn: .file(file)).level == .failing)
            // From a user's report: the ID for passkeys was in applinks.apps.
            let misplaced = #"{"applinks":{"apps":["\#(Self.app)"]}}"#
            let lacking = try Self.verdict("webcredentials", origin: .file(misplaced), cdn: .file(misplaced))
            #expect(lacking.text.cause?.hasPrefix("The file has no key webcredentials") == true, "\(lacking.text)")
            let passkeysAtFault =
                #"{"applinks":{"details":[{"appIDs":["\#(Self.app)"],"components":[{"/":"/a"}]}]},"webcredentials":{"apps":["x"]}}"#
            let links = try Self.verdict("applinks", origin: .file(passkeysAtFault), cdn: .file(passkeysAtFault))
            #expect(links.level == .ok, "\(links.told)")
            #expect(links.text.oneLine.hasPrefix("Links work. The origin's file is valid"), "\(links.text)")
        }
    }
}
