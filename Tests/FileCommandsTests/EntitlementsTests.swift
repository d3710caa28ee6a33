// The formats of entitlements: XML, binary property lists, provisioning profiles, and files that are none of these.

import Evidence
import Foundation
import Testing

@testable import FileCommands

extension FileCommandsTests {
    @Suite struct EntitlementsTests {
        private static let app = "D7KQ4ZW2MX.com.acme.shop"
        private static let plain: [String: any Sendable] = [
            "application-identifier": app, "get-task-allow": false,
            "com.apple.developer.associated-domains": ["applinks:example.com", "webcredentials:bücher.example"],
        ]

        private static func data(
            _ list: [String: any Sendable], _ format: PropertyListSerialization.PropertyListFormat
        ) throws -> Data {
            try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0)
        }

        /// A DER element: the tag, the length and the content.
        private static func der(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
            let count = content.count
            let length: [UInt8] =
                count < 128 ? [UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
            return [tag] + length + content
        }

        /// A CMS signature without signers: enough to read its content.
        private static func signed(_ content: Data) -> Data {
            let signedData: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
            let data: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]
            let inner = der(0x30, der(0x06, data) + der(0xA0, der(0x04, Array(content))))
            let body = der(0x02, [1]) + der(0x31, []) + inner + der(0x31, [])
            return Data(der(0x30, der(0x06, signedData) + der(0xA0, der(0x30, body))))
        }

        /// The same, written as a stream: in pieces, and without the lengths of the outer values (`openssl cms -sign -stream`).
        private static func streamed(_ content: Data) -> Data {
            func open(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] { [tag, 0x80] + content + [0, 0] }
            let bytes = Array(content)
            let pieces = stride(from: 0, to: bytes.count, by: 100).flatMap {
                der(0x04, Array(bytes[$0...].prefix(100)))
            }
            let data: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]
            let inner = open(0x30, der(0x06, data) + open(0xA0, open(0x24, pieces)))
            let body = der(0x02, [1]) + der(0x31, []) + inner + der(0x31, [])
            return Data(open(0x30, der(0x06, data.dropLast() + [2]) + open(0xA0, open(0x30, body))))
        }

        private func read(_ data: Data) throws -> Entitlements {
            let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).entitlements")
            try data.write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            return try Entitlements(at: file.path)
        }

        @Test(
            "each container gives the same entitlements",
            arguments: [
                "xml", "binary", "profile", "profile that was taken out of its signature",
                "profile around a binary list", "profile written as a stream", "blob of a signature",
            ])
        func containers(_ container: String) throws {
            let xml = try Self.data(Self.plain, .xml)
            let profile: [String: any Sendable] = ["Name": "Shop", "Entitlements": Self.plain]
            let data =
                switch container {
                case "xml": xml
                case "binary": try Self.data(Self.plain, .binary)
                case "profile that was taken out of its signature": try Self.data(profile, .xml)
                case "profile": Self.signed(try Self.data(profile, .xml))
                case "profile written as a stream": Self.streamed(try Self.data(profile, .xml))
                case "profile around a binary list": Self.signed(try Self.data(profile, .binary))
                default: Data([0xFA, 0xDE, 0x71, 0x71, 0, 0, 4, 0]) + xml
                }
            let file = try read(data)
            #expect(
                file.app.id == Self.app && file.app.isForDistribution == true && !file.app.isBrowser && !file.app.isClip
            )
            #expect(file.entries.map(\.text) == ["applinks:example.com", "webcredentials:bücher.example"])
        }

        @Test(
            "the keys tell how the app is signed, and whether it is a browser or an App Clip",
            arguments: [
                (["get-task-allow": true], false, false, false),
                (["com.apple.security.get-task-allow": false], true, false, false),
                (["beta-reports-active": true], true, false, false),
                (["get-task-allow": true, "beta-reports-active": true], false, false, false),
                (["com.apple.developer.web-browser": true], nil, true, false),
                (["com.apple.developer.web-browser": false], nil, false, false),
                (
                    ["com.apple.developer.parent-application-identifiers": ["D7KQ4ZW2MX.com.acme.shop"]], nil, false,
                    true
                ),
            ] as [([String: any Sendable], Bool?, Bool, Bool)])
        func signing(
            _ keys: [String: any Sendable], _ isForDistribution: Bool?, _ isBrowser: Bool, _ isClip: Bool
        ) throws {
            let domains = ["com.apple.developer.associated-domains": ["applinks:example.com"]]
            let file = try read(try Self.data(keys.merging(domains) { one, _ in one }, .binary))
            let app = file.app
            #expect(app.isForDistribution == isForDistribution && app.isBrowser == isBrowser && app.isClip == isClip)
        }

        @Test(
            "a file without entitlements is refused by its type",
            arguments: [
                ("large", Data(repeating: UInt8(ascii: " "), count: 1 << 20 | 1), "is larger than 1 MiB"),
                ("cut", Data("bplist00 and no more, for there is nothing behind it".utf8), "is a damaged binary"),
                ("archive", Data([0x50, 0x4B, 3, 4, 0, 0]), "is an archive; unpack it"),
                (
                    "program", Data([0xCF, 0xFA, 0xED, 0xFE, 0, 0]),
                    "is a program; extract its entitlements: codesign"
                ),
                ("for people", Data("[Dict]\n\t[Key] application-identifier".utf8), "add --xml"),
                ("text", Data("applinks:example.com".utf8), "holds no entitlements; name the .entitlements file"),
                ("sequence", Data([0x30, 0x03, 0x02, 0x01, 0x01]), "is not a property list"),
                (
                    "profile that ends early", signed(Data(repeating: 0x20, count: 200)).prefix(99),
                    "is not a property list"
                ),
                (
                    "values that never end",
                    Data([UInt8](repeating: 0x30, count: 2) + [UInt8](repeating: 0x80, count: 999)), "is not"
                ),
                (
                    "values nested too deep", Data((0..<9_999).flatMap { _ in [0x30, 0x80] as [UInt8] }),
                    "is not a property list"
                ),
            ])
        func refused(_ name: String, _ data: Data, _ words: String) throws {
            let failure = #expect(throws: CommandFailure.self) { try read(data) }
            #expect(failure?.message.contains(words) == true, "\(failure?.message ?? "")")
        }

        @Test("a profile that allows every domain is distinguished from an app that claims some")
        func wildcardProfile() throws {
            var keys = Self.plain
            keys["com.apple.developer.associated-domains"] = "*"
            let data = Self.signed(try Self.data(["Entitlements": keys], .xml))
            let failure = #expect(throws: CommandFailure.self) { try read(data) }
            #expect(failure?.message.contains("is a provisioning profile that allows every associated domain") == true)
            #expect(failure?.message.contains("codesign -d --entitlements - --xml") == true)
        }
    }
}
