import Evidence
import Foundation
import TestSupport
import Testing

extension EvidenceSuite {
    @Suite("One service of a domain")
    struct JudgedServiceTests {
        static let app = "ABCDE12345.com.example.app"
        static let both =
            #"{"applinks":{"details":[{"appIDs":["\#(app)"],"components":[{"/":"/a"}]}]},"webcredentials":{"apps":["\#(app)"]}}"#
        static let passkeys = #"{"webcredentials":{"apps":["\#(app)"]}}"#
        static let otherApp = #"{"webcredentials":{"apps":["ABCDE12345.com.example.new"]}}"#
        static let links = SampleFile.version(1)

        static func judged(
            _ service: String, origin: Reply, cdn: Reply?, mode: AssociationMode = .production, edges: [Reply] = []
        ) throws -> (Verdict, String?) {
            var scene = Scene()
            if !edges.isEmpty { scene = scene.edges(edges) }
            let readings = Readings(
                try Observation.of(mode: mode, origin: origin, cdn: cdn, unasked: .mode, scene: scene))
            let verdict = Verdict(
                of: readings, history: .none, checks: CheckSettings(certificateWarning: .seconds(86_400)),
                expectations: Expectations(askedService: service), now: .testing)
            let own = JudgedService(service)
            return (verdict.about(own), own.effect(of: verdict, readings))
        }

        @Test(
            "the effect speaks of the service, and so does the level",
            arguments: [
                ("webcredentials", both, both, "Passkeys and password AutoFill work.", .ok),
                ("webcredentials", passkeys, passkeys, "Passkeys and password AutoFill work.", .ok),
                (
                    "webcredentials", links, links,
                    "Passkeys and password AutoFill do not work: Apple's copy names no app for webcredentials.",
                    .failing
                ),
                ("appclips", both, both, "App Clips do not work: Apple's copy names no app for appclips.", .failing),
                (
                    "activitycontinuation", both, both,
                    "Handoff does not work: Apple's copy names no app for activitycontinuation.", .failing
                ),
                (
                    "webcredentials", otherApp, passkeys,
                    "Passkeys and password AutoFill work for the apps that Apple's copy names. The origin's file names other "
                        + "apps for webcredentials.", .warning
                ),
                // What differs is another service.
                ("webcredentials", passkeys, both, "Passkeys and password AutoFill work.", .warning),
                ("applinks", both, both, nil, .ok),
            ] as [(String, String, String, String?, Verdict.Level)])
        func effect(
            _ service: String, _ origin: String, _ copy: String, _ expected: String?, _ level: Verdict.Level
        ) throws {
            let (verdict, effect) = try Self.judged(service, origin: .file(origin), cdn: .file(copy))
            #expect(effect == expected)
            #expect(verdict.level == level, "\(verdict.told)")
        }

        @Test(
            "what to do names the key and the app, and no expectation",
            arguments: [
                (
                    "webcredentials", links,
                    "Add the key webcredentials with the ID of the app, such as \"webcredentials\": {\"apps\": [\"\(app)\"]}."
                ),
                (
                    "appclips", both,
                    "Add the key appclips with the App Clip's ID, such as \"appclips\": {\"apps\": [\"\(app).Clip\"]}."
                ),
                (
                    "applinks", passkeys,
                    "Add the key applinks with the ID of the app and its URLs, such as \"applinks\": {\"details\": "
                        + "[{\"appIDs\": [\"\(app)\"], \"components\": [{\"/\": \"/path/*\"}]}]}."
                ),
            ])
        func action(_ service: String, _ file: String, _ action: String) throws {
            let (verdict, _) = try Self.judged(service, origin: .file(file), cdn: .file(file))
            #expect(verdict.text.action == action)
            #expect(verdict.text.cause == "The file has no key \(service).")
            // An expectation of the configuration's is one that can be corrected.
            let words = Finding(.file(.serviceMissing(service, apps: [Self.app]))).text(at: .testing)
            #expect(words.fix.hasSuffix(" Or correct the expectation."))
        }

        @Test("without a file, at some edges only, and in another mode")
        func places() throws {
            let name = "Passkeys and password AutoFill"
            #expect(
                try Self.judged("webcredentials", origin: .file(Self.both), cdn: .status(404)).1
                    == "\(name) do not work: phones get no file.")
            #expect(
                try Self.judged(
                    "webcredentials", origin: .file(Self.both), cdn: nil,
                    edges: [.file(Self.both), .file(Self.links), .file(Self.both), .file(Self.both)]
                ).1 == "\(name) do not work at 1 of Apple's 4 edges.")
            #expect(
                try Self.judged("webcredentials", origin: .file(Self.both), cdn: nil, mode: .developer).1
                    == "\(name) work on phones in developer mode.")
            #expect(
                try Self.judged("webcredentials", origin: .file(Self.links), cdn: nil, mode: .developer).1
                    == "\(name) do not work on phones in developer mode: the origin's file names no app for webcredentials."
            )
        }

        @Test("an error in another service's part of the file is a note, and decides nothing")
        func otherService() throws {
            let file =
                #"{"applinks":{"details":[{"appIDs":["\#(Self.app)"],"components":[{"/":7}]}]},"webcredentials":{"apps":["\#(Self.app)"]}}"#
            let (verdict, effect) = try Self.judged("webcredentials", origin: .file(file), cdn: .file(file))
            #expect(effect == "Passkeys and password AutoFill work.")
            #expect(verdict.level == .ok)
            #expect(verdict.told == ["aasa.component-type note"])
            #expect(verdict.text.cause?.contains("serves the same") == true, "\(verdict.text)")
            #expect(try Self.judged("applinks", origin: .file(file), cdn: .file(file)).0.level == .failing)
            let passkeysAtFault =
                #"{"applinks":{"details":[{"appIDs":["\#(Self.app)"],"components":[{"/":"/a"}]}]},"webcredentials":{"apps":["x"]}}"#
            let links = try Self.judged("applinks", origin: .file(passkeysAtFault), cdn: .file(passkeysAtFault)).0
            #expect(links.level == .ok, "\(links.told)")
            #expect(links.text.oneLine.hasPrefix("Links work. The origin's file is valid"), "\(links.text)")
        }
    }
}
