import Hummingbird

/// Whether the process turns; it looks at nothing else, so that a full disk does not make a supervisor kill the monitor.
enum HealthRoute {
    static let path = "/healthz"

    static func answer() -> Response { Response(plain: "ok\n") }
}
