import Foundation
import MonitorConfiguration
import Testing

extension ConfigurationSuite {
    @Suite struct StorePathTests {
        private static func folder(_ text: String) throws -> URL {
            let folder = FileManager.default.temporaryDirectory.appending(path: "aasa-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: folder.appending(path: "monitor.yaml"))
            return folder
        }

        @Test(
            "the store's path is found even if the rest of the configuration is invalid",
            arguments: [
                ("version: 1\ndomains: [example.com]\n", [:], "FOLDER/aasa-monitor.db"),
                ("domains: 7\nunknown: ${UNSET}\nstore: {path: own.db, more: 1}\n", [:], "FOLDER/own.db"),
                ("store: {path: /var/lib/own.db}\n", ["STATE_DIRECTORY": "/var/lib/x"], "/var/lib/own.db"),
                ("store: {path: own.db}\n", ["STATE_DIRECTORY": "/var/lib/x:/var/lib/y"], "/var/lib/x/own.db"),
                ("store: {path: \"${NAME}.db\"}\n", ["NAME": "b"], "FOLDER/b.db"),
                ("store: {path: ~/own.db}\n", ["HOME": "/home/eva"], "/home/eva/own.db"),
                ("store: {path: ~/own.db}\n", ["HOME": "/home/eva", "STATE_DIRECTORY": "/x"], "/home/eva/own.db"),
                (
                    "alerts: {channels: [{name: ops, type: slack, url_file: /nowhere}]}\nstore: {path: own.db}\n", [:],
                    "FOLDER/own.db"
                ),
            ] as [(String, [String: String], String)])
        func found(_ text: String, _ environment: [String: String], _ expected: String) throws {
            let folder = try Self.folder(text)
            defer { try? FileManager.default.removeItem(at: folder) }
            let path = try ConfigurationLoader.storePath(
                path: folder.appending(path: "monitor.yaml").path, environment: environment)
            #expect(path == expected.replacing("FOLDER", with: folder.path))
        }

        @Test(
            "an invalid store path is an error",
            arguments: ["store: [1]\n", "store: {path: [1]}\n", "store: {path: \"${UNSET}\"}\n", "a: [\n", ""])
        func unknown(_ text: String) throws {
            let folder = try Self.folder(text)
            defer { try? FileManager.default.removeItem(at: folder) }
            #expect(throws: ConfigurationFault.self) {
                try ConfigurationLoader.storePath(
                    path: folder.appending(path: "monitor.yaml").path, environment: [:])
            }
        }
    }
}
