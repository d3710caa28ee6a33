import Foundation
import Synchronization

/// Programmable origins and a programmable copy of Apple's CDN, on loopback, over real TLS under a private CA. All of
/// them share one port and differ by the name in the TLS hello, so that `connectTo` and `caFile` are all that a
/// client needs to reach any of them by its own name.
package final class Lab: Sendable {
    /// The port of all origins and of the CDN.
    package let port: Int
    /// The path of a PEM file with the root certificate.
    package let caFile: String
    /// In curl's `--connect-to` form: routes every host here.
    package var connectTo: String { "::127.0.0.1:\(port)" }
    /// Stands for Apple's `https://app-site-association.cdn-apple.com/a/v1`.
    package let cdnBaseURL = "https://\(LabCDN.host)\(LabCDN.basePath)"
    package let cdn: LabCDN
    /// What signs the origins' certificates.
    package let authority: LabAuthority

    private let origins: LabOrigins
    private let listener: LabListener
    private let ownDirectory: URL?

    private init(
        port: Int, caFile: String, cdn: LabCDN, authority: LabAuthority, origins: LabOrigins, listener: LabListener,
        ownDirectory: URL?
    ) {
        self.port = port
        self.caFile = caFile
        self.cdn = cdn
        self.authority = authority
        self.origins = origins
        self.listener = listener
        self.ownDirectory = ownDirectory
    }

    /// Binds one TLS port and starts serving.
    /// - Parameters:
    ///   - directory: where `ca.pem` goes; a new temporary directory, removed at shutdown, when nil.
    ///   - addresses: loopback addresses that all get the same port. On Linux every address of 127.0.0.0/8 will do, so
    ///     that a host or the CDN can have several.
    ///   - now: the clock by which the CDN's copies grow old.
    /// - Returns: a lab that serves until ``shutdown()``.
    /// - Throws: where an address cannot be bound or `ca.pem` cannot be written.
    package static func start(
        directory: URL? = nil, addresses: [String] = ["127.0.0.1"], now: @escaping @Sendable () -> Date = { Date() }
    ) async throws -> Lab {
        let authority = try LabAuthority(now: Date())
        let origins = LabOrigins()
        let cdn = LabCDN(origins: origins, now: now)
        let switchboard = LabSwitchboard(authority: authority) { host, address in
            host == LabCDN.host ? cdn.tenant : origins.known(host)?.tenant(at: address)
        }
        let folder =
            directory ?? FileManager.default.temporaryDirectory.appending(path: "aasa-lab-\(UUID().uuidString)")
        let caFile = folder.appending(path: "ca.pem")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let listener = LabListener()
        do {
            try Data(authority.rootPEM.utf8).write(to: caFile, options: .atomic)
            var port = 0
            for address in addresses {
                port = try await listener.listen(on: address, port: port) { try switchboard.configure($0) }
            }
            return Lab(
                port: port, caFile: caFile.path, cdn: cdn, authority: authority, origins: origins, listener: listener,
                ownDirectory: directory == nil ? folder : nil)
        } catch {
            await listener.close()
            if directory == nil { try? FileManager.default.removeItem(at: folder) }
            throw error
        }
    }

    /// Closes the port and every connection, hung ones too, and removes the temporary directory. A second call does
    /// nothing.
    package func shutdown() async {
        await listener.close()
        if let ownDirectory { try? FileManager.default.removeItem(at: ownDirectory) }
    }

    /// How many TCP connections ever came in, those that failed their handshake included.
    package var connectionsAccepted: Int { listener.accepted }

    /// The site of a host. The first call makes it, with a valid certificate, answering 404 until changed; a host
    /// that was never asked for here is refused with TLS's `unrecognized_name`.
    package func origin(_ host: String) -> LabOrigin {
        origins.origin(host)
    }
}

/// The origins by host, shared by the lab, its switchboard and its CDN.
final class LabOrigins: Sendable {
    private let byHost = Mutex<[String: LabOrigin]>([:])

    func origin(_ host: String) -> LabOrigin {
        let host = host.lowercased()
        return byHost.withLock { byHost in
            if let known = byHost[host] { return known }
            let made = LabOrigin(host: host)
            byHost[host] = made
            return made
        }
    }

    func known(_ host: String) -> LabOrigin? {
        byHost.withLock { $0[host.lowercased()] }
    }
}

extension LabOrigin {
    func tenant(at address: String) -> LabTenant {
        let greeting = greeting(at: address)
        return LabTenant(host: host, certificate: greeting.certificate, handshake: greeting.handshake) {
            [self] request, _ in
            record(request)
            return behaviour(for: request)
        }
    }
}
