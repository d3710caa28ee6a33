// The JSON parsers that people have at hand. Each reads all files in one process; what starting it costs is not counted.

import Foundation

struct Peers {
    let premises: Premises
    private let jqPath = Tools.find("jq")
    private let pythonPath = Tools.find("python3")

    init(premises: Premises) { self.premises = premises }

    /// Reads the files from the page cache, as it has no other way; the CPU of an empty run is taken off.
    /// - Returns: nil where there is no jq.
    func jq(_ files: [FileBenchmark.File], times: Int) throws -> Duration? {
        guard let jqPath else { return nil }
        let count = #"reduce inputs as $value (0; . + 1)"#
        let idle = try checked(premises.run(jqPath, ["-n", "0"]), prints: "0")
        let names = Array(repeating: files.map(\.path), count: times).flatMap { $0 }
        // The system bounds the length of a command line.
        var cpu = Duration.zero
        for start in stride(from: 0, to: names.count, by: 4000) {
            let part = Array(names[start..<min(start + 4000, names.count)])
            cpu += try checked(premises.run(jqPath, ["-n", count] + part), prints: "\(part.count)").cpu - idle.cpu
        }
        return cpu
    }

    /// From memory: the clock runs around `json.loads` alone.
    /// - Returns: nil where there is no python3.
    func python(_ files: [FileBenchmark.File], times: Int) throws -> Duration? {
        guard let pythonPath else { return nil }
        let script = """
            import json, sys, time
            texts = [open(name, 'rb').read() for name in sys.argv[2:]]
            before = time.process_time_ns()
            for _ in range(int(sys.argv[1])):
                for text in texts: json.loads(text)
            print(time.process_time_ns() - before)
            """
        let outcome = try premises.run(pythonPath, ["-c", script, "\(times)"] + files.map(\.path))
        guard outcome.code == 0, let nanoseconds = Int64(outcome.output.trimmingCharacters(in: .whitespacesAndNewlines))
        else { throw BenchFault("python3: \(outcome.firstComplaint)") }
        return .nanoseconds(nanoseconds)
    }

    private func checked(_ outcome: Outcome, prints expected: String) throws -> Outcome {
        guard outcome.code == 0, outcome.output.trimmingCharacters(in: .whitespacesAndNewlines) == expected else {
            throw BenchFault("jq: \(outcome.firstComplaint)")
        }
        return outcome
    }
}
