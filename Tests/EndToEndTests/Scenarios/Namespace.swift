// A separate network, isolated from this machine's by the kernel: public addresses on loopback, names in a private
// /etc/hosts, addresses that drop packets. nginx plays origin and CDN on port 443: the program runs as for its users,
// without options that say where to connect.

import Foundation
import Glibc
import Lab
import LabFaults
import TestSupport
import TestTraits

struct Namespace: Sendable {
    /// The kind of an address in the namespace.
    enum Address: Sendable {
        /// nginx listens there.
        case serving
        /// There is a route, but nothing answers: packets are dropped.
        case dropping
    }

    /// In the order of /etc/hosts.
    var hosts: [(name: String, addresses: [String])] = []
    var addresses: [String: Address] = [:]
    /// nginx's server blocks; `ROOT` is its folder.
    var servers = ""
    /// Names that the namespace's name server knows. It answers that all other names do not exist.
    var names: [(name: String, addresses: [String])] = []
    /// The lines of /etc/resolv.conf besides the one with the name server. Each name below a `search` domain has the
    /// address 10.1.2.3.
    var resolving = ""
    /// The address of a name server before the one that answers.
    var firstNameServer: String?
    /// Whether the namespace has an IPv6 address, whatever its hosts have.
    var hasIPv6 = true
    /// The certificate of each host.
    var certificate = LabCertificate.valid
    /// The status with which a proxy at 127.0.0.1:3128 answers every request; nil: no proxy.
    var proxyStatus: Int?
    /// The environment of the program.
    var environment: [String: String] = [:]
    /// Whether to count the addresses that are waited for. This starts some programs every 50 ms.
    var countsWaiting = false

    static let cdn = "app-site-association.cdn-apple.com"

    struct Run {
        let process: MonitorProcess
        /// The most dead addresses that were waited for at the same moment.
        let waitedForAtOnce: Int
        /// The requests to nginx, one line each: `HOST PATH`.
        let requests: [String]
        /// The questions to the name server, in order.
        let questions: [String]

        func report() throws -> JSONValue { try process.json() }
    }

    /// Why a namespace is not possible here, as the system reports it; nil: it is possible. Tried once.
    static func obstacle() async throws -> String? { try await tried.value }

    private static let tried = Task {
        guard Nginx.isInstalled else { return String?("nginx is not installed") }
        let script = """
            ip link set lo up && ip link add v0 type veth peer name v1 && ip link set v0 up \
            && ip -6 addr add 2a00::1/128 dev lo nodad && mount --bind /etc/hostname /etc/hosts \
            && mount --bind /etc/hostname /etc/resolv.conf && python3 -c ''
            """
        let run = try await ChildProcess.run(
            URL(filePath: "/usr/bin/env"), ["unshare"] + unshare + ["sh", "-c", script],
            environment: MonitorProcess.environment)
        return run.exitCode == 0 ? nil : "exit code \(run.exitCode): \(run.errors.prefix(300))"
    }

    /// A PID namespace too: nothing must outlive the check. It has its own /proc, because libdispatch looks for its
    /// threads there and crashes if it does not find them.
    private static var unshare: [String] {
        (getuid() == 0 ? [] : ["--map-root-user"])
            + ["--net", "--mount", "--kill-child", "--fork", "--pid", "--mount-proc"]
    }

    /// Runs `check` in a namespace that is removed afterwards.
    func check(on stage: Stage, _ arguments: [String]) async throws -> Run {
        // An earlier attempt's logs would be appended to.
        for log in ["web/access.log", "questions", "waiting"] {
            try? FileManager.default.removeItem(at: stage.folder.appending(path: log))
        }
        let server = RealServer(stage: stage, port: 443)
        for (name, _) in hosts + names { try server.putIdentity(certificate, of: name, at: "web/\(name)") }
        let root = stage.path("web")
        let log = "log_format asked '$host $uri'; access_log \(root)/access.log asked;\n"
        let text = RealServer.configuration(root: root)
            .replacing("BLOCKS", with: servers).replacing("ROOT", with: root)
            .replacing("access_log \(root)/access.log;", with: log)
        try server.put(text, at: "web/nginx.conf")
        let lines = hosts.flatMap { host in host.addresses.map { "\($0) \(host.name)\n" } }
        try server.put("127.0.0.1 localhost\n" + lines.joined(), at: "hosts")
        let first = firstNameServer.map { "nameserver \($0)\n" } ?? ""
        try server.put(first + "nameserver 127.0.0.1\n" + resolving, at: "resolv.conf")
        try server.put(Self.nameServer, at: "names.py")
        let known = names.flatMap { name in name.addresses.map { "\(name.name) \($0)\n" } }
        let search = resolving.split(separator: "\n").filter { $0.hasPrefix("search ") }
            .flatMap { $0.split(separator: " ").dropFirst() }.map { "*.\($0) 10.1.2.3\n" }
        try server.put((known + search).joined(), at: "names")
        try server.put(script(root: root), at: "namespace.sh")
        let words = ["check", "--cacert", stage.lab.caFile, "--max-time", "60", "--format", "json"] + arguments
        let process = try stage.tool(
            "unshare",
            Self.unshare + ["bash", "namespace.sh", MonitorProcess.binary.path] + words)
        try await process.ended()
        let asked = (try? String(contentsOf: stage.folder.appending(path: "web/access.log"), encoding: .utf8)) ?? ""
        let questions = (try? String(contentsOf: stage.folder.appending(path: "questions"), encoding: .utf8)) ?? ""
        let count = (try? String(contentsOf: stage.folder.appending(path: "waiting"), encoding: .utf8)) ?? ""
        return Run(
            process: process, waitedForAtOnce: Int(count.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0,
            requests: asked.split(separator: "\n").map(String.init),
            questions: questions.split(separator: "\n").map(String.init).filter { !isOfMachine($0) })
    }

    /// Answers from the lines `NAME ADDRESS` of the file `names`, where a name may be `*.SUFFIX`, and records each
    /// question.
    private static let nameServer = """
        import socket
        known = [line.split() for line in open("names")]
        server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        server.bind(("127.0.0.1", 53))
        log = open("questions", "w", buffering=1)
        while True:
            question, asker = server.recvfrom(2000)
            end, labels = 12, []
            while question[end]:
                labels.append(question[end + 1:end + 1 + question[end]].decode())
                end += question[end] + 1
            name, kind = ".".join(labels).lower(), question[end + 2]
            log.write(name + "\\n")
            found = [a for n, a in known if n == name or (n[0] == "*" and name.endswith(n[1:]))]
            family = {1: socket.AF_INET, 28: socket.AF_INET6}.get(kind)
            records = b""
            count = 0
            for address in found:
                if family != (socket.AF_INET6 if ":" in address else socket.AF_INET):
                    continue
                data = socket.inet_pton(family, address)
                records += bytes([0xC0, 12, 0, kind, 0, 1, 0, 0, 0, 60, 0, len(data)]) + data
                count += 1
            head = question[:2] + bytes([0x81, 0x80 if found else 0x83, 0, 1, 0, count, 0, 0, 0, 0])
            server.sendto(head + question[12:end + 5] + records, asker)

        """

    /// nginx and others ask for the name of their machine.
    private func isOfMachine(_ question: String) -> Bool {
        let name = ProcessInfo.processInfo.hostName.split(separator: ".").first ?? "localhost"
        return question == name || question.hasPrefix("\(name).")
    }

    private func script(root: String) -> String {
        var steps = ["set -eu", "mount --bind hosts /etc/hosts", "mount --bind resolv.conf /etc/resolv.conf"]
        steps += ["ip link set lo up", "python3 names.py &", "until [ -e questions ]; do sleep 0.05; done"]
        steps += ["ip link add v0 type veth peer name v1", "ip link set v0 up", "ip link set v1 up"]
        // Both families need a route, whatever the origin has.
        steps.append("ip addr add 1.2.3.254/32 dev lo")
        if hasIPv6 { steps.append("ip -6 addr add 2a00::fe/128 dev lo nodad") }
        for (address, kind) in addresses.sorted(by: { $0.key < $1.key }) {
            let isSix = address.contains(":")
            let (ip, length) = isSix ? ("ip -6", 128) : ("ip", 32)
            switch kind {
            case .serving: steps.append("\(ip) addr add \(address)/\(length) dev lo" + (isSix ? " nodad" : ""))
            case .dropping:
                steps.append("\(ip) route add \(address)/\(length) dev v0")
                steps.append("\(ip) neigh add \(address) lladdr 02:00:00:00:00:99 dev v0 nud permanent")
            }
        }
        if let proxyStatus {
            let proxy = """
                import socket, threading
                listener = socket.create_server(("127.0.0.1", 3128))
                def serve(client):
                    client.recv(65536)
                    client.sendall(b"HTTP/1.1 \(proxyStatus) No\\r\\nContent-Length: 0\\r\\nConnection: close\\r\\n\\r\\n")
                    client.close()
                while True:
                    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
                """
            steps.append("python3 -c '\(proxy)' &")
            steps.append("until (exec 3<>/dev/tcp/127.0.0.1/3128) 2>/dev/null; do sleep 0.05; done")
        }
        for (name, value) in environment.sorted(by: { $0.key < $1.key }) { steps.append("export \(name)='\(value)'") }
        steps.append("\(Nginx.binary.path) -e stderr -p \(root) -c \(root)/nginx.conf &")
        steps.append("until (exec 3<>/dev/tcp/127.0.0.1/443) 2>/dev/null; do sleep 0.05; done")
        guard countsWaiting else { return (steps + ["\"$@\""]).joined(separator: "\n") + "\n" }
        // State 02 is a connection request without an answer.
        steps.append(
            """
            "$@" & pid=$!
            most=0
            while kill -0 $pid 2>/dev/null; do
              now=$(awk '$4 == "02" {print $3}' /proc/net/tcp /proc/net/tcp6 | sort -u | wc -l)
              if [ "$now" -gt "$most" ]; then most=$now; fi
              sleep 0.05
            done
            echo "$most" >waiting
            code=0; wait $pid || code=$?
            exit $code
            """)
        return steps.joined(separator: "\n") + "\n"
    }
}
