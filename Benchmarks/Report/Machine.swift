import Foundation
import Glibc

/// What the numbers depend on besides the program.
enum Machine {
    /// Its cores, and how many programs wanted one in the last minute.
    static var words: String {
        var load = 0.0
        getloadavg(&load, 1)
        return "\(ProcessInfo.processInfo.activeProcessorCount) cores; load average before: "
            + PlainTable.number(load, digits: 1)
    }
}
