// Notifications to systemd: the sd_notify protocol, one datagram for each message. A dependency on libsystemd would be
// larger than this code.
// https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html

import Evidence
import Dispatch
import Foundation
import Glibc
import Logging
import MonitorConfiguration
import Monitoring
import Storage

/// Sends states to the service manager that started this process.
package struct ServiceNotifier: Sendable {
    /// The time limit for the next `watchdog()` before the service manager ends this process; nil: no watchdog.
    package let watchdogLimit: Duration?
    private let address: sockaddr_un
    private let length: socklen_t

    /// The maximum delay by a receiver that does not read.
    private static let timeout = timeval(tv_sec: 1, tv_usec: 0)

    /// nil if `NOTIFY_SOCKET` names no socket.
    package init?(environment: [String: String] = ProcessInfo.processInfo.environment, process: pid_t = getpid()) {
        var name = Array((environment["NOTIFY_SOCKET"] ?? "").utf8)
        var address = sockaddr_un()
        guard let first = name.first, name.count > 1, name.count < MemoryLayout.size(ofValue: address.sun_path) else {
            return nil
        }
        switch first {
        case UInt8(ascii: "/"): name.append(0)
        // An abstract name begins with a zero byte and ends with the address.
        case UInt8(ascii: "@"): name[0] = 0
        default: return nil
        }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        self.address = address
        let start = MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: address.sun_path)
        length = socklen_t(start + name.count)
        watchdogLimit = Self.watchdogLimit(environment, process)
    }

    private static func watchdogLimit(_ environment: [String: String], _ process: pid_t) -> Duration? {
        guard let text = environment["WATCHDOG_USEC"], let limit = Int64(text), limit > 0 else { return nil }
        // The watchdog may be for another process of the service.
        if let owner = environment["WATCHDOG_PID"], owner != "\(process)" { return nil }
        return .microseconds(limit)
    }

    /// After a start or a reload.
    package func ready() { send("READY=1") }

    /// A reload has begun; `ready()` ends it.
    package func reloading() {
        // CLOCK_MONOTONIC, which the service manager uses.
        send("RELOADING=1\nMONOTONIC_USEC=\(DispatchTime.now().uptimeNanoseconds / 1000)")
    }

    package func stopping() { send("STOPPING=1") }

    package func watchdog() { send("WATCHDOG=1") }

    /// One line for `systemctl status`.
    package func status(_ line: String) { send("STATUS=\(line.replacing("\n", with: " "))") }

    /// Drops a message that cannot be sent: the service manager notices the missing message.
    private func send(_ message: String) {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var timeout = Self.timeout
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        let bytes = Array(message.utf8)
        withUnsafePointer(to: address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                while sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), address, length) < 0 {
                    guard errno == EINTR else { return }
                }
            }
        }
    }
}

/// Receives from the scheduler's loop whether checks end. A separate timer would continue while the scheduler is stuck.
struct SchedulerWatchdog: Sendable {
    /// The time between two reports, by the machine's clock.
    let every: Duration
    let report: @Sendable (_ isProgressing: Bool) -> Void

    init(every: Duration, report: @escaping @Sendable (Bool) -> Void) {
        self.every = every
        self.report = report
    }

    /// Notifies the service manager three times within its limit; nil: no watchdog.
    init?(_ notifier: ServiceNotifier?, logger: Logger) {
        guard let notifier, let limit = notifier.watchdogLimit else { return nil }
        let trouble = LogDeduplicator()
        self.init(every: limit / 3) { isProgressing in
            if isProgressing {
                notifier.watchdog()
                if trouble.isOver() { logger.notice("every check ends again") }
            } else if trouble.isNews("stuck") {
                logger.critical(
                    "a check does not end: the service manager will restart this process",
                    metadata: ["limit": "\(limit)"])
            }
        }
    }
}
