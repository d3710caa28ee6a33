/// How the monitor reaches the network.
package struct NetworkSettings: Sendable, Equatable {
    /// Requests under way at the same time; 1 to 1,000.
    package var maxConcurrent = 64
    /// Certificates to trust in place of the system's; a relative path has been taken from the configuration's folder.
    package var caFile: String?
    /// Each in the form of curl's `--connect-to`, `HOST1:PORT1:HOST2:PORT2`.
    package var connectTo: [String] = []
    /// Each in the form of curl's `--resolve`, `HOST:PORT:ADDRESS[,ADDRESS]...`.
    package var resolve: [String] = []
    /// A URL, which may hold a password.
    package var proxy: Secret?
    /// Names of hosts that tell by answering that this machine's own network works; at most 10, none twice.
    package var canaries: [String] = []

    package init() {}
}
