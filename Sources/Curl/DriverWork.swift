// What the driver's thread has in hand: jobs that wait and transfers that run.

import CCurl
import Glibc

/// Lives on the driver's thread only.
struct Work {
    private struct Running {
        let job: Job
        let transfer: Transfer
        /// The thread's idle time at its start.
        let start: Duration
    }

    /// Transfers at once, those without a place included: each takes a file of the process.
    static func limit(_ places: Int) -> Int { max(places, min(16 * places, 1024)) }

    private let multi: UnsafeMutableRawPointer
    private let network: NetworkSettings
    private let maximumConcurrent: Int
    /// A transfer that waits for its server for so long gives its place to the next: it costs no more than a socket, and a
    /// thousand servers that never answer do not hold up one that does. The time counts only while the thread has nothing to
    /// do, so that under load no transfer gives its place up.
    private let patience: Duration
    private var waiting = JobQueue()
    private var running: [UInt64: Running] = [:]
    /// The numbers of those in `running`, by their handles.
    private var numbers: [UnsafeMutableRawPointer: UInt64] = [:]
    /// Those of `running` that hold a place, oldest first.
    private var placed: [UInt64] = []
    /// How long the thread has slept.
    private var idle: Duration = .zero

    init(multi: UnsafeMutableRawPointer, network: NetworkSettings, maximumConcurrent: Int, patience: Duration) {
        self.multi = multi
        self.network = network
        self.maximumConcurrent = maximumConcurrent
        self.patience = patience
    }

    var canStart: Bool {
        mutating get {
            guard !waiting.isEmpty, running.count < Self.limit(maximumConcurrent) else { return false }
            placed.removeAll { id in running[id].map { idle >= $0.start + patience } ?? true }
            return placed.count < maximumConcurrent
        }
    }

    mutating func enqueue(_ job: Job) {
        waiting.append(job)
        if job.ticket.isCancelled { cancel(job.ticket) }
    }

    /// Of a job that is already over: nothing happens.
    mutating func cancel(_ ticket: Ticket) { finish(ticket.number, with: nil) }

    mutating func startWaiting() {
        while canStart, let job = waiting.first {
            do throws(CurlError) {
                try start(job)
            } catch {
                finish(
                    job.id,
                    with: TransferResult(
                        error: error, facts: ConnectionFacts(viaProxy: (job.request.proxy ?? network.proxy) != nil)))
            }
        }
    }

    private mutating func start(_ job: Job) throws(CurlError) {
        let transfer = try Transfer(job.request, settings: network, ticket: job.ticket)
        let code = curl_multi_add_handle(multi, transfer.easy.pointer)
        guard code == CURLM_OK else { throw Self.loopFault(code) }
        waiting.remove(job.id)
        numbers[transfer.easy.pointer] = job.id
        running[job.id] = Running(job: job, transfer: transfer, start: idle)
        placed.append(job.id)
    }

    /// Lets libcurl do what it can without waiting, and hands out what is over.
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

    /// Until a socket, a timeout or a wake-up, or until a place comes free for a job that waits.
    mutating func sleep() {
        let start = ContinuousClock.now
        let isFull = running.count >= Self.limit(maximumConcurrent)
        let oldest = waiting.isEmpty || isFull ? nil : placed.compactMap { running[$0]?.start }.min()
        let left = oldest.map { max(.zero, $0 + patience - idle) } ?? .seconds(60)
        // libcurl shortens the time to its own next timeout.
        if curl_multi_poll(multi, nil, 0, Int32(left / .milliseconds(1)) + 1, nil) != CURLM_OK {
            // Out of memory: try again, but not at once and for ever.
            usleep(10_000)
        }
        idle += start.duration(to: .now)
    }

    mutating func finishAll() {
        while let job = waiting.first { finish(job.id, with: nil) }
        for id in Array(running.keys) { finish(id, with: nil) }
    }

    /// The one place where a job leaves and its task goes on; `nil` for a cancelled one.
    private mutating func finish(_ id: UInt64, with result: TransferResult?) {
        if let entry = running.removeValue(forKey: id) {
            numbers[entry.transfer.easy.pointer] = nil
            curl_multi_remove_handle(multi, entry.transfer.easy.pointer)
            entry.job.continuation.resume(returning: result)
        } else if let job = waiting.remove(id) {
            job.continuation.resume(returning: result)
        }
    }

    private static func loopFault(_ code: CURLMcode) -> CurlError {
        CurlError(
            code: code == CURLM_OUT_OF_MEMORY ? .outOfMemory : .other, phase: .resolving,
            message: String(cString: curl_multi_strerror(code)))
    }
}

/// First in, first out, with removal from the middle.
struct JobQueue {
    private var jobs: [UInt64: Job] = [:]
    private var order: [UInt64] = []
    private var head = 0

    var isEmpty: Bool { jobs.isEmpty }

    /// The oldest that was not removed.
    var first: Job? {
        mutating get {
            while head < order.count {
                if let job = jobs[order[head]] { return job }
                head += 1
            }
            return nil
        }
    }

    mutating func append(_ job: Job) {
        // The taken part is dropped when it is the greater part, so that the queue does not grow for ever.
        if head > order.count / 2 {
            order.removeFirst(head)
            head = 0
        }
        order.append(job.id)
        jobs[job.id] = job
    }

    @discardableResult
    mutating func remove(_ id: UInt64) -> Job? { jobs.removeValue(forKey: id) }
}
