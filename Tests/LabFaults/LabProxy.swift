// A proxy as another vantage: all its connections lead to one address of the lab.

import Lab
import NIOCore
import NIOPosix
import Synchronization

/// A small HTTP CONNECT and SOCKS5 proxy on loopback. Both use one port; the first byte distinguishes them.
///
/// Every tunnel leads to the same address, whatever host was requested. If an origin has another answer at that address
/// of the lab (``LabOrigin/on(address:path:userAgentContaining:_:)``), clients of the proxy get that answer.
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
    ///   - address: the target of every tunnel.
    ///   - port: the lab's port, ``Lab/port``.
    /// - Returns: a proxy that serves until ``shutdown()``.
    /// - Throws: if no port can be bound.
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
    /// The proxy resolves the host name.
    package var socksURL: String { "socks5h://127.0.0.1:\(port)" }

    /// `HOST:PORT` of each requested tunnel, in order.
    package var targets: [String] { log.targets.withLock(\.self) }
}
