// Debian's `wrk` asks one path as fast as it is answered.

import Foundation

struct Wrk {
    private let premises: Premises
    private let program: String
    private let script: String

    /// - Throws: `BenchFault` where it is not installed.
    init(premises: Premises) throws {
        guard let program = Tools.find("wrk") else {
            throw BenchFault("wrk missing; run 'make setup', which installs it")
        }
        (self.premises, self.program) = (premises, program)
        script = try premises.write(Data(Self.script.utf8), to: "pages.lua")
    }

    struct Result {
        let answers: Int
        /// Milliseconds.
        let median: Double
        let ninetyNinth: Double
        let perSecond: Double
        /// Bytes of an answer and its headers, nothing of it compressed.
        let bytes: Int
    }

    /// Two clients at once, each with a connection that it keeps. `%d` in the path becomes 1, 2, 3, ... up to `count`.
    /// - Throws: `BenchFault` where an answer is no 2xx, or none comes.
    func ask(_ address: String, _ path: String, upTo count: Int, seconds: Int) throws -> Result {
        let outcome = try premises.run(
            program,
            [
                "--threads", "1", "--connections", "2", "--duration", "\(seconds)s", "--timeout", "30s", "--script",
                script, address, "--", path, "\(count)",
            ])
        let line = outcome.output.split(separator: "\n").last { $0.hasPrefix("result ") } ?? ""
        let numbers = line.split(separator: " ").dropFirst().compactMap { Double($0) }
        guard outcome.code == 0, numbers.count == 6, numbers[0] > 0 else {
            throw BenchFault("wrk says nothing about \(path): \(outcome.firstComplaint)")
        }
        guard numbers[5] == 0 else { throw BenchFault("\(Int(numbers[5])) of the answers to \(path) are errors") }
        return Result(
            answers: Int(numbers[0]), median: numbers[2] / 1000, ninetyNinth: numbers[3] / 1000,
            perSecond: numbers[0] / (numbers[1] / 1e6), bytes: Int(numbers[4] / numbers[0]))
    }

    /// https://github.com/wg/wrk/blob/master/SCRIPTING
    private static let script = """
        local path, count, asked = "/", 1, 0
        function init(arguments)
            path, count = arguments[1], tonumber(arguments[2])
        end
        function request()
            asked = asked % count + 1
            return wrk.format("GET", string.format(path, asked))
        end
        function done(summary, latency)
            local errors = summary.errors
            local all = errors.connect + errors.read + errors.write + errors.status + errors.timeout
            io.write(string.format("result %d %d %d %d %d %d\\n", summary.requests, summary.duration,
                latency:percentile(50), latency:percentile(99), summary.bytes, all))
        end

        """
}
