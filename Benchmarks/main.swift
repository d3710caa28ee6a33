// `make bench`: how much client CPU a fetch costs, ours beside libcurl as it comes and the curl tool, all in one run.
// What the numbers mean is told in docs/performance.md.

import CCurl
import Glibc

Interruption.blockSignals()
signal(SIGPIPE, SIG_IGN)
curl_global_init(Int(CURL_GLOBAL_DEFAULT))

do {
    let premises = try Premises()
    Interruption.await(clearing: premises) {
        do {
            try await Benchmark(premises: premises).run()
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
