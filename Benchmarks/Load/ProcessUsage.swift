// What the kernel counts of a process.

import Foundation
import Glibc

struct ProcessUsage {
    /// Seconds of user and system time since its start.
    var cpu: Double
    /// Bytes in memory: now, and at most since the start or `forgetPeak`.
    var resident: Int
    var peak: Int
    /// Bytes handed to `write`, and those that went on to the disk.
    var handed: Int
    var written: Int

    /// nil where it has ended.
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
        let memory = numbers("status")
        let traffic = numbers("io")
        guard let resident = memory["VmRSS"], let peak = memory["VmHWM"] else { return nil }
        cpu = (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
        (self.resident, self.peak) = (resident << 10, peak << 10)
        (handed, written) = (traffic["wchar"] ?? 0, traffic["write_bytes"] ?? 0)
    }
}

extension LoadedMonitor {
    /// nil where it has ended.
    func usage() -> ProcessUsage? { ProcessUsage(of: process) }

    /// https://man7.org/linux/man-pages/man5/proc_pid_clear_refs.5.html
    func forgetPeak() { try? "5".write(toFile: "/proc/\(process)/clear_refs", atomically: false, encoding: .utf8) }
}
