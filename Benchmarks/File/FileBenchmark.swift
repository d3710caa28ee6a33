// The file itself: how fast it is parsed and linted, beside the JSON parsers that people have at hand, and what a match and
// a comparison cost.

import AASA
import Foundation

struct FileBenchmark {
    /// Odd, so that the median is a run that took place.
    static let rounds = 5

    let premises: Premises

    func run() throws {
        Output.line(
            """
            aasa-monitor-bench: reading, matching and comparing files, CPU time (user + system) of one thread

            runs:    \(Self.rounds) of each, interleaved; median (least to greatest)
            again:   make bench

            """)
        let peers = Peers(premises: premises)
        if let corpus = RealFiles.load() {
            try read(corpus, times: 40, peers, "\(corpus.count) real files that all three read")
        } else {
            Output.line("no real files: set AASA_CORPUS to a folder that holds a folder 'aasa'\n")
        }
        let large = SyntheticFile.ofSize(131_072)
        let path = try premises.write(Data(large), to: "large.json")
        try read([File(path: path, bytes: large)], times: 40, peers, "a synthetic file of 128 KiB")
        try matches()
        try differences()
    }

    /// A file in memory and, for the peers, on disk.
    struct File {
        let path: String
        let bytes: [UInt8]
    }

    private func read(_ files: [File], times: Int, _ peers: Peers, _ title: String) throws {
        let bytes = files.reduce(0) { $0 + $1.bytes.count } * times
        var readers: [(name: String, cpu: () throws -> Duration?)] = [
            ("jq", { try peers.jq(files, times: times) }),
            ("python3 json.loads", { try peers.python(files, times: times) }),
        ]
        readers.append(
            ("parse (ours)", { Self.cpu(files, times) { (try? JSONDocument(parsing: $0))?.root.range.count ?? 0 } }))
        readers.append(
            ("parse and model", { Self.cpu(files, times) { (try? AssociationFile(parsing: $0))?.services.count ?? 0 } })
        )
        readers.append(("parse, model, lint", { Self.cpu(files, 1) { Linter.lint($0).findings.count } * times }))
        var speeds = [[Double]](repeating: [], count: readers.count)
        for _ in 0..<Self.rounds {
            for (index, reader) in readers.enumerated() {
                guard let cpu = try reader.cpu() else { continue }
                speeds[index].append(Double(bytes) / 1e6 / (cpu / .seconds(1)))
            }
        }
        let peer = Spread(speeds[0]).median
        var table = PlainTable(heads: ["reader", "MB/CPU s", "against jq"])
        for (reader, speeds) in zip(readers, speeds) {
            guard !speeds.isEmpty else {
                table.add([reader.name, "not installed", ""])
                continue
            }
            let spread = Spread(speeds)
            table.add([
                reader.name, PlainTable.text(spread, digits: 1),
                peer.isNaN ? "" : PlainTable.number(spread.median / peer, digits: 2) + "x",
            ])
        }
        Output.line("\(title), \(bytes / times) bytes\n\n\(table.text)\n")
    }

    private func matches() throws {
        var table = PlainTable(heads: ["1,000 components, the last one matches", "matches/CPU s", "ns a component"])
        for scene in SyntheticFile.matching {
            let file = try AssociationFile(parsing: scene.bytes)
            guard let links = file.applinks, let url = MatchableURL(scene.url), links.match(url).opens != nil,
                links.match(url).attempts.count == 1000
            else { throw BenchFault("\(scene.name): the last component should have matched") }
            let times = 200
            let speeds = (0..<Self.rounds).map { _ in
                let cpu = Self.cpu { for _ in 0..<times { Sink.take(links.match(url).attempts.count) } }
                return Double(times) / (cpu / .seconds(1))
            }
            let nanoseconds = Spread(speeds.map { 1e9 / $0 / 1000 })
            table.add([
                scene.name, PlainTable.text(Spread(speeds), digits: 0), PlainTable.text(nanoseconds, digits: 0),
            ])
        }
        Output.line("\(table.text)\n")
    }

    private func differences() throws {
        var table = PlainTable(heads: ["two files of 100 components", "ms of CPU", "a proof"])
        for scene in SyntheticFile.differing {
            let old = try AssociationFile(parsing: scene.old).applinks
            let new = try AssociationFile(parsing: scene.new).applinks
            var isProof = false
            let costs = (0..<Self.rounds).map { _ in
                Self.cpu { isProof = BehaviourDiff.compare(old, new).isComplete } / .milliseconds(1)
            }
            table.add([scene.name, PlainTable.text(Spread(costs), digits: 2), isProof ? "yes" : "no"])
        }
        if let corpus = RealFiles.load() {
            let all = corpus.compactMap { try? AssociationFile(parsing: $0.bytes).applinks }
            var isProof = true
            let cost = Self.cpu {
                for links in all where !BehaviourDiff.compare(links, links).isComplete { isProof = false }
            }
            table.add([
                "each of \(all.count) real files with itself", PlainTable.number(cost / .milliseconds(1), digits: 0),
                isProof ? "yes" : "no",
            ])
        }
        Output.line("\(table.text)\n")
    }

    private static func cpu(_ files: [File], _ times: Int, _ body: ([UInt8]) -> Int) -> Duration {
        cpu { for _ in 0..<times { for file in files { Sink.take(body(file.bytes)) } } }
    }

    private static func cpu(_ body: () -> Void) -> Duration {
        let before = Usage.ofSelf.cpu
        body()
        return Usage.ofSelf.cpu - before
    }
}

/// Keeps the compiler from leaving out what nobody looks at.
enum Sink {
    @inline(never)
    static func take(_ value: Int) { withExtendedLifetime(value) {} }
}
