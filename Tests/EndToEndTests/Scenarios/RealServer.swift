// Real servers as origins, with faults that occur in practice.

import Foundation
import Glibc
import Lab
import LabFaults
import TestSupport

/// A web server on a loopback port. It ends with its stage.
struct RealServer: Sendable {
    let stage: Stage
    let port: Int

    /// Starts nginx with these server blocks; `PORT` and `ROOT` (its folder) are replaced. Each host of `hosts` gets a
    /// certificate `ROOT/HOST.pem` with the key `ROOT/HOST.key`. `files` are written under `ROOT`.
    static func nginx(
        on stage: Stage, hosts: [String], files: [String: String], addresses: [String] = ["127.0.0.1"], _ blocks: String
    ) async throws -> RealServer {
        let server = RealServer(stage: stage, port: try stage.port(at: addresses))
        let root = stage.path("web")
        for (name, text) in files { try server.put(text, at: "web/\(name)") }
        for host in hosts { try server.putIdentity(.valid, of: host, at: "web/\(host)") }
        let text = configuration(root: root)
            .replacing("BLOCKS", with: blocks).replacing("PORT", with: "\(server.port)").replacing("ROOT", with: root)
        try server.put(text, at: "web/nginx.conf")
        let process = try stage.tool(
            Nginx.binary.path, ["-e", "stderr", "-p", root, "-c", "\(root)/nginx.conf"])
        try await server.ready(at: addresses, process)
        return server
    }

    /// Starts OpenSSL's test server with a certificate of the given kind. It answers with a file that contains a whole
    /// HTTP response.
    static func openssl(
        on stage: Stage, host: String, certificate: LabCertificate, answer: String, _ options: [String]
    ) async throws -> RealServer {
        let server = RealServer(stage: stage, port: try stage.port())
        try server.put(answer, at: String(LabOrigin.wellKnownPath.dropFirst()))
        try server.putIdentity(certificate, of: host, at: "s_server")
        let leaf = try stage.lab.authority.identity(for: host, certificate, now: Date())
        let chain = leaf.certificates.count > 1 ? ["-cert_chain", "s_server.pem"] : []
        let process = try stage.tool(
            "openssl",
            [
                "s_server", "-accept", "127.0.0.1:\(server.port)", "-cert", "s_server.pem", "-key", "s_server.key",
                "-HTTP", "-quiet",
            ] + chain + options)
        try await server.ready(at: ["127.0.0.1"], process)
        return server
    }

    /// Sends requests for these hosts to the server and all others to the lab. If there are several addresses,
    /// `--resolve` names them.
    func network(_ hosts: [String], addresses: [String] = ["127.0.0.1"]) -> [String] {
        ["--cacert", stage.lab.caFile, "--cdn-url", stage.lab.cdnBaseURL]
            + hosts.flatMap { host in
                [
                    "--connect-to", "\(host):443:\(host):\(port)", "--resolve",
                    "\(host):\(port):\(addresses.joined(separator: ","))",
                ]
            } + ["--connect-to", stage.lab.connectTo, "--max-time", Stage.patience]
    }

    func put(_ text: String, at path: String) throws {
        let file = stage.folder.appending(path: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    func putIdentity(_ kind: LabCertificate, of host: String, at path: String) throws {
        let identity = try stage.lab.authority.identity(for: host, kind, now: Date())
        try put(identity.certificatesPEM, at: "\(path).pem")
        try put(identity.keyPEM, at: "\(path).key")
    }

    private func ready(at addresses: [String], _ process: MonitorProcess) async throws {
        try await until("a server at \(addresses):\(port)", seen: { process.errors }) {
            process.end != nil || addresses.allSatisfy { Loopback.listens(at: $0, port) }
        }
        guard process.end == nil else { throw NeverCame(what: "a server", seen: process.errors) }
    }

    /// A single process: nothing is left when it is killed.
    static func configuration(root: String) -> String {
        """
        daemon off;
        master_process off;
        pid \(root)/nginx.pid;
        error_log stderr warn;
        events { worker_connections 128; }
        http {
            access_log \(root)/access.log;
            client_body_temp_path \(root)/tmp-body;
            proxy_temp_path \(root)/tmp-proxy;
            fastcgi_temp_path \(root)/tmp-fastcgi;
            uwsgi_temp_path \(root)/tmp-uwsgi;
            scgi_temp_path \(root)/tmp-scgi;
            include /etc/nginx/mime.types;
            BLOCKS
        }
        """
    }
}
