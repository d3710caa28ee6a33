import Glibc

/// CPU time of a process, all its threads together.
struct Usage {
    /// User and system time.
    let cpu: Duration

    init(_ usage: rusage) {
        cpu = Self.duration(usage.ru_utime) + Self.duration(usage.ru_stime)
    }

    /// Of this process so far; children do not count.
    static var ofSelf: Usage {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return Usage(usage)
    }

    private static func duration(_ time: timeval) -> Duration {
        .seconds(time.tv_sec) + .microseconds(time.tv_usec)
    }
}

/// Counts from its making.
struct Meter {
    private let began = ContinuousClock.now
    private let before = Usage.ofSelf

    func sample(name: String, fetches: Int, connections: Int) -> Sample {
        Sample(
            name: name, fetches: fetches, connections: connections, wall: ContinuousClock.now - began,
            cpu: Usage.ofSelf.cpu - before.cpu)
    }
}
