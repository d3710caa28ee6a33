// Runs every file in the folder of scenarios. A new case is a new file there; CONTRIBUTING.md shows one, ScenarioReader
// has all keys.

import Evidence
import Foundation
import Lab
import LabFaults
import Testing
import TestSupport

@testable import Commands
@testable import FileCommands

extension EndToEndTests {
    @Suite("Scenarios")
    struct ScenarioTests {
        @Test("check reports what the scenario expects", arguments: Scenario.files)
        func play(_ file: String) async throws {
            let scenario = try Scenario(file: file)
            guard Loopback.has(scenario.labAddresses) else {
                print("skipped \(file): this machine has no IPv6 loopback")
                return
            }
            try await ScenarioStage.with(scenario) { set in
                let wanted = scenario.expectation
                let meant = wanted.findings.filter { Stage.slowRules.contains($0.key) }.map(\.value)
                let (text, report, exit) = try await set.stage.repeated {
                    try await check(set, wanted)
                } while: {
                    // Slower than the scenario means it; in the text's run, which is another one, too.
                    Stage.slowRules.flatMap($0.report.severities) != meant
                        || meant.isEmpty && $0.text?.contains(Stage.slow) == true || $0.exit == nil
                }
                let seen = "\(report["diagnosis"]) \(report["findings"])"
                #expect(exit == wanted.exit, "\(seen)")
                expect(report, wanted, seen)
                if let text { expect(text, wanted, of: scenario) }
                let lab = set.stage.lab
                if let asks = wanted.asksCDN { #expect(!lab.cdn.requests(for: scenario.host).isEmpty == asks) }
                for (host, limit) in wanted.requestsAtMost {
                    #expect(lab.origin(host).requests.count <= limit, "\(host)")
                }
            }
        }

        /// Runs the program if the file names words of its text, or an exit code that does not follow from the verdict.
        /// Otherwise checks in this process.
        private func check(
            _ set: ScenarioStage, _ wanted: Expectation
        ) async throws -> (text: String?, report: JSONValue, exit: Int?) {
            guard wanted.text.isEmpty, wanted.exit != 70, !set.scenario.options.contains("--strict") else {
                // Concurrently: many scenarios only wait for timeouts.
                async let text = set.check(format: "text")
                let json = try await set.check(format: "json")
                guard case .exit(let code) = json.end else { throw MonitorProcess.NoJSON(process: json) }
                // If only one of the two was slow, they may end differently, and are repeated.
                let isSame = try await text.end == json.end
                return (try await text.output, try json.json(), isSame ? Int(code) : nil)
            }
            let report = try await set.report()
            let exit =
                switch report.verdict.level {
                case .ok, .warning: 0
                case .failing: 1
                case .unknown: Int(MonitorExit.software.rawValue)
                }
            // The golden files test the text.
            return (nil, try JSONValue(report.json.text(isPretty: false)), exit)
        }

        private func expect(_ report: JSONValue, _ wanted: Expectation, _ seen: String) {
            #expect(report["verdict"] == .string(wanted.verdict), "\(seen)")
            if let state = wanted.state { #expect(report["comparison"]["state"] == .string(state), "\(seen)") }
            for (rule, severity) in wanted.findings {
                #expect(report.severities(of: rule).contains(severity), "\(rule) \(severity): \(seen)")
            }
            #expect(report.errorRules.subtracting(wanted.findings.map(\.key)).isEmpty, "\(seen)")
            for rule in wanted.absent {
                let found = report.rules.filter {
                    rule.hasSuffix("*") ? $0.hasPrefix(rule.dropLast()) : $0 == rule
                }
                #expect(found.isEmpty, "\(seen)")
            }
            if let cause = wanted.cause { #expect(report["diagnosis_id"] == .string(cause), "\(seen)") }
            if let effect = wanted.effect { #expect(report["effect"] == .string(effect), "\(seen)") }
            let diagnosis = report["diagnosis"].string ?? ""
            for words in wanted.diagnosis { #expect(diagnosis.mentions(words), "\(words): \(seen)") }
            for (path, value) in wanted.json {
                let found = path.split(separator: ".").reduce(report) { place, step in
                    Int(step).map { place[$0] } ?? place[String(step)]
                }
                #expect(found == value, "\(path): \(report)")
            }
        }

        private func expect(_ text: String, _ wanted: Expectation, of scenario: Scenario) {
            let first = text.prefix { $0 != "\n" }
            #expect(first.hasPrefix(scenario.host), "\(text)")
            #expect(first.lowercased().contains(wanted.verdict), "\(text)")
            // The verdict and the sentence come before the first empty line: many readers stop there.
            let head = text.split(separator: "\n\n", maxSplits: 1).first.map(String.init) ?? ""
            for words in wanted.diagnosis { #expect(head.mentions(words), "\(words): \(text)") }
            for words in wanted.text { #expect(text.mentions(words), "\(words): \(text)") }
            for (rule, _) in wanted.findings { #expect(text.contains(rule), "\(rule): \(text)") }
        }

        @Test("each known failure that is visible from outside has a scenario")
        func stories() {
            let told = Set(Scenario.files.compactMap { Int($0.prefix(2)) })
            // 17 and 23 depend on the devices' own time and choice, 20 and 21 on the devices themselves: their
            // scenarios show that nothing is found from outside.
            #expect(told.isSuperset(of: 1...26), "\(Set(1...26).subtracting(told).sorted())")
        }

        @Test("each fault that the lab can play has a scenario")
        func faults() throws {
            let texts = try Scenario.files.map {
                try String(contentsOf: Scenario.folder.appending(path: $0), encoding: .utf8)
            }.joined()
            for fault in LabFault.allCases { #expect(texts.contains("fault: \(fault.rawValue)"), "\(fault)") }
            for handshake in LabHandshake.allCases where handshake != .normal {
                #expect(texts.contains("handshake: \(handshake)"), "\(handshake)")
            }
            for certificate in [
                "expired", "not_yet_valid", "wrong_name", "self_signed", "untrusted_root", "missing_intermediate",
                "private_authority", "expired_intermediate", "{expiring_days",
            ] { #expect(texts.contains("certificate: \(certificate)"), "\(certificate)") }
            for hole in LabHole.Kind.allCases { #expect(texts.contains(": \(hole.rawValue)"), "\(hole)") }
        }

        @Test(
            "an invalid scenario is reported with file and line",
            arguments: [
                ("about: a\nexpect:\n  exit: 0\n  verdict: fine\n", 4), ("about: a\nexpct: {}\n", 2),
                ("about: a\norigins:\n  site.test:\n    answer: {file: v1}\n    certificat: valid\n", 5),
                ("about: a\norigins: [\n", 3), ("about: a\nabout: b\n", 1), ("about: a\n", 1), ("", 1),
            ])
        func unreadable(_ text: String, _ line: Int) {
            do {
                _ = try Scenario(file: "bad.yaml", text: text)
                Issue.record("the invalid scenario was accepted")
            } catch {
                #expect("\(error)".hasPrefix("bad.yaml:\(line): "), "\(error)")
            }
        }
    }
}

extension JSONValue {
    fileprivate func severities(of rule: String) -> [String] {
        self["findings"].elements.filter { $0["rule"].string == rule }.compactMap { $0["severity"].string }
    }
}

extension String {
    /// Ignores case and line breaks.
    fileprivate func mentions(_ words: String) -> Bool {
        split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased().contains(words.lowercased())
    }
}
