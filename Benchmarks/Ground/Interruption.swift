// The main thread waits for signals, and the bench runs beside it. An asynchronous `main` would not do: libdispatch then
// parks the main thread with all signals let through.

import Glibc

/// Clears the premises when the bench is told to end.
enum Interruption {
    /// To be called before there is a second thread: those that come inherit it.
    static func blockSignals() {
        var signals = set
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Starts the work, which ends the process when it is done. The first signal ends it before, with the code that a shell
    /// expects.
    static func await(clearing premises: Premises, doing work: @escaping @Sendable () async -> Never) -> Never {
        Task { await work() }
        var signals = set
        var number: Int32 = 0
        while sigwait(&signals, &number) != 0 {}
        premises.clear(exitCode: 128 + number)
        exit(128 + number)
    }

    private static var set: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&set, number) }
        return set
    }
}
