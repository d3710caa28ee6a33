// `make bench` compares a full check with its slowest answer, reading and matching files with jq and Python, a check's cost in
// the store with a plain SQLite transaction, and a sysdiagnose with gzip. `make bench-scale` runs the real program as a
// separate process (`sweep`, `steady`, `load`). docs/performance.md has the figures.

import CCurl
import Glibc

private func run(_ options: Options, in workspace: Workspace) async throws {
    for command in options.commands {
        switch command {
        case .check: try await CheckBenchmark().run()
        case .device: try DeviceBenchmark(workspace: workspace, options: options).run()
        case .file: try FileBenchmark(workspace: workspace).run()
        case .store: try await StoreBenchmark(workspace: workspace).run()
        case .sweep: try await SweepBenchmark(workspace: workspace, options: options).run()
        case .steady: try await SteadyBenchmark(workspace: workspace, options: options).run()
        case .load: try await LoadBenchmark(workspace: workspace, options: options).run()
        case .plot: try PlotBenchmark(record: options.record, folder: "docs/performance").run()
        }
    }
}

/// Runs the commands while the main thread waits for signals. An asynchronous `main` does not work: libdispatch would
/// park the main thread with no signal blocked.
private func start(_ options: Options, in workspace: Workspace) {
    Task {
        do {
            try await run(options, in: workspace)
            workspace.clear(exitCode: 0)
        } catch {
            Output.error("\(error)")
            workspace.clear(exitCode: 1)
        }
    }
}

// Block the signals before the first other thread: threads inherit the mask.
private var signals = sigset_t()
sigemptyset(&signals)
for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, number) }
pthread_sigmask(SIG_BLOCK, &signals, nil)
signal(SIGPIPE, SIG_IGN)
curl_global_init(Int(CURL_GLOBAL_DEFAULT))

guard let options = Options(Array(CommandLine.arguments.dropFirst())) else {
    Output.error(Options.usage)
    exit(64)
}
do {
    let workspace = try Workspace()
    start(options, in: workspace)
    var number: Int32 = 0
    while sigwait(&signals, &number) != 0 {}
    workspace.clear(exitCode: 128 + number)
} catch {
    Output.error("\(error)")
    exit(1)
}
