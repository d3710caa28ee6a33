// Single files: how fast they are parsed and linted, compared with common JSON parsers, and what a match and a comparison
// cost.

import AASA
import Foundation
import Glibc
import TestSupport

struct FileBenchmark {
    let workspace: Workspace

    private static let rounds = 5

    /// In memory and, for the other programs, on disk.
    private struct File {
        let path: String
        let bytes: [UInt8]
    }

    func run() throws {
        Output.heading(
            "reading, matching and comparing files, CPU time (user + system) of one thread",
            [
                ("runs", "\(Self.rounds) of each, interleaved; median (least to greatest)"),
                ("again", "aasa-monitor-bench file"),
            ])
        let real = try realFiles()
        if real.isEmpty {
            Output.line("no real files: set AASA_CORPUS to a folder with a subfolder 'aasa'\n")
        } else {
            try read(real, "\(real.count) real files that all three read")
        }
        let large = SyntheticFile.ofSize(131_072)
        let path = try workspace.write(String(decoding: large, as: UTF8.self), to: "large.json")
        try read([File(path: path, bytes: large)], "a synthetic file of 128 KiB")
        try match()
        try compare(real)
    }

    /// The corpus files that all readers accept: valid JSON without a byte order mark.
    private func realFiles() throws -> [File] {
        guard let corpus = Corpus.find(holding: "aasa") else { return [] }
        return try corpus.files(in: "aasa", withExtension: "aasa").compactMap { file in
            guard let document = try? JSONDocument(parsing: file.bytes), !document.hasByteOrderMark else { return nil }
            return File(path: corpus.root.appending(path: "aasa/\(file.name)").path, bytes: file.bytes)
        }
    }

    private func read(_ files: [File], _ title: String) throws {
        let times = 40
        let bytes = files.reduce(0) { $0 + $1.bytes.count }
        func cpu(times: Int, _ body: ([UInt8]) -> Int) -> Duration {
            Self.cpu { for _ in 0..<times { for file in files { keep(body(file.bytes)) } } }
        }
        let readers: [(name: String, cpu: () throws -> Duration?)] = [
            ("jq", { try jq(files, times: times) }),
            ("python3 json.loads", { try python(files, times: times) }),
            ("parse (ours)", { cpu(times: times) { (try? JSONDocument(parsing: $0))?.root.range.count ?? 0 } }),
            ("parse and model", { cpu(times: times) { (try? AssociationFile(parsing: $0))?.services.count ?? 0 } }),
            ("parse, model, lint", { cpu(times: 1) { Linter.lint($0).findings.count } * times }),
        ]
        var speeds: [[Double]] = readers.map { _ in [] }
        for _ in 0..<Self.rounds {
            for (index, reader) in readers.enumerated() {
                guard let cpu = try reader.cpu() else { continue }
                speeds[index].append(Double(bytes * times) / 1e6 / (cpu / .seconds(1)))
            }
        }
        // A reader that is not installed shows "-".
        let spreads = speeds.map { Spread($0) }
        var table = Table(["reader", "MB/CPU s", "against jq"])
        for (reader, speed) in zip(readers, spreads) {
            table.add([reader.name, speed.text(1), (speed.median / spreads[0].median).text(2)])
        }
        Output.line("\(title), \(bytes) bytes\n\n\(table.text)\n")
    }

    private func match() throws {
        var table = Table(["1,000 components, the last one matches", "matches/CPU s", "ns a component"])
        for scene in SyntheticFile.matching {
            guard let links = try AssociationFile(parsing: scene.bytes).applinks, let url = MatchableURL(scene.url),
                links.match(url).opens != nil, links.match(url).attempts.count == 1000
            else { throw BenchFault("\(scene.name): the last component should have matched") }
            let seconds = (0..<Self.rounds).map { _ in
                Self.cpu { for _ in 0..<200 { keep(links.match(url).attempts.count) } } / .seconds(200)
            }
            table.add([
                scene.name, Spread(seconds.map { 1 / $0 }).text(0), Spread(seconds.map { $0 * 1e9 / 1000 }).text(0),
            ])
        }
        Output.line("\(table.text)\n")
    }

    private func compare(_ real: [File]) throws {
        var table = Table(["two files of 100 components", "ms of CPU", "a proof"])
        for scene in SyntheticFile.differing {
            let old = try AssociationFile(parsing: scene.old).applinks
            let new = try AssociationFile(parsing: scene.new).applinks
            var isProof = false
            let costs = (0..<Self.rounds).map { _ in
                Self.cpu { isProof = BehaviourDiff.compare(old, new).isComplete } / .milliseconds(1)
            }
            table.add([scene.name, Spread(costs).text(2), isProof ? "yes" : "no"])
        }
        let all = real.compactMap { try? AssociationFile(parsing: $0.bytes).applinks }
        var isProof = true
        let cost = Self.cpu {
            for links in all where !BehaviourDiff.compare(links, links).isComplete { isProof = false }
        }
        if !all.isEmpty {
            let name = "each of \(all.count) real files with itself"
            table.add([name, (cost / .milliseconds(1)).text(0), isProof ? "yes" : "no"])
        }
        Output.line("\(table.text)\n")
    }

    // MARK: - Other parsers

    /// Reads files from the page cache, because jq cannot read from memory. The CPU of an empty run is subtracted.
    /// - Returns: nil if jq is not installed.
    private func jq(_ files: [File], times: Int) throws -> Duration? {
        guard let program = Workspace.find("jq") else { return nil }
        func cpu(_ arguments: [String], prints expected: Int) throws -> Duration {
            let outcome = try workspace.run(program, ["-n"] + arguments)
            guard outcome.code == 0, outcome.output == "\(expected)\n" else {
                throw BenchFault("jq: \(outcome.firstError)")
            }
            return outcome.cpu
        }
        let names = Array(repeating: files.map(\.path), count: times).flatMap { $0 }
        // The system limits the length of a command line.
        let idle = try cpu(["0"], prints: 0)
        var sum = Duration.zero
        for start in stride(from: 0, to: names.count, by: 4000) {
            let part = Array(names[start..<min(start + 4000, names.count)])
            sum += try cpu(["reduce inputs as $value (0; . + 1)"] + part, prints: part.count) - idle
        }
        return sum
    }

    /// Reads from memory, like our parser: it times only `json.loads`.
    /// - Returns: nil if python3 is not installed.
    private func python(_ files: [File], times: Int) throws -> Duration? {
        guard let program = Workspace.find("python3") else { return nil }
        let script = """
            import json, sys, time
            texts = [open(name, 'rb').read() for name in sys.argv[2:]]
            before = time.process_time_ns()
            for _ in range(int(sys.argv[1])):
                for text in texts: json.loads(text)
            print(time.process_time_ns() - before)
            """
        let outcome = try workspace.run(program, ["-c", script, "\(times)"] + files.map(\.path))
        guard outcome.code == 0, let nanoseconds = Int64(outcome.output.trimmingCharacters(in: .whitespacesAndNewlines))
        else { throw BenchFault("python3: \(outcome.firstError)") }
        return .nanoseconds(nanoseconds)
    }

    private static func cpu(_ body: () -> Void) -> Duration {
        let before = rusage.cpuOfSelf
        body()
        return rusage.cpuOfSelf - before
    }
}

/// Keeps the compiler from removing work whose result is not used.
@inline(never)
private func keep(_ value: Int) { withExtendedLifetime(value) {} }

/// Generated files, the same in each run.
private enum SyntheticFile {
    /// As many components as fit, then spaces.
    static func ofSize(_ size: Int) -> [UInt8] {
        let end = Array("\n      ]\n    } ]\n  }\n}\n".utf8)
        var bytes = Array(
            "{\n  \"applinks\": {\n    \"details\": [ {\n      \"appIDs\": [\"\(app)\"],\n      \"components\": [".utf8)
        for index in 0..<size {
            let component = Array(
                """
                \(index == 0 ? "" : ",")
                        { "/": "/shop/section-\(index)/*", "?": { "item": "\(index)*" }, "exclude": \(index % 5 == 0), \
                "comment": "rule \(index), caf\\u00e9" }
                """.utf8)
            guard bytes.count + component.count + end.count <= size else { break }
            bytes += component
        }
        bytes += end
        return bytes + Array(repeating: 0x20, count: size - bytes.count)
    }

    /// The URL matches only the last component.
    static let matching: [(name: String, bytes: [UInt8], url: String)] = [
        ("/sectionN/*", file { #""/":"/section\#($0)/*""# }, "/section999/a/b?x=1"),
        ("/*/itemN/*/end", file { #""/":"/*/item\#($0)/*/end""# }, "/some/item999/more/end"),
        (
            "/$(lang)/$(region)/itemN/*", file { #""/":"/$(lang)/$(region)/item\#($0)/*""# },
            "/en/US/item999/x"
        ),
        (
            "/buy/* with two query items", file { #""/":"/buy/*","?":{"item":"x\#($0)","b":"?*"}"# },
            "/buy/z?b=1&item=x999"
        ),
        (
            "caseSensitive and percentEncoded false",
            file { #""/":"/Größe/\#($0)/*","caseSensitive":false,"percentEncoded":false"# },
            "/gr%C3%B6%C3%9Fe/999/x"
        ),
    ]

    static let differing: [(name: String, old: [UInt8], new: [UInt8])] = [
        (
            "one exclusion added", file(100) { #""/":"/section\#($0)/*""# },
            file(100) { $0 == 50 ? #""/":"/section51/private/*","exclude":true"# : #""/":"/section\#($0)/*""# }
        ),
        (
            "the same in reverse order", file(100) { #""/":"/section\#($0)/*""# },
            file(100) { #""/":"/section\#(99 - $0)/*""# }
        ),
        (
            "with queries and variables", file(100) { #""/":"/$(lang)/p\#($0)/*","?":{"q":"?*"}"# },
            file(100) { #""/":"/$(lang)/p\#($0)/*","?":{"q":"*"}"# }
        ),
    ]

    private static let app = "ABCDE12345.com.example.app"

    private static func file(_ count: Int = 1000, _ component: (Int) -> String) -> [UInt8] {
        let components = (0..<count).map { "{\(component($0))}" }.joined(separator: ",")
        return Array(#"{"applinks":{"details":[{"appIDs":["\#(app)"],"components":[\#(components)]}]}}"#.utf8)
    }
}
