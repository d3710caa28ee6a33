// `make bench`: the client CPU of a fetch, beside libcurl with its defaults and the curl tool; reading, matching and comparing
// a file, beside jq and Python; the time of a full check, beside the slowest answer in it; the time to a first verdict, beside
// peers that never answer; and what a check costs in the store, beside a plain SQLite transaction. `fetch`, `file`, `check`,
// `dead` or `store` runs one of them; the default is all five.
// `sweep`, `load`, `steady` and `pages` run by name only, since they take many minutes: the real program while all its origins
// fail, while all are well, and while its pages are asked for. docs/performance.md explains the numbers.

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
            if parts.contains("dead") { try await DeadPeersBenchmark().run() }
            if parts.contains("store") { try await StoreBenchmark(premises: premises).run() }
            if parts.contains("fetch") { try await Benchmark(premises: premises).run() }
            if parts.contains("sweep") { try await SweepBenchmark(premises: premises, settings: options.load).run() }
            if parts.contains("steady") { try await SteadyBenchmark(premises: premises, settings: options.load).run() }
            if parts.contains("pages") { try await PagesBenchmark(premises: premises, settings: options.load).run() }
            if parts.contains("plot"), let record = options.load.record {
                try PlotBenchmark(record: record, folder: "docs/performance").run()
            }
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
