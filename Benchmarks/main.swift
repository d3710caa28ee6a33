// `make bench`: how much client CPU a fetch costs, ours beside libcurl as it comes and the curl tool; and what reading,
// matching and comparing a file costs, beside jq and Python; and how long a full check takes, beside the slowest answer in
// it. `fetch`, `file` or `check` runs one of them, all by default. What the numbers mean is told in docs/performance.md.

import CCurl
import Glibc

Interruption.blockSignals()
signal(SIGPIPE, SIG_IGN)
curl_global_init(Int(CURL_GLOBAL_DEFAULT))

guard let options = Options(Array(CommandLine.arguments.dropFirst())) else {
    Output.error(Options.usage)
    exit(64)
}
let parts = options.parts

do {
    let premises = try Premises()
    Interruption.await(clearing: premises) {
        do {
            if parts.contains("file") { try FileBenchmark(premises: premises).run() }
            if parts.contains("check") { try await CheckBenchmark().run() }
            if parts.contains("store") { try await StoreBenchmark(premises: premises).run() }
            if parts.contains("fetch") { try await Benchmark(premises: premises).run() }
            if parts.contains("load") { try await LoadBenchmark(premises: premises, settings: options.load).run() }
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
