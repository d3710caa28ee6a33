import Foundation

/// The system's curl tool, one process for all fetches of a run.
struct CurlToolContender: Contender {
    let premises: Premises
    /// Path of the tool.
    let curl: String

    let name = "curl --parallel"

    func sample(_ workload: Workload, fetches: Int) throws -> Sample {
        let entry = "url = \"\(workload.url)\"\noutput = \"/dev/null\"\n"
        let list = try premises.write(Data(String(repeating: entry, count: fetches).utf8), to: "urls")
        let outcome = try premises.run(
            curl,
            [
                // Without the user's .curlrc; without the progress meter, but with its complaints.
                "-q", "--no-progress-meter", "--fail-early", "--max-time", "20",
                "--parallel", "--parallel-max", "\(workload.concurrency)",
                "--resolve", workload.resolve, "--cacert", workload.caFile,
                "--write-out", "%{http_code} %{size_download} %{num_connects}\\n", "--config", list,
            ])
        guard outcome.code == 0 else {
            throw BenchFault("\(name) ended with \(outcome.code): \(outcome.firstComplaint)")
        }
        var connections = 0
        let lines = outcome.output.split(separator: "\n")
        for line in lines {
            let numbers = line.split(separator: " ").compactMap { Int($0) }
            guard numbers.count == 3 else { throw BenchFault("\(name) wrote '\(line)'") }
            try workload.check(status: numbers[0], bytes: numbers[1], by: name)
            connections += numbers[2]
        }
        guard lines.count == fetches else { throw BenchFault("\(name) made \(lines.count) of \(fetches) fetches") }
        return Sample(name: name, fetches: fetches, connections: connections, wall: outcome.wall, cpu: outcome.cpu)
    }
}
