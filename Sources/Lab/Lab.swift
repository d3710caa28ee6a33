import Foundation
import Synchronization

/// Programmable origins and a programmable copy of Apple's CDN, on loopback, over real TLS with a private CA. All share
/// one port and are distinguished by the server name in the TLS ClientHello, so a client needs only `connectTo` and
/// `caFile` to reach any of them by name.
package final class Lab: Sendable {
    /// The path of a PEM file with the root certificate.
    package var caFile: String { rootFile.path }
    /// In the form of curl's `--connect-to`: routes every host to the lab.
    package var connectTo: String { "::127.0.0.1:\(port)" }
    /// Replaces Apple's `https://app-site-association.cdn-apple.com/a/v1`.
    package let cdnBaseURL = "https://\(LabCDN.host)\(LabCDN.basePath)"
    package let cdn: LabCDN
    /// Signs the certificates of the origins.
    package let authority: LabAuthority

    private let origins = LabOrigins()
    private let listener = LabListener()
    private let rootFile: URL

    private init(rootFile: URL, now: @escaping @Sendable () -> Date) throws {
        self.rootFile = rootFile
        authority = try LabAuthority(now: Date())
        cdn = LabCDN(origins: origins, now: now)
    }

    /// Binds one TLS port and starts serving.
    /// - Parameters:
    ///   - caFile: written now, and removed at shutdown.
    ///   - addresses: loopback addresses with the same port. On Linux every address of 127.0.0.0/8 works, so that a
    ///     host or the CDN can have several.
    ///   - now: the clock for the age of the CDN's copies.
    /// - Returns: a lab that serves until ``shutdown()``.
    /// - Throws: if an address cannot be bound or `caFile` cannot be written.
    package static func start(
        caFile: URL = FileManager.default.temporaryDirectory.appending(path: "aasa-lab-\(UUID().uuidString).pem"),
        addresses: [String] = ["127.0.0.1"], now: @escaping @Sendable () -> Date = { Date() }
    ) async throws -> Lab {
        let lab = try Lab(rootFile: caFile, now: now)
        let switchboard = LabSwitchboard(authority: lab.authority) { [cdn = lab.cdn, origins = lab.origins] in
            $0 == LabCDN.host ? cdn.tenant(at: $1) : origins.known($0)?.tenant(at: $1)
        }
        do {
            try Data(lab.authority.rootPEM.utf8).write(to: caFile, options: .atomic)
            try await lab.listener.listen(on: addresses, port: 0) { try switchboard.configure($0) }
            return lab
        } catch {
            await lab.shutdown()
            throw error
        }
    }

    /// Closes the port and every connection, even hung ones, and removes ``caFile``. A second call does nothing.
    package func shutdown() async {
        await listener.close()
        try? FileManager.default.removeItem(at: rootFile)
    }

    /// The port of all origins and of the CDN.
    package var port: Int { listener.port }

    /// The number of TCP connections so far, including those with a failed handshake.
    package var connectionsAccepted: Int { listener.accepted }

    /// The site of a host. The first call creates it with a valid certificate; it answers 404 until changed. Hosts
    /// without a site are refused with TLS's `unrecognized_name`.
    package func origin(_ host: String) -> LabOrigin {
        origins.origin(host)
    }

    /// Empties the lists of requests of all origins and of the CDN.
    package func forgetRequests() {
        origins.forgetRequests()
        cdn.forgetRequests()
    }

    /// Empties the lists of requests for these hosts.
    package func forgetRequests(of hosts: [String]) {
        for host in hosts {
            origin(host).forgetRequests()
            cdn.forgetRequests(of: host)
        }
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

    func forgetRequests() {
        for origin in byHost.withLock({ Array($0.values) }) { origin.forgetRequests() }
    }
}
