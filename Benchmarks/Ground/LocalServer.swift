// One nginx for both scenes, on two ports of loopback.

import Foundation
import Glibc

struct LocalServer {
    /// As "nginx/1.22.1".
    let version: String
    private let freshPort: Int
    private let keptPort: Int

    func port(for scene: Scene) -> Int {
        switch scene {
        case .fresh: freshPort
        case .kept: keptPort
        }
    }

    /// Comes back when both ports accept connections. The server lives until `premises` is cleared.
    ///
    /// - Throws: `BenchFault` with nginx's own words where it does not start.
    init(premises: Premises, nginx: String, identity: PrivateAuthority.Identity, file: Data) async throws {
        // nginx tells its version as a complaint.
        version = try premises.run(nginx, ["-v"]).firstComplaint.replacing("nginx version: ", with: "")
        _ = try premises.write(file, to: "apple-app-site-association")
        // A free port may be taken by somebody else before nginx binds it.
        var lastWords = ""
        for _ in 1...3 {
            let (fresh, kept) = try Self.freePorts()
            let settings = Self.settings(premises, identity, freshPort: fresh, keptPort: kept)
            let path = try premises.write(Data(settings.utf8), to: "nginx.conf")
            let log = premises.path("nginx.log")
            let server = try premises.start(nginx, ["-p", premises.folder, "-e", log, "-c", path])
            for _ in 1...100 {
                if Self.accepts(fresh), Self.accepts(kept) {
                    (freshPort, keptPort) = (fresh, kept)
                    return
                }
                if !premises.isRunning(server) { break }
                try await Task.sleep(for: .milliseconds(50))
            }
            lastWords = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        }
        throw BenchFault("nginx does not start: \(lastWords.split(separator: "\n").last ?? "no message in its log")")
    }

    private static func settings(
        _ premises: Premises, _ identity: PrivateAuthority.Identity, freshPort: Int, keptPort: Int
    ) -> String {
        let kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        // Debian compiles in folders that only root may write to.
        let folders = kinds.map { "\($0)_temp_path \(premises.path($0));" }.joined(separator: " ")
        let location = "location = \(Workload.path) { alias \(premises.path("apple-app-site-association")); }"
        return """
            \(geteuid() == 0 ? "user root;" : "")
            daemon off;
            pid \(premises.path("nginx.pid"));
            worker_processes auto;
            events { worker_connections 1024; }
            http {
                \(folders)
                access_log off;
                default_type application/json;
                ssl_protocols TLSv1.2 TLSv1.3;
                ssl_certificate \(identity.certificate);
                ssl_certificate_key \(identity.key);
                server {
                    listen 127.0.0.1:\(freshPort) ssl;
                    keepalive_timeout 0;
                    ssl_session_cache off;
                    ssl_session_tickets off;
                    \(location)
                }
                server {
                    listen 127.0.0.1:\(keptPort) ssl;
                    \(location)
                }
            }

            """
    }

    /// Both bound at once, so that they differ.
    static func freePorts() throws -> (Int, Int) {
        let sockets = (socket(AF_INET, streams, 0), socket(AF_INET, streams, 0))
        defer {
            close(sockets.0)
            close(sockets.1)
        }
        guard let first = bind(sockets.0), let second = bind(sockets.1) else {
            throw BenchFault("there is no free port on 127.0.0.1")
        }
        return (first, second)
    }

    private static let streams = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)

    private static func bind(_ descriptor: Int32) -> Int? {
        withLoopback(port: 0) { address, length in
            var length = length
            guard Glibc.bind(descriptor, address, length) == 0, getsockname(descriptor, address, &length) == 0 else {
                return nil
            }
            return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                Int(UInt16(bigEndian: $0.pointee.sin_port))
            }
        }
    }

    static func accepts(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, streams, 0)
        defer { close(descriptor) }
        return withLoopback(port: port) { connect(descriptor, $0, $1) == 0 }
    }

    private static func withLoopback<Result>(
        port: Int, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        return withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }
}
