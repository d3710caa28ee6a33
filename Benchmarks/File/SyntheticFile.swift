/// Files made for the bench, always the same.
enum SyntheticFile {
    struct Matching {
        let name: String
        let bytes: [UInt8]
        /// Matches the last component, and no other.
        let url: String
    }

    struct Differing {
        let name: String
        let old: [UInt8]
        let new: [UInt8]
    }

    /// As many components as fit, then blanks.
    static func ofSize(_ size: Int) -> [UInt8] {
        let end = Array("\n      ]\n    } ]\n  }\n}\n".utf8)
        var bytes = Array(
            "{\n  \"applinks\": {\n    \"details\": [ {\n      \"appIDs\": [\"\(app)\"],\n      \"components\": [".utf8)
        var index = 0
        while true {
            let component = Array(
                """
                \(index == 0 ? "" : ",")
                        { "/": "/shop/section-\(index)/*", "?": { "item": "\(index)*" }, "exclude": \(index % 5 == 0), \
                "comment": "rule \(index), caf\\u00e9" }
                """.utf8)
            guard bytes.count + component.count + end.count <= size else { break }
            bytes += component
            index += 1
        }
        bytes += end
        return bytes + Array(repeating: 0x20, count: size - bytes.count)
    }

    static let matching: [Matching] = [
        Matching(name: "/sectionN/*", bytes: file { "\"/\":\"/section\($0)/*\"" }, url: "/section999/a/b?x=1"),
        Matching(name: "/*/itemN/*/end", bytes: file { "\"/\":\"/*/item\($0)/*/end\"" }, url: "/some/item999/more/end"),
        Matching(
            name: "/$(lang)/$(region)/itemN/*", bytes: file { "\"/\":\"/$(lang)/$(region)/item\($0)/*\"" },
            url: "/en/US/item999/x"),
        Matching(
            name: "/buy/* with two query items",
            bytes: file { "\"/\":\"/buy/*\",\"?\":{\"item\":\"x\($0)\",\"b\":\"?*\"}" },
            url: "/buy/z?b=1&item=x999"),
        Matching(
            name: "caseSensitive and percentEncoded false",
            bytes: file { "\"/\":\"/Größe/\($0)/*\",\"caseSensitive\":false,\"percentEncoded\":false" },
            url: "/gr%C3%B6%C3%9Fe/999/x"),
    ]

    static let differing: [Differing] = [
        Differing(
            name: "one exclusion added", old: file(100) { "\"/\":\"/section\($0)/*\"" },
            new: file(100) {
                $0 == 50 ? "\"/\":\"/section51/private/*\",\"exclude\":true" : "\"/\":\"/section\($0)/*\""
            }),
        Differing(
            name: "the same in reverse order", old: file(100) { "\"/\":\"/section\($0)/*\"" },
            new: file(100) { "\"/\":\"/section\(99 - $0)/*\"" }),
        Differing(
            name: "with queries and variables",
            old: file(100) { "\"/\":\"/$(lang)/p\($0)/*\",\"?\":{\"q\":\"?*\"}" },
            new: file(100) { "\"/\":\"/$(lang)/p\($0)/*\",\"?\":{\"q\":\"*\"}" }),
    ]

    private static let app = "ABCDE12345.com.example.app"

    private static func file(_ count: Int = 1000, _ component: (Int) -> String) -> [UInt8] {
        let components = (0..<count).map { "{\(component($0))}" }.joined(separator: ",")
        return Array("{\"applinks\":{\"details\":[{\"appIDs\":[\"\(app)\"],\"components\":[\(components)]}]}}".utf8)
    }
}
