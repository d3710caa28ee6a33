// How late checks are: from the instant at which a domain is due by its schedule to the first request that its origin sees.

import Evidence
import Foundation
import Monitoring

struct Lateness {
    private let requests: [String: [Double]]
    private let interval: Double
    private let phases: [String: Double]

    init(_ requests: [String: [Double]], settings: LoadSettings) throws {
        self.requests = requests
        interval = Double(settings.interval)
        let pairs = try LoadBenchmark.names(settings).map { name in
            (name, CheckSchedule(domain: try Domain(name), interval: .seconds(settings.interval)).phase)
        }
        phases = Dictionary(pairs) { first, _ in first }
    }

    /// In seconds, ascending, for all checks that were due in a stretch of time. One that never began counts up to its end.
    func seconds(from begin: Date, to end: Date) -> [Double] {
        let (begin, end) = (begin.timeIntervalSince1970, end.timeIntervalSince1970)
        var result: [Double] = []
        for (name, phase) in phases {
            let times = requests[name] ?? []
            var due = ((begin / interval - phase).rounded(.up) + phase) * interval
            while due < end {
                let next = times.partitioned(by: due)
                if next == times.count {
                    result.append(end - due)
                } else if next == 0 || due - times[next - 1] > 0.5 {
                    // Else a check was under way: the one after it is not due before the next interval.
                    result.append(times[next] - due)
                }
                due += interval
            }
        }
        return result.sorted()
    }
}

extension [Double] {
    /// The index of the first element that is not below a value; the elements are ascending.
    fileprivate func partitioned(by value: Double) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Of ascending elements; NaN where there are none.
    func quantile(_ share: Double) -> Double {
        isEmpty ? .nan : self[Swift.min(count - 1, Int(Double(count) * share))]
    }
}
