import Facts
import Foundation
import MonitorConfiguration
import Testing

extension ConfigurationSuite {
    @Suite struct LoaderTests {
        private func inFolder(_ body: (URL) throws -> Void) throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "aasa-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            try body(folder)
        }

        @Test("a missing file is unreadable, not invalid")
        func missing() throws {
            try inFolder { folder in
                let path = folder.appending(path: "none.yaml").path
                #expect(throws: UnreadableFile(path: path, reason: "no such file or directory")) {
                    _ = try ConfigurationLoader.load(path: path, environment: [:])
                }
                #expect(throws: UnreadableFile.self) {
                    _ = try ConfigurationLoader.load(path: folder.path, environment: [:])
                }
            }
        }

        @Test("a file is read together with its secret files")
        func secrets() throws {
            try inFolder { folder in
                let path = folder.appending(path: "monitor.yaml")
                let text = """
                    version: 1
                    domains: [example.com]
                    server: {listen: "0.0.0.0:0", token_file: token}
                    """
                try Data(text.utf8).write(to: path)
                try Data("s3cret-of-20-letters\n".utf8).write(to: folder.appending(path: "token"))
                let (file, _) = try ConfigurationLoader.load(path: path.path, environment: [:])
                #expect(file.server.token == Secret("s3cret-of-20-letters"))

                try Data([0x41, 0xFF]).write(to: folder.appending(path: "token"))
                let fault = #expect(throws: ConfigurationFault.self) {
                    _ = try ConfigurationLoader.load(path: path.path, environment: [:])
                }
                #expect(
                    fault?.problems.first?.message == "cannot read the file 'token' of 'token_file': it is not UTF-8")
            }
        }

        @Test(
            "a secret that every user of the machine can read gets a warning",
            arguments: [
                // The modes of the configuration, the secret's file and their folder; the expected warnings.
                (0o644, 0o640, 0o755, ["1:49: this file 'token'"]), (0o600, 0o644, 0o755, ["1:90: 'hook'"]),
                (0o640, 0o640, 0o755, []), (0o644, 0o644, 0o750, []),
                (0o604, 0o604, 0o711, ["1:49: this file 'token'", "1:90: 'hook'"]),
            ] as [(mode_t, mode_t, mode_t, [String])])
        func readers(_ own: mode_t, _ secret: mode_t, _ place: mode_t, _ expected: [String]) throws {
            try inFolder { folder in
                let path = folder.appending(path: "monitor.yaml")
                // Neither a local receiver's URL nor values from the environment are secrets in this file.
                let text = """
                    {version: 1, domains: [a.test], server: {token: abcdefghijklmnop}, heartbeat: {url_file: hook}, alerts: {channels: [
                    {name: a, type: webhook, url: "http://127.0.0.1:1/"}, {name: b, type: webhook, url: "${HOOK}"},
                    {name: c, type: ntfy, url: "https://ntfy.example", topic: "${TOPIC}"}]}, network: {proxy: "http://a:b@proxy.test:1"}}
                    """
                try Data(text.utf8).write(to: path)
                let hook = folder.appending(path: "hook")
                try Data("https://hooks.example/secret\n".utf8).write(to: hook)
                try #require(chmod(path.path, own) == 0 && chmod(hook.path, secret) == 0)
                try #require(chmod(folder.path, place) == 0)
                let environment = ["HOOK": "https://hooks.example/secret", "TOPIC": "secret"]
                let (_, warnings) = try ConfigurationLoader.load(path: path.path, environment: environment)
                let examined = try ConfigurationLoader.examine(path: path.path, environment: environment)
                #expect(examined.warnings == warnings)
                #expect(warnings.count == expected.count, "\(warnings)")
                for (warning, words) in zip(warnings, expected) {
                    let place = words.split(separator: " ").first ?? ""
                    #expect(warning.description.contains(":\(place) "), "\(warning)")
                    for word in words.split(separator: " ").dropFirst() {
                        #expect(warning.message.contains(word), "\(warning)")
                    }
                    #expect(!warning.message.contains("abcdefghijklmnop"))
                }
            }
        }

        @Test("a file in another encoding is reported with the line")
        func encoding() throws {
            try inFolder { folder in
                let path = folder.appending(path: "monitor.yaml")
                try Data(Array("version: 1\n# ".utf8) + [0xE9, 0x0A]).write(to: path)
                let fault = #expect(throws: ConfigurationFault.self) {
                    _ = try ConfigurationLoader.load(path: path.path, environment: [:])
                }
                #expect(fault?.description == "\(path.path):2:1: the file is not UTF-8")
            }
        }

        @Test("a file larger than a megabyte is refused before parsing")
        func size() throws {
            try inFolder { folder in
                let path = folder.appending(path: "monitor.yaml")
                try Data(repeating: UInt8(ascii: "#"), count: (1 << 20) + 1).write(to: path)
                let fault = #expect(throws: ConfigurationFault.self) {
                    _ = try ConfigurationLoader.load(path: path.path, environment: [:])
                }
                #expect(fault?.problems.map(\.message) == ["the file is larger than 1 MiB"])
            }
        }

        @Test(
            "nesting and repetition are limited",
            arguments: [
                String(repeating: "[", count: 100_000),
                String(repeating: "{a: ", count: 100_000),
                String(repeating: "- ", count: 100_000),
                String(repeating: "[", count: 900) + String(repeating: "]", count: 900),
                (0..<900).map { String(repeating: " ", count: $0) + "a:\n" }.joined(),
                "version: 1\n" + String(repeating: "a: 1\n", count: 1000),
                "version: 1\ndomains: [" + String(repeating: "a,", count: 400_000) + "a]",
            ])
        func bounds(text: String) {
            #expect(!Fixture.complaints(text).isEmpty)
        }

        @Test("three thousand domains can be read")
        func many() throws {
            let domains = (0..<3000).map { "  - {domain: d\($0).example.com, interval: 1m}\n" }.joined()
            let (file, _) = try Fixture.parse("version: 1\ndomains:\n" + domains)
            #expect(file.domains.count == 3000)
        }

        @Test("no truncated file and no changed character crashes the reader")
        func mutations() throws {
            let text = Array(try Fixture.text("valid", "contract").unicodeScalars)
            let odd: [Unicode.Scalar] = ["\0", "\"", "{", "}", ":", "$", "&", "*", "\t", "\n", "\u{F0000}", "é", "?"]
            for index in stride(from: 0, to: text.count, by: 7) {
                _ = Fixture.complaints(String(String.UnicodeScalarView(text[..<index])))
                var changed = text
                changed[index] = odd[index % odd.count]
                _ = Fixture.complaints(String(String.UnicodeScalarView(changed)))
            }
        }
    }
}
