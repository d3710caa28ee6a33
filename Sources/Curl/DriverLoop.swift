// The driver's thread. Other threads reach it only through the inbox and `curl_multi_wakeup`. libcurl's objects are
// created, used and freed here. A job is in exactly one place: inbox, queue or running. Only `finish` removes it.

import CCurl
import DequeModule
import Facts
import Glibc
import Synchronization

final class DriverLoop: Sendable {
    private struct Inbox {
        var arrivals: [Job] = []
        var cancelled: [CancellationToken] = []
        var stopping = false
        /// nil once the thread has freed it: nobody may wake it after that.
        var multi: MultiPointer?
        /// Callers that wait for the end of the thread.
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let inbox: Mutex<Inbox>
    private let multi: MultiPointer

    private static let globalInit: CURLcode = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    init(maximumConcurrent: Int, keptConnections: Int) throws(CurlError) {
        guard Self.globalInit == CURLE_OK, let pointer = curl_multi_init() else {
            throw CurlError(code: .outOfMemory, phase: .resolving, message: "libcurl does not start")
        }
        multi = MultiPointer(raw: pointer)
        inbox = Mutex(Inbox(multi: multi))
        // libcurl counts busy connections too, and closes idle ones while the total exceeds this.
        aasa_curl_multi_set_long(
            pointer, CURLMOPT_MAXCONNECTS, keptConnections + Work.limit(maximumConcurrent))
        // No two transfers share one HTTP/2 connection: a fresh transfer needs a connection of its own.
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

    /// The ticket remembers a cancellation that arrives before its submission.
    func cancel(_ ticket: CancellationToken) {
        ticket.cancel()
        inbox.withLock { inbox in
            guard let multi = inbox.multi else { return }
            inbox.cancelled.append(ticket)
            multi.wake()
        }
    }

    /// - Parameter waiter: resumed when the thread is done with everything; immediately if it already is.
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

    func run(network: NetworkSettings, maximumConcurrent: Int, slotTimeout: Duration) {
        Self.blockBrokenPipe()
        var work = Work(
            multi: multi.raw, network: network, maximumConcurrent: maximumConcurrent, slotTimeout: slotTimeout)
        while takeInbox(&work) {
            work.startWaiting()
            work.advance()
            // Fill freed slots before sleeping.
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

    /// With CURLOPT_NOSIGNAL libcurl leaves SIGPIPE to the program. A TLS library that writes to a closed socket raises
    /// it in the writing thread, which is always this one.
    private static func blockBrokenPipe() {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }
}

// Sendable: other threads call only curl_multi_wakeup. libcurl allows that from any thread, and the inbox's lock
// ensures that the handle is alive. <https://curl.se/libcurl/c/curl_multi_wakeup.html>
struct MultiPointer: @unchecked Sendable {
    let raw: UnsafeMutableRawPointer

    func wake() { curl_multi_wakeup(raw) }
}

/// The jobs of the driver's thread: those that wait and those that run. Confined to that thread.
private struct Work {
    struct Running {
        let job: Job
        let transfer: Transfer
        /// The thread's idle time when the transfer started.
        let start: Duration
    }

    /// Maximum of running transfers, with or without a slot: each uses a file descriptor.
    static func limit(_ places: Int) -> Int { max(places, min(16 * places, 1024)) }

    let multi: UnsafeMutableRawPointer
    let network: NetworkSettings
    let maximumConcurrent: Int
    /// A transfer that waits this long for its server gives its slot to the next: it costs only a socket, and a
    /// thousand silent servers do not delay one that answers. Only the thread's idle time counts, so under load no
    /// transfer loses its slot.
    let slotTimeout: Duration
    var waiting: [UInt64: Job] = [:]
    /// The IDs in `waiting`, oldest first, and some that have left it.
    var order = Deque<UInt64>()
    var running: [UInt64: Running] = [:]
    /// The IDs in `running`, by handle.
    var numbers: [UnsafeMutableRawPointer: UInt64] = [:]
    /// The IDs in `running` that hold a slot, oldest first.
    var placed: [UInt64] = []
    /// How long the thread has slept.
    var idle: Duration = .zero

    var canStart: Bool {
        mutating get {
            guard !waiting.isEmpty, running.count < Self.limit(maximumConcurrent) else { return false }
            placed.removeAll { id in running[id].map { idle >= $0.start + slotTimeout } ?? true }
            return placed.count < maximumConcurrent
        }
    }

    /// The oldest job in `waiting`.
    private var next: Job? {
        mutating get {
            while let id = order.first {
                if let job = waiting[id] { return job }
                order.removeFirst()
            }
            return nil
        }
    }

    mutating func enqueue(_ job: Job) {
        waiting[job.id] = job
        order.append(job.id)
        if job.ticket.isCancelled { cancel(job.ticket) }
    }

    /// Does nothing if the job has already ended.
    mutating func cancel(_ ticket: CancellationToken) { finish(ticket.number, with: nil) }

    mutating func startWaiting() {
        while canStart, let job = next {
            do throws(CurlError) {
                try start(job)
            } catch {
                let isByProxy = (job.request.proxy ?? network.proxy) != nil
                finish(
                    job.id,
                    with: TransferResult(
                        error: error, connection: Connection(timings: Timings(total: 0), viaProxy: isByProxy)))
            }
        }
    }

    private mutating func start(_ job: Job) throws(CurlError) {
        let transfer = try Transfer(job.request, settings: network, ticket: job.ticket)
        let code = curl_multi_add_handle(multi, transfer.easy.pointer)
        guard code == CURLM_OK else { throw Self.loopFault(code) }
        waiting[job.id] = nil
        numbers[transfer.easy.pointer] = job.id
        running[job.id] = Running(job: job, transfer: transfer, start: idle)
        placed.append(job.id)
    }

    /// Lets libcurl work without waiting, and delivers what has ended.
    mutating func advance() {
        var active: Int32 = 0
        let code = curl_multi_perform(multi, &active)
        guard code == CURLM_OK else {
            for id in Array(running.keys) { finish(id, with: TransferResult(error: Self.loopFault(code))) }
            return
        }
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE else { continue }
            // Read before the handle leaves the multi handle, which frees the message.
            let (handle, result) = (message.pointee.easy_handle, message.pointee.data.result)
            guard let id = handle.flatMap({ numbers[$0] }), let entry = running[id] else { continue }
            finish(id, with: entry.transfer.result(result))
        }
    }

    /// Waits for a socket, a timeout or a wakeup, or until a slot becomes free for a waiting job.
    mutating func sleep() {
        let start = ContinuousClock.now
        let isFull = running.count >= Self.limit(maximumConcurrent)
        let oldest = waiting.isEmpty || isFull ? nil : placed.compactMap { running[$0]?.start }.min()
        let left = oldest.map { max(.zero, $0 + slotTimeout - idle) } ?? .seconds(60)
        // libcurl shortens this to its own next timeout.
        if curl_multi_poll(multi, nil, 0, Int32(left / .milliseconds(1)) + 1, nil) != CURLM_OK {
            // Out of memory: try again after a pause, not in a busy loop.
            usleep(10_000)
        }
        idle += start.duration(to: .now)
    }

    mutating func finishAll() {
        for id in Array(waiting.keys) + Array(running.keys) { finish(id, with: nil) }
    }

    /// The only place where a job leaves and its task continues; `nil` for a cancelled job.
    private mutating func finish(_ id: UInt64, with result: TransferResult?) {
        if let entry = running.removeValue(forKey: id) {
            numbers[entry.transfer.easy.pointer] = nil
            curl_multi_remove_handle(multi, entry.transfer.easy.pointer)
            entry.job.continuation.resume(returning: result)
        } else if let job = waiting.removeValue(forKey: id) {
            job.continuation.resume(returning: result)
        }
    }

    private static func loopFault(_ code: CURLMcode) -> CurlError {
        CurlError(
            code: code == CURLM_OUT_OF_MEMORY ? .outOfMemory : .other, phase: .resolving,
            message: String(cString: curl_multi_strerror(code)))
    }
}

/// A thread that callers can wait for, including the destructors of its thread-local values.
final class DriverThread: Sendable {
    private let handle: Mutex<pthread_t?>

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts the thread.
    /// - Throws: `.outOfMemory` if the system gives no thread.
    init(_ run: @escaping @Sendable () -> Void) throws(CurlError) {
        let body = Unmanaged.passRetained(Body(run))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { raw in
                if let raw { Unmanaged<Body>.fromOpaque(raw).takeRetainedValue().run() }
                return nil
            }, body.toOpaque())
        guard code == 0 else {
            body.release()
            throw CurlError(code: .outOfMemory, phase: .resolving, message: "the system gives no thread to libcurl")
        }
        handle = Mutex(thread)
    }

    deinit {
        if let thread = handle.withLock({ $0 }) { pthread_detach(thread) }
    }

    /// Returns once the thread has ended; immediately if another caller has waited or waits.
    func join() {
        let thread = handle.withLock { handle in
            defer { handle = nil }
            return handle
        }
        if let thread { pthread_join(thread, nil) }
    }
}
