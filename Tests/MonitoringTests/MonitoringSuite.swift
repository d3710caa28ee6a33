import Testing

/// The root of this target's tests.
@Suite("Monitoring", .timeLimit(.minutes(1)))
struct MonitoringSuite {}
