import Evidence
import Foundation

extension Comparison {
    /// How Apple's copy stands to the origin's file, in a few words.
    var inWords: String {
        switch state {
        case .inSync: bytesEqual == false ? "in sync in meaning; the bytes differ" : "in sync"
        case .propagating: "propagating\(lag)"
        case .stale: "stale\(lag)"
        case .divergent: "divergent: not the origin's file"
        case .mixed: "mixed: Apple's servers disagree"
        case .missing: "missing: Apple has no copy"
        case .originUnavailable: "not compared: the origin has no readable file"
        case .cdnUnavailable: "not compared: Apple's CDN gave no usable answer"
        case .notCompared: "not compared"
        }
    }

    private var lag: String {
        guard let lagSeconds else { return "" }
        return ", \(TimeInterval(lagSeconds).inWords) behind"
    }
}
