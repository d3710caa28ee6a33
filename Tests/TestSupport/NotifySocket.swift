// The service manager's end of the sd_notify protocol: a datagram socket at a path, or with an abstract name.

import Foundation
import Glibc
import Synchronization

package final class NotifySocket: Sendable {
    package struct Unavailable: Error {
        let reason: String
    }

    /// The value of `NOTIFY_SOCKET`.
    package let name: String
    private let received = Received()

    /// The socket; its thread may hold it longer than the owner of this object.
    private final class Received: Sendable {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        private let messages = Mutex<[String]>([])

        deinit { close(descriptor) }

        /// What has come so far.
        func read() -> [String] {
            messages.withLock { messages in
                var bytes = [UInt8](repeating: 0, count: 4096)
                while true {
                    let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
                    guard count > 0 else { return messages }
                    messages.append(String(decoding: bytes[..<count], as: UTF8.self))
                }
            }
        }
    }

    /// `name`: a path, or `@` and an abstract name.
    package init(_ name: String) throws {
        self.name = name
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { throw Unavailable(reason: "too long") }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(received.descriptor, $0, length) }
        }
        guard bound == 0 else { throw Unavailable(reason: String(cString: strerror(errno))) }
        // Always reads, as systemd does: the queue holds ten messages, and the daemon drops what it cannot send.
        Thread.detachNewThread { [received] in
            var wait = pollfd(fd: received.descriptor, events: Int16(POLLIN), revents: 0)
            repeat {
                poll(&wait, 1, -1)
                _ = received.read()
            } while wait.revents & Int16(POLLHUP) == 0
        }
    }

    /// Ends the thread.
    deinit { shutdown(received.descriptor, Int32(SHUT_RDWR)) }

    /// All messages so far, in order of arrival.
    package var messages: [String] { received.read() }
}
