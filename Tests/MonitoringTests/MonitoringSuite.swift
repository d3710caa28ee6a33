import TestTraits
import Testing

/// The root of this target's tests.
@Suite("Monitoring", .timeLimit(.minutes(30)), .computing)
struct MonitoringSuite {}
