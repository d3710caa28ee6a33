// The real program as a separate process, what the kernel counts about it, and how late its checks are.

import Evidence
import Foundation
import Glibc
import Monitoring

struct MonitorProcess {
    static let store = "monitor.db"

    private let workspace: Workspace
    private let program: String
    private let process: pid_t
    private let page: Int

    /// `channels`: type and URL of each; the type is also its name.
    init(
        _ workspace: Workspace, _ options: Options, _ server: OriginServer, channels: [(type: String, url: String)] = []
    ) throws {
        let names = OriginServer.names(options.domains).joined(separator: "\n")
        let domains = try workspace.write(names, to: "domains.txt")
        let list = channels.map { type, url in
            let key = type == "pagerduty" ? ", routing_key: \(String(repeating: "A", count: 32))" : ""
            return "    - {name: \(type), type: \(type), url: \"\(url)\"\(key)}"
        }
        page = try Loopback.freePort()
        let text = """
            version: 1
            defaults: {interval: \(options.interval)s, failure_threshold: 2, timeout: 10s, full_every: 1h}
            network: {ca_file: \(server.caFile), connect_to: [":443:127.0.0.1:\(server.port)"]}
            cdn: {base_url: "https://\(OriginServer.cdn)/a/v1", requests_per_second: 1000}
            \(list.isEmpty ? "" : "alerts:\n  channels:\n\(list.joined(separator: "\n"))")
            store: {path: \(workspace.path(Self.store))}
            server: {listen: "127.0.0.1:\(page)"}
            domains_from: \(domains)

            """
        let path = try workspace.write(text, to: "monitor.yaml")
        self.workspace = workspace
        program = try options.program()
        process = try workspace.start(program, ["run", "--config", path])
    }

    /// Whether its status page accepts connections. By then it has read what it needs from the store.
    var isListening: Bool { Loopback.accepts(page) }

    /// - Throws: `BenchFault` with the end of its log if it has ended.
    func usage() throws -> ProcessUsage {
        guard workspace.exitCode(of: process) == nil, let usage = ProcessUsage(of: process) else {
            throw BenchFault("the monitor has ended:\n\(workspace.lastLines(of: program))")
        }
        return usage
    }

    /// https://man7.org/linux/man-pages/man5/proc_pid_clear_refs.5.html
    func forgetPeak() { try? "5".write(toFile: "/proc/\(process)/clear_refs", atomically: false, encoding: .utf8) }

    /// Sends SIGTERM.
    /// - Returns: the time until its end, and the exit code.
    @discardableResult
    func stop() async -> String {
        let begin = ContinuousClock.now
        let code = await workspace.stop(process)
        let seconds = ((ContinuousClock.now - begin) / .seconds(1)).text(1)
        return "\(seconds) s, \(code.map { "exit code \($0)" } ?? "still running")"
    }
}

struct ProcessUsage {
    /// User and system time since its start, in seconds.
    let cpu: Double
    /// Resident bytes: now, and the peak since the start or `forgetPeak`.
    let resident: Int
    let peak: Int
    /// Bytes passed to `write`, and bytes written to the disk.
    let written: Int
    let toDisk: Int

    /// nil if it has ended.
    init?(of process: pid_t) {
        func text(_ file: String) -> String? {
            try? String(contentsOfFile: "/proc/\(process)/\(file)", encoding: .utf8)
        }
        func numbers(_ file: String) -> [Substring: Int] {
            let pairs = (text(file) ?? "").split(separator: "\n").compactMap { line -> (Substring, Int)? in
                let parts = line.split(whereSeparator: { $0 == ":" || $0.isWhitespace })
                return parts.count > 1 ? Int(parts[1]).map { (parts[0], $0) } : nil
            }
            return Dictionary(pairs) { first, _ in first }
        }
        guard let stat = text("stat"), let name = stat.lastIndex(of: ")") else { return nil }
        // https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html: the third field follows the name.
        let fields = stat[stat.index(after: name)...].split(separator: " ")
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return nil }
        let (memory, traffic) = (numbers("status"), numbers("io"))
        guard let resident = memory["VmRSS"], let peak = memory["VmHWM"] else { return nil }
        cpu = (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
        (self.resident, self.peak) = (resident << 10, peak << 10)
        (written, toDisk) = (traffic["wchar"] ?? 0, traffic["write_bytes"] ?? 0)
    }
}

/// How late checks are: from the time a domain is due to the first request to its origin.
struct Lateness {
    private let requests: [String: [Double]]
    private let interval: Double
    private let phases: [String: Double]

    init(_ server: OriginServer, _ options: Options) async throws {
        requests = try await server.requests()
        interval = Double(options.interval)
        let pairs = try OriginServer.names(options.domains).map { name in
            (name, CheckSchedule(domain: try Domain(name), interval: .seconds(options.interval)).phase)
        }
        phases = Dictionary(pairs) { first, _ in first }
    }

    /// The lateness in seconds, ascending, of all checks that were due between two instants. For a check that never
    /// began, the
    /// time until the end counts.
    func seconds(from begin: Date, to end: Date) -> [Double] {
        let (begin, end) = (begin.timeIntervalSince1970, end.timeIntervalSince1970)
        var result: [Double] = []
        for (name, phase) in phases {
            let times = requests[name] ?? []
            var next = 0
            var due = ((begin / interval - phase).rounded(.up) + phase) * interval
            while due < end {
                while next < times.count, times[next] < due { next += 1 }
                if next == times.count {
                    result.append(end - due)
                } else if next == 0 || due - times[next - 1] > 0.5 {
                    // Otherwise a check was running, and the one after it is due in the next interval.
                    result.append(times[next] - due)
                }
                due += interval
            }
        }
        return result.sorted()
    }
}
