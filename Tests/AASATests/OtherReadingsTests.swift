import AASA
import Testing

extension AASASuite {
    @Suite("Other readings of two files")
    struct OtherReadingsTests {
        private static let app = "A.b"

        private static func links(_ details: String, apps: Bool = true, beside: String = "") throws -> AppLinks? {
            let text = #"{"applinks":{\#(apps ? #""apps":[],"# : "")\#(beside)"details":[\#(details)]}}"#
            return try AssociationFile(parsing: Array(text.utf8)).applinks
        }

        private static func entry(_ key: String, _ rules: String...) -> String {
            let list = rules.map { key == "paths" ? "\"\($0)\"" : #"{"/":"\#($0)"}"# }.joined(separator: ",")
            return key == "paths"
                ? #"{"appID":"A.b","paths":[\#(list)]}"# : #"{"appIDs":["A.b"],"components":[\#(list)]}"#
        }

        private func readings(_ old: AppLinks?, _ new: AppLinks?) -> OtherReadings {
            OtherReadings(old, new, besides: BehaviourDiff.compare(old, new))
        }

        @Test(
            "rules that are spread over entries otherwise are told as contested, and the same spread is not",
            arguments: [
                (entry("components", "/a", "/b"), entry("components", "/a") + "," + entry("components", "/b"), true),
                (entry("components", "/a") + "," + entry("components", "/b"), entry("components", "/a", "/b"), true),
                (
                    entry("components", "/a") + "," + entry("components", "/b"),
                    entry("components", "/b") + "," + entry("components", "/a"), true
                ),
                (
                    entry("components", "/a") + "," + entry("components", "/b"),
                    entry("components", "/a") + "," + entry("components", "/b/"), false
                ),
                (entry("components", "/a", "/b"), entry("components", "/b", "/a"), false),
            ])
        func entries(_ old: String, _ new: String, _ isContested: Bool) throws {
            let (old, new) = (try Self.links(old), try Self.links(new))
            #expect(BehaviourDiff.compare(old, new).changes.isEmpty)
            let found = readings(old, new).contested
            #expect(found.map(\.point) == (isContested ? [.severalEntriesOfOneApp] : []))
        }

        @Test("a key that stands twice is told where the other of the two would change a URL")
        func duplicateKey() throws {
            let text = #"{"applinks":{"details":[{"appID":"A.b","paths":["/x"],"paths":["/a"]}]}}"#
            let old = try Self.links(Self.entry("paths", "/a"), apps: false)
            let new = try AssociationFile(parsing: Array(text.utf8)).applinks
            #expect(readings(old, new).contested.map(\.point) == [.duplicateKey])
            #expect(readings(new, new).contested.isEmpty)
        }

        @Test("'defaults' that are put above paths are told")
        func defaults() throws {
            let old = try Self.links(Self.entry("paths", "/a"))
            let new = try Self.links(Self.entry("paths", "/a"), beside: #""defaults":{"caseSensitive":false},"#)
            #expect(readings(old, new).contested.map(\.point) == [.defaultsForPaths])
        }

        @Test(
            "what iOS 12 and older lose and gain, though later systems do not",
            arguments: [
                (#"{"appID":"A.b","paths":["/a"]}"#, true, entry("components", "/a"), true, "opens > not_matched /a"),
                (entry("components", "/a"), true, #"{"appID":"A.b","paths":["/a"]}"#, true, "not_matched > opens /a"),
                (
                    #"{"appID":"A.b","paths":["/a"]}"#, true, #"{"appIDs":["A.b"],"paths":["/a"]}"#, true,
                    "opens > not_matched /a"
                ),
                (
                    #"{"appID":"A.b","paths":["/a"]}"#, true, #"{"appID":"A.b","paths":["/a"]}"#, false,
                    "opens > not_matched /a"
                ),
                (
                    #"{"appID":"A.b","paths":["/a"]}"#, true,
                    #"{"appID":"A.b","appIDs":["A.b"],"paths":["/a"],"components":[{"/":"/a"}]}"#, true, nil
                ),
                // Lost on all systems: told once. What else iOS 12 loses is told by a URL that later systems keep.
                (
                    #"{"appID":"A.b","paths":["/x","/a"]}"#, true, entry("components", "/a"), true,
                    "opens > not_matched /a"
                ),
                (#"{"appID":"A.b","paths":["/a"]}"#, true, #"{"appID":"A.b","paths":["/b"]}"#, true, nil),
                (entry("components", "/a"), false, entry("components", "/a"), true, nil),
            ] as [(String, Bool, String, Bool, String?)])
        func olderSystems(
            _ old: String, _ hadApps: Bool, _ new: String, _ hasApps: Bool, _ expected: String?
        ) throws {
            let (old, new) = (try Self.links(old, apps: hadApps), try Self.links(new, apps: hasApps))
            let found = readings(old, new).olderSystems
            #expect(
                found.map { "\($0.from.rawValue) > \($0.to.rawValue) \($0.example)" } == [expected].compactMap(\.self))
        }
    }
}
