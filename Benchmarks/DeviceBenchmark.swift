// `device` with a sysdiagnose of 300 MB, compared with `gzip -dc` to /dev/null.

import Foundation
import Glibc
import TestSupport

struct DeviceBenchmark {
    let workspace: Workspace
    let options: Options

    private static let rounds = 3
    private static let app = "ABCDE12345.com.example.app"

    func run() throws {
        let monitor = try options.program()
        let archive = try makeArchive()
        let size = try FileManager.default.attributesOfItem(atPath: archive)[.size] as? Int ?? 0
        Output.heading(
            "one member of a sysdiagnose, of \(size / 1_000_000) MB, the last in it",
            [
                ("runs", "\(Self.rounds) of each, interleaved; median (least to greatest)"),
                ("again", "aasa-monitor-bench device"),
            ])
        let contenders: [(name: String, words: [String])] = [
            ("gzip -dc", ["/bin/sh", "-c", "exec gzip -dc \(archive) >/dev/null"]),
            ("device --app", [monitor, "device", archive, "--offline", "--app", Self.app]),
        ]
        var seconds: [[Double]] = [[], []]
        var cpu: [[Double]] = [[], []]
        for _ in 0..<Self.rounds {
            for (index, contender) in contenders.enumerated() {
                let outcome = try workspace.run(contender.words[0], Array(contender.words.dropFirst()))
                guard outcome.code == 0 else { throw BenchFault("\(contender.name): \(outcome.firstError)") }
                seconds[index].append(outcome.elapsed / .seconds(1))
                cpu[index].append(outcome.cpu / .seconds(1))
            }
        }
        let base = Spread(seconds[0]).median
        var table = Table(["program", "s", "against gzip", "CPU s", "MB of memory"])
        for (index, contender) in contenders.enumerated() {
            let spread = Spread(seconds[index])
            table.add([
                contender.name, spread.text(2), (spread.median / base).text(2), Spread(cpu[index]).text(2),
                try peak(of: contender.words).text(0),
            ])
        }
        Output.line("\(table.text)\n")
    }

    /// MB. Measured from Python: a child's peak includes the memory of the parent that forked it, and this program is
    /// larger
    /// than what it measures.
    private func peak(of words: [String]) throws -> Double {
        let script = """
            import resource, subprocess, sys
            subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
            print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
            """
        let outcome = try workspace.run(try Workspace.tool("python3"), ["-c", script] + words)
        guard outcome.code == 0, let size = Double(outcome.output.trimmingCharacters(in: .whitespacesAndNewlines))
        else {
            throw BenchFault("python3: \(outcome.firstError)")
        }
        return size * 1024 / 1e6
    }

    /// The content of a sysdiagnose: much compressed data, much text, and the report of 2,000 apps.
    private func makeArchive() throws -> String {
        let folder = "sysdiagnose_2026.11.20_10-09-00+0000_iPhone-OS_iPhone_23B85"
        try FileManager.default.createDirectory(atPath: workspace.path(folder), withIntermediateDirectories: true)
        var generator = SeededGenerator(seed: 1)
        var names: [String] = []
        for index in 0..<60 {
            let random = (0..<(1 << 19)).map { _ in generator.next() }
            var data = random.withUnsafeBytes { Data($0) }
            for line in 0..<60_000 {
                let number = random[line]
                data += Data(
                    "2026-11-20 10:09:00.\(number % 1_000_000) default swcd[\(number % 977)] <\(number % 31)> entry \(line)\n"
                        .utf8)
            }
            names.append("\(folder)/log\(index).tracev3")
            try data.write(to: URL(filePath: workspace.path(names[index])))
        }
        names.append("\(folder)/swcutil_show.txt")
        _ = try workspace.write(report, to: names[60])
        let archive = workspace.path("sysdiagnose.tar.gz")
        let outcome = try workspace.run(
            try Workspace.tool("tar"), ["-C", workspace.folder, "-czf", archive] + names)
        guard outcome.code == 0 else { throw BenchFault("tar: \(outcome.firstError)") }
        for name in names { try FileManager.default.removeItem(atPath: workspace.path(name)) }
        return archive
    }

    private var report: String {
        let entries = (0..<2000).map { index in
            let patterns = (0..<(1 + index % 40)).map { #"{"/":"/p\#($0)/*"}"# }.joined(separator: ", ")
            return """
                Service:              applinks
                App ID:               \(index == 1999 ? Self.app : "ABCDE\(10_000 + index).com.example.app\(index)")
                App Version:          1.0
                Domain:               d\(index).example.com
                Patterns:             \(patterns)
                User Approval:        unspecified
                Site/Fmwk Approval:   approved
                Last Checked:         2026-11-19 10:09:00 +0000
                Next Check:           2026-11-24 10:00:00 +0000
                """
        }
        let rule = "\n" + String(repeating: "-", count: 80) + "\n"
        return entries.joined(separator: rule)
    }
}
