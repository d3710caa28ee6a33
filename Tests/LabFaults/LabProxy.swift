// A proxy as another place to look from: whatever a client asks for through it comes out at one address of the lab.

import Lab
import NIOCore
import NIOPosix
import Synchronization

/// A small HTTP CONNECT and SOCKS5 proxy on loopback; both on one port, told apart by the first byte.
///
/// It leads everything to one place, whatever name or address was asked for. An origin that answers otherwise at that
/// address of the lab (``LabOrigin/on(address:path:userAgentContaining:_:)``) so shows another face to those who come from "elsewhere".
package final class LabProxy: Sendable {
    package var port: Int { listener.port }
    private let listener: LabListener
    private let log: Log

    final class Log: Sendable {
        let targets = Mutex<[String]>([])
    }

    private init(listener: LabListener, log: Log) {
        self.listener = listener
        self.log = log
    }

    /// Binds 127.0.0.1 and starts.
    /// - Parameters:
    ///   - address: where every tunnel leads.
    ///   - port: of a lab, ``Lab/port``.
    /// - Returns: a proxy that serves until ``shutdown()``.
    /// - Throws: where no port can be bound.
    package static func start(to address: String, port: Int) async throws -> LabProxy {
        let listener = LabListener()
        let log = Log()
        try await listener.listen(on: ["127.0.0.1"], port: 0) { channel in
            try channel.pipeline.syncOperations.addHandler(
                LabTunnel { host in
                    log.targets.withLock { $0.append(host) }
                    return (address, port)
                })
        }
        return LabProxy(listener: listener, log: log)
    }

    /// Closes the port and every tunnel.
    package func shutdown() async { await listener.close() }

    package var httpURL: String { "http://127.0.0.1:\(port)" }
    /// With the name left for the proxy to resolve.
    package var socksURL: String { "socks5h://127.0.0.1:\(port)" }

    /// `HOST:PORT` of each tunnel that was asked for, in order.
    package var targets: [String] { log.targets.withLock(\.self) }
}
