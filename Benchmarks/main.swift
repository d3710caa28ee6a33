// `make bench`: how much client CPU a fetch costs, ours beside libcurl as it comes and the curl tool; and what reading,
// matching and comparing a file costs, beside jq and Python. `fetch` or `file` runs one of the two, all by default. What
// the numbers mean is told in docs/performance.md.

import CCurl
import Glibc

Interruption.blockSignals()
signal(SIGPIPE, SIG_IGN)
curl_global_init(Int(CURL_GLOBAL_DEFAULT))

let chosen = Set(CommandLine.arguments.dropFirst())
let parts: Set = chosen.isEmpty ? ["fetch", "file"] : chosen
guard parts.isSubset(of: ["fetch", "file"]) else {
    Output.error("usage: aasa-monitor-bench [fetch] [file]")
    exit(64)
}

do {
    let premises = try Premises()
    Interruption.await(clearing: premises) {
        do {
            if parts.contains("file") { try FileBenchmark(premises: premises).run() }
            if parts.contains("fetch") { try await Benchmark(premises: premises).run() }
            premises.clear()
            exit(0)
        } catch {
            premises.clear()
            Output.error("\(error)")
            exit(1)
        }
    }
} catch {
    Output.error("\(error)")
    exit(1)
}
