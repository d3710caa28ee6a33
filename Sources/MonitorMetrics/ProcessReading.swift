// The resources that this process uses, under the names of Prometheus' client libraries:
// https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics

import Glibc

/// One reading. A value that the system does not provide is nil.
package struct ProcessReading: Sendable {
    let processorSeconds: Double
    let residentBytes: Double?
    let virtualBytes: Double?
    let openDescriptors: Int?
    let descriptorLimit: Double?
    /// In seconds since 1970.
    let startedAt: Double

    /// When this process began to count, by the wall clock at that time.
    static let start: Double = {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + (Double(time.tv_nsec) / 1e6).rounded() / 1e3
    }()

    package init() {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        processorSeconds = [usage.ru_utime, usage.ru_stime]
            .reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
        let pages = Self.memoryPages()
        let pageSize = Double(sysconf(Int32(_SC_PAGESIZE)))
        virtualBytes = pages.map { $0.virtual * pageSize }
        residentBytes = pages.map { $0.resident * pageSize }
        openDescriptors = Self.descriptors()
        var limit = rlimit()
        let isLimited = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
        descriptorLimit = isLimited && limit.rlim_cur != rlim_t.max ? Double(limit.rlim_cur) : nil
        startedAt = Self.start
    }

    /// The first two numbers of `/proc/self/statm`.
    private static func memoryPages() -> (virtual: Double, resident: Double)? {
        guard let file = fopen("/proc/self/statm", "r") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, Int32(line.count), file) != nil else { return nil }
        let numbers = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            .split(separator: " ").prefix(2).compactMap { Double($0) }
        guard numbers.count == 2 else { return nil }
        return (numbers[0], numbers[1])
    }

    /// Without the descriptor that is open for counting.
    private static func descriptors() -> Int? {
        guard let folder = opendir("/proc/self/fd") else { return nil }
        defer { closedir(folder) }
        var count = -1
        while let entry = readdir(folder) {
            if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
        }
        return count
    }

    func write(to text: inout Exposition) {
        func gauge(_ name: String, _ help: String, _ value: Double?) {
            text.family(name, .gauge, help, value.map { [(Labels(), $0)] } ?? [])
        }
        text.family(
            "process_cpu_seconds_total", .counter, "User and system CPU time", [(Labels(), processorSeconds)])
        gauge("process_resident_memory_bytes", "Resident memory", residentBytes)
        gauge("process_virtual_memory_bytes", "Virtual memory", virtualBytes)
        gauge("process_open_fds", "Open file descriptors", openDescriptors.map(Double.init))
        gauge("process_max_fds", "Maximum number of open file descriptors", descriptorLimit)
        gauge("process_start_time_seconds", "When the process started, as Unix time", startedAt)
    }
}
