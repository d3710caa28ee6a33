// The driver's thread. Other threads reach it only through the inbox and `curl_multi_wakeup`; all that libcurl owns is
// made, used and freed here. A job is in exactly one place: inbox, queue, or running; `finish` alone takes it out for good.

import CCurl
import Glibc
import Synchronization

final class DriverLoop: Sendable {
    private struct Inbox {
        var arrivals: [Job] = []
        var cancelled: [Ticket] = []
        var stopping = false
        /// nil once the thread has freed it: from then on nobody may wake it.
        var multi: MultiPointer?
        /// Those who wait for the end of the thread.
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let inbox: Mutex<Inbox>
    private let multi: MultiPointer
    private let network: NetworkSettings
    private let maximumConcurrent: Int
    private let patience: Duration

    private static let globalInit: CURLcode = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    init(
        network: NetworkSettings, maximumConcurrent: Int, patience: Duration, keptConnections: Int
    ) throws(CurlError) {
        guard Self.globalInit == CURLE_OK, let pointer = curl_multi_init() else {
            throw CurlError(code: .outOfMemory, phase: .resolving, message: "libcurl does not start")
        }
        multi = MultiPointer(raw: pointer)
        inbox = Mutex(Inbox(multi: multi))
        self.network = network
        self.maximumConcurrent = maximumConcurrent
        self.patience = patience
        // libcurl counts connections in use as well, and closes idle ones while all together are more than this.
        aasa_curl_multi_set_long(
            pointer, CURLMOPT_MAXCONNECTS, keptConnections + Work.limit(maximumConcurrent))
        // No two transfers on one HTTP/2 connection: a fresh one must not lend its connection to another.
        aasa_curl_multi_set_long(pointer, CURLMOPT_PIPELINING, Int(CURLPIPE_NOTHING))
    }

    // MARK: From any thread

    func submit(_ job: Job) {
        let accepted = inbox.withLock { inbox in
            guard !inbox.stopping else { return false }
            inbox.arrivals.append(job)
            inbox.multi?.wake()
            return true
        }
        if !accepted { job.continuation.resume(returning: nil) }
    }

    /// A cancel that overtakes its submission is remembered by the ticket.
    func cancel(_ ticket: Ticket) {
        ticket.cancel()
        inbox.withLock { inbox in
            guard let multi = inbox.multi else { return }
            inbox.cancelled.append(ticket)
            multi.wake()
        }
    }

    /// - Parameter waiter: resumed when the thread is done with everything; at once where it is already.
    func stop(then waiter: CheckedContinuation<Void, Never>? = nil) {
        let ended = inbox.withLock { inbox in
            inbox.stopping = true
            inbox.multi?.wake()
            if inbox.multi != nil, let waiter { inbox.waiters.append(waiter) }
            return inbox.multi == nil
        }
        if ended { waiter?.resume() }
    }

    // MARK: On the driver's thread

    /// The thread's whole life.
    func run() {
        Self.blockBrokenPipe()
        var work = Work(
            multi: multi.raw, network: network, maximumConcurrent: maximumConcurrent, patience: patience)
        while takeInbox(&work) {
            work.startWaiting()
            work.advance()
            // Places that came free are filled before going to sleep.
            if !work.canStart { work.sleep() }
        }
        work.finishAll()
        let waiters = inbox.withLock { inbox in
            inbox.multi = nil
            return inbox.waiters
        }
        curl_multi_cleanup(multi.raw)
        for waiter in waiters { waiter.resume() }
    }

    /// - Returns: false when it is time to end.
    private func takeInbox(_ work: inout Work) -> Bool {
        let (arrivals, cancelled, stopping) = inbox.withLock { inbox in
            defer {
                inbox.arrivals = []
                inbox.cancelled = []
            }
            return (inbox.arrivals, inbox.cancelled, inbox.stopping)
        }
        for job in arrivals { work.enqueue(job) }
        for ticket in cancelled { work.cancel(ticket) }
        return !stopping
    }

    /// With CURLOPT_NOSIGNAL libcurl leaves SIGPIPE to its user. A TLS library that writes to a closed socket raises it in the
    /// writing thread, which is only ever this one.
    private static func blockBrokenPipe() {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }
}

// Sendable: the only call made on it from other threads is curl_multi_wakeup, which libcurl allows from any thread, and only
// under the inbox's lock while the handle is alive. <https://curl.se/libcurl/c/curl_multi_wakeup.html>
struct MultiPointer: @unchecked Sendable {
    let raw: UnsafeMutableRawPointer

    func wake() { curl_multi_wakeup(raw) }
}
