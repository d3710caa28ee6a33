import Glibc
import Synchronization

/// A thread whose very end can be waited for, destructors of its thread-local values included.
final class DriverThread: Sendable {
    private let handle: Mutex<pthread_t?>

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts it.
    /// - Throws: `.outOfMemory` where the system gives no thread.
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

    /// Returns once the thread is gone; at once where somebody else has waited, or waits.
    func join() {
        let thread = handle.withLock { handle in
            defer { handle = nil }
            return handle
        }
        if let thread { pthread_join(thread, nil) }
    }
}
