import Foundation
import Lab
import LabFaults
import TestSupport

/// Debian's nginx with one site and a certificate from the lab's authority.
struct Nginx: Sendable {
    static let binary = URL(filePath: "/usr/sbin/nginx")
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: binary.path) }

    private let stage: Stage
    private let host: String
    private let port: Int
    private let root: URL

    /// Sends requests for the site to nginx and all others to the lab.
    var rules: [String] { ["\(host)::127.0.0.1:\(port)", stage.lab.connectTo] }

    var network: [String] {
        ["--cacert", stage.lab.caFile, "--cdn-url", stage.lab.cdnBaseURL]
            + rules.flatMap { ["--connect-to", $0] } + ["--max-time", Stage.patience]
    }

    /// Starts nginx and waits until it serves. Its master ends with the stage.
    static func start(on stage: Stage, host: String, _ content: String) async throws -> Nginx {
        let root = stage.folder.appending(path: "nginx")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        try stage.writeIdentity(for: host, in: "nginx/")
        let nginx = Nginx(stage: stage, host: host, port: try stage.port(), root: root)
        try nginx.deploy(content)
        let process = try serve(nginx.site, in: root, on: stage)
        let url = "https://\(host)\(LabOrigin.wellKnownPath)"
        try await until("nginx", every: .milliseconds(50), seen: { process.errors }) {
            if process.end != nil { throw NeverCame(what: "nginx", seen: process.errors) }
            let curl = try stage.tool(
                "curl",
                [
                    "-q", "-sS", "--max-time", Stage.patience, "--cacert", stage.lab.caFile, "--connect-to",
                    nginx.rules[0], url,
                ])
            try await curl.ended()
            return curl.output == content
        }
        return nginx
    }

    /// Replaces the served file by rename.
    func deploy(_ content: String) throws {
        let file = root.appending(path: "www" + LabOrigin.wellKnownPath)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(content.utf8).write(to: file, options: .atomic)
        // The server may run as another user and must be able to read it.
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
    }

    private var site: String {
        """
        server {
            listen 127.0.0.1:\(port) ssl;
            server_name \(host);
            ssl_certificate \(root.path)/site.pem;
            ssl_certificate_key \(root.path)/site.key;
            root \(root.path)/www;
            default_type application/json;
        }
        """
    }

    /// Starts nginx with this `http` block in its configuration. It runs as one process: nothing is left when it is
    /// killed.
    static func serve(_ http: String, in root: URL, on stage: Stage) throws -> MonitorProcess {
        let file = root.appending(path: "nginx.conf")
        let text = """
            daemon off;
            master_process off;
            pid \(root.path)/nginx.pid;
            error_log stderr warn;
            events { worker_connections 64; }
            http {
            access_log off;
            client_body_temp_path \(root.path)/body;
            proxy_temp_path \(root.path)/proxy;
            fastcgi_temp_path \(root.path)/fastcgi;
            uwsgi_temp_path \(root.path)/uwsgi;
            scgi_temp_path \(root.path)/scgi;
            \(http)
            }
            """
        try Data(text.utf8).write(to: file)
        return try stage.tool(binary.path, ["-e", "stderr", "-p", root.path, "-c", file.path])
    }
}

extension Stage {
    /// Writes `site.pem` and `site.key`, issued by the lab's authority. `folder`: empty, or with a slash at its end.
    func writeIdentity(for host: String, in folder: String = "") throws {
        let identity = try lab.authority.identity(for: host, .valid, now: Date())
        try write("\(folder)site.pem", identity.certificatesPEM)
        try write("\(folder)site.key", identity.keyPEM)
    }
}
