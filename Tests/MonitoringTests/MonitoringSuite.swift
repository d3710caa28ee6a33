import TestTraits
import Testing

/// The root of this target's tests.
@Suite("Monitoring", .timeLimit(.minutes(120)), .computing)
struct MonitoringSuite {}
