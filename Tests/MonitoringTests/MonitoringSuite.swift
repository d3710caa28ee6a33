import Testing

/// The root of this target's tests.
@Suite("Monitoring", .timeLimit(.minutes(5)))
struct MonitoringSuite {}
