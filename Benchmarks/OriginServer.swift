// One nginx that plays all origins and Apple's CDN. Its log says when each request came: the figures do not depend on the
// monitor's own clock.

import Foundation
import Glibc
import Lab
import LabFaults

struct OriginServer {
    static let domain = "load.test"
    static let cdn = "cdn.\(domain)"
    static let path = "/.well-known/apple-app-site-association"

    /// For example "nginx/1.22.1".
    let version: String
    let port: Int
    /// A PEM bundle of realistic size: the distribution's certificates and the server's root.
    let caFile: String
    /// Only that root.
    let rootFile: String
    private let log: String
    /// All origins answer 503 while this file exists.
    private let flag: String

    static func names(_ count: Int) -> [String] { (1...count).map { String(format: "d%06d.\(domain)", $0) } }

    /// Returns when nginx accepts connections. nginx ends with the workspace.
    init(_ workspace: Workspace) async throws {
        let nginx = try Workspace.tool("nginx")
        version = try workspace.run(nginx, ["-v"]).firstError.replacing("nginx version: ", with: "")
        (log, flag) = (workspace.path("requests.log"), workspace.path("failing"))
        port = try Loopback.freePort()
        let authority = try LabAuthority(now: Date())
        let identity = try authority.identity(for: "*.\(Self.domain)", .valid, now: Date())
        rootFile = try workspace.write(authority.rootPEM, to: "root.pem")
        let system = try String(contentsOfFile: "/etc/ssl/certs/ca-certificates.crt", encoding: .utf8)
        caFile = try workspace.write(system + authority.rootPEM, to: "bundle.pem")
        let settings = Self.settings(
            workspace, port, certificate: try workspace.write(identity.certificatesPEM, to: "server.pem"),
            key: try workspace.write(identity.keyPEM, to: "server.key"))
        let errors = workspace.path("nginx.log")
        let server = try workspace.start(
            nginx, ["-p", workspace.folder, "-e", errors, "-c", try workspace.write(settings, to: "nginx.conf")])
        for _ in 1...100 where workspace.exitCode(of: server) == nil {
            if Loopback.accepts(port) { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        let lines = ((try? String(contentsOfFile: errors, encoding: .utf8)) ?? "").split(separator: "\n")
        throw BenchFault("nginx does not start: \(lines.last ?? "no message in its log")")
    }

    /// From now on all origins answer 503, or the file again.
    func fail(_ isFailing: Bool) throws {
        if isFailing {
            try Data().write(to: URL(filePath: flag))
        } else {
            try FileManager.default.removeItem(atPath: flag)
        }
    }

    /// The times of each origin's requests, ascending, in seconds since 1970.
    func requests() async throws -> [String: [Double]] {
        // nginx writes its log once a second.
        try await Task.sleep(for: .seconds(2))
        let text = try String(contentsOfFile: log, encoding: .utf8)
        var times: [String: [Double]] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: " ")
            guard parts.count == 3, let end = Double(parts[0]), let took = Double(parts[1]) else { continue }
            let host = String(parts[2])
            if host.hasPrefix("d") { times[host, default: []].append(end - took) }
        }
        return times.mapValues { $0.sorted() }
    }

    /// Each domain has its own file: the monitor does less work if domains share one.
    private static func content(of host: String) -> String {
        ServedFile.text.trimmingCharacters(in: .newlines).replacing(#"{"/":"/*"}"#, with: #"{"/":"/\#(host)/*"}"#)
    }

    private static func settings(_ workspace: Workspace, _ port: Int, certificate: String, key: String) -> String {
        // Debian's default folders are writable only for root.
        let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(workspace.path($0));" }.joined(separator: " ")
        return """
            \(geteuid() == 0 ? "user root;" : "")
            daemon off;
            pid \(workspace.path("nginx.pid"));
            worker_processes auto;
            worker_rlimit_nofile 16384;
            events { worker_connections 8192; }
            http {
                \(folders)
                log_format load '$msec $request_time $host';
                access_log \(workspace.path("requests.log")) load buffer=64k flush=1s;
                default_type application/json;
                keepalive_timeout 5s;
                ssl_protocols TLSv1.2 TLSv1.3;
                ssl_certificate \(certificate);
                ssl_certificate_key \(key);
                server {
                    listen 127.0.0.1:\(port) ssl backlog=4096;
                    server_name \(cdn);
                    keepalive_timeout 60s;
                    location ~ ^/a/v1/(?<name>.+)$ { return 200 '\(content(of: "$name"))'; }
                }
                server {
                    listen 127.0.0.1:\(port) ssl;
                    server_name ~^d;
                    location = \(path) {
                        if (-f \(workspace.path("failing"))) { return 503; }
                        return 200 '\(content(of: "$host"))';
                    }
                    location / { return 404; }
                }
            }

            """
    }
}

/// A typical file of 1 KB.
enum ServedFile {
    static let text: String = {
        let start = #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":["#
        let end = #"{"/":"/*"}]}]}}"#
        var rules = ""
        var number = 100
        while start.utf8.count + rules.utf8.count + end.utf8.count < 1024 - 32 {
            rules += #"{"/":"/section/\#(number)/*"},"#
            number += 1
        }
        let text = start + rules + end
        return text + String(repeating: "\n", count: max(0, 1024 - text.utf8.count))
    }()
}

enum Loopback {
    private static let streams = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)

    static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, streams, 0)
        defer { close(descriptor) }
        let port = withAddress(port: 0) { address, length -> Int? in
            var length = length
            guard bind(descriptor, address, length) == 0, getsockname(descriptor, address, &length) == 0 else {
                return nil
            }
            return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                Int(UInt16(bigEndian: $0.pointee.sin_port))
            }
        }
        guard let port else { throw BenchFault("no free port on 127.0.0.1") }
        return port
    }

    /// Whether a server accepts connections there.
    static func accepts(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, streams, 0)
        defer { close(descriptor) }
        return withAddress(port: port) { connect(descriptor, $0, $1) == 0 }
    }

    private static func withAddress<Result>(
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
