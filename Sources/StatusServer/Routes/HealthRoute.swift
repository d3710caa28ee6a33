import Hummingbird

/// Whether the process turns; it looks at nothing else, so that a full disk does not make a supervisor kill the monitor.
enum HealthRoute {
    /// Of supervisors, which have no token.
    static let openPaths: Set = [APIEndpoint.health.path, APIEndpoint.readiness.path]

    static func answer() -> Response { Response(plain: "ok\n") }
}
