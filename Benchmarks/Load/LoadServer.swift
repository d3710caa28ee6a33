// One nginx for all origins and for Apple's CDN. It writes down each request, so that no clock of the monitor's is believed.

import Foundation

struct LoadServer {
    let version: String
    let port: Int
    private let log: String
    /// All origins answer 503 while this file exists.
    private let flag: String

    static let domain = "load.test"
    static let cdn = "cdn.\(domain)"

    /// Returns once connections are accepted. The server lives until `premises` is cleared.
    /// `silent`: the port of a peer on 127.0.0.1 that never answers, to which it hands the requests of hanging domains.
    /// `isTroubled`: of 100 domains the origin of one answers 503, and Apple's copy of another is another file.
    init(
        premises: Premises, nginx: String, identity: PrivateAuthority.Identity, silent: Int = 9,
        isTroubled: Bool = false
    ) async throws {
        version = try premises.run(nginx, ["-v"]).firstComplaint.replacing("nginx version: ", with: "")
        log = premises.path("requests.log")
        flag = premises.path("failing")
        port = try LocalServer.freePorts().0
        let settings = try premises.write(
            Data(Self.settings(premises, identity, port, silent, isTroubled).utf8), to: "load.conf")
        let complaints = premises.path("load.log")
        let server = try premises.start(nginx, ["-p", premises.folder, "-e", complaints, "-c", settings])
        for _ in 1...100 {
            if LocalServer.accepts(port) { return }
            if !premises.isRunning(server) { break }
            try await Task.sleep(for: .milliseconds(50))
        }
        let words = (try? String(contentsOfFile: complaints, encoding: .utf8)) ?? ""
        throw BenchFault("nginx does not start: \(words.split(separator: "\n").last ?? "no message in its log")")
    }

    func fail(_ isFailing: Bool) throws {
        if isFailing {
            try Data().write(to: URL(filePath: flag))
        } else {
            try FileManager.default.removeItem(atPath: flag)
        }
    }

    /// The instants at which each origin was asked, ascending, in seconds since 1970; by domain.
    func requests() throws -> [String: [Double]] {
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

    /// Each domain has a file of its own: what the monitor shares between domains with the same file would flatter it.
    private static func content(of host: String) -> String {
        String(decoding: ServedFile.content, as: UTF8.self).trimmingCharacters(in: .newlines)
            .replacing(#"{"/":"/*"}"#, with: #"{"/":"/\#(host)/*"}"#)
    }

    private static func settings(
        _ premises: Premises, _ identity: PrivateAuthority.Identity, _ port: Int, _ silent: Int,
        _ isTroubled: Bool
    ) -> String {
        let kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        // Debian compiles in folders that only root may write to.
        let folders = kinds.map { "\($0)_temp_path \(premises.path($0));" }.joined(separator: " ")
        let otherCopies = isTroubled ? "location ~ ^/a/v1/d\\d+03 { return 200 '\(content(of: "other"))'; }" : ""
        let brokenOrigins =
            isTroubled ? "server { listen 127.0.0.1:\(port) ssl; server_name ~^d\\d+07; return 503; }" : ""
        return """
            \(geteuid() == 0 ? "user root;" : "")
            daemon off;
            pid \(premises.path("load.pid"));
            worker_processes auto;
            worker_rlimit_nofile 16384;
            events { worker_connections 8192; }
            http {
                \(folders)
                log_format load '$msec $request_time $host';
                access_log \(premises.path("requests.log")) load buffer=64k flush=1s;
                default_type application/json;
                keepalive_timeout 5s;
                ssl_protocols TLSv1.2 TLSv1.3;
                ssl_certificate \(identity.certificate);
                ssl_certificate_key \(identity.key);
                server {
                    listen 127.0.0.1:\(port) ssl backlog=4096;
                    server_name \(cdn);
                    keepalive_timeout 60s;
                    \(otherCopies)
                    location ~ ^/a/v1/(?<name>.+)$ { return 200 '\(content(of: "$name"))'; }
                }
                server {
                    listen 127.0.0.1:\(port) ssl;
                    server_name ~^h;
                    location / {
                        proxy_pass http://127.0.0.1:\(silent);
                        proxy_read_timeout 600s;
                    }
                }
                \(brokenOrigins)
                server {
                    listen 127.0.0.1:\(port) ssl;
                    server_name ~^d;
                    location = \(Workload.path) {
                        if (-f \(premises.path("failing"))) { return 503; }
                        return 200 '\(content(of: "$host"))';
                    }
                    location / { return 404; }
                }
            }

            """
    }
}
