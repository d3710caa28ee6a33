// Warnings after a reload about secrets that only a restart reads again.

import Facts
import Foundation
import MonitorConfiguration
import Testing

extension ConfigurationSuite {
    @Suite struct ReloadTests {
        private let folder = FileManager.default.temporaryDirectory.appending(path: "aasa-\(UUID().uuidString)")

        private func write(_ name: String, _ text: String, at date: Date) throws {
            try FileManager.default.createDirectory(
                at: folder.appending(path: "credentials"), withIntermediateDirectories: true)
            let path = folder.appending(path: name).path
            try Data(text.utf8).write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
        }

        /// `service`: the current text of the environment file.
        private func reload(_ channel: String, service: String?, changedAfter seconds: TimeInterval) throws -> [String]
        {
            let start = Date(timeIntervalSince1970: 1_795_244_400)
            let text = "version: 1\ndomains: [a.test]\nalerts: {channels: [{name: a, type: slack, \(channel)}]}\n"
            try write("monitor.yaml", text, at: start)
            try write("credentials/hook", "https://hooks.test/c", at: start + seconds)
            if let service { try write("environment", service, at: start + seconds) }
            defer { try? FileManager.default.removeItem(at: folder) }
            let environment = [
                "INVOCATION_ID": "1", "HOOK": "https://hooks.test/old",
                "CREDENTIALS_DIRECTORY": folder.appending(path: "credentials").path,
            ]
            let (_, warnings) = try ConfigurationLoader.reload(
                path: folder.appending(path: "monitor.yaml").path, since: start, environment: environment,
                service: ServiceEnvironment(path: folder.appending(path: "environment").path))
            return warnings.map(\.message).filter { $0.contains("restart") }
        }

        @Test("if a variable has a new value in the service's file, the warning names it without the value")
        func variable() throws {
            let warnings = try reload(#"url: "${HOOK}""#, service: "HOOK=https://hooks.test/new\n", changedAfter: 60)
            #expect(warnings.count == 1 && warnings[0].hasPrefix("'HOOK' has a new value in "), "\(warnings)")
            #expect(!warnings[0].contains("hooks.test"))
        }

        @Test(
            "a file that is unchanged, older than the process, or about other variables gets no warning",
            arguments: [
                ("HOOK='https://hooks.test/old'\n", 60), ("HOOK=https://hooks.test/new\n", -60),
                ("OTHER=1\n", 60), (nil, 60),
            ] as [(String?, TimeInterval)])
        func unchanged(_ service: String?, _ seconds: TimeInterval) throws {
            #expect(try reload(#"url: "${HOOK}""#, service: service, changedAfter: seconds).isEmpty)
        }

        @Test("a credential gets a warning unless systemd has written it since the start", arguments: [-1.0, 60])
        func credential(_ seconds: TimeInterval) throws {
            let warnings = try reload(
                #"url_file: "${CREDENTIALS_DIRECTORY}/hook""#, service: nil, changedAfter: seconds)
            #expect(warnings.count == (seconds < 0 ? 1 : 0), "\(warnings)")
            #expect(warnings.allSatisfy { $0.hasPrefix("the file of 'url_file' is a credential") })
        }
    }
}
