import Foundation

/// The programs of the system that the bench runs.
struct Tools {
    static let systemBundle = "/etc/ssl/certs/ca-certificates.crt"

    let nginx: String
    let curl: String
    let openssl: String

    /// - Throws: `BenchFault` that names all that is missing.
    init() throws {
        let found = ["nginx", "curl", "openssl"].map { (name: $0, path: Self.find($0)) }
        var missing = found.filter { $0.path == nil }.map(\.name)
        if access(Self.systemBundle, R_OK) != 0 { missing.append(Self.systemBundle) }
        guard missing.isEmpty, let nginx = found[0].path, let curl = found[1].path, let openssl = found[2].path else {
            throw BenchFault("\(missing.joined(separator: ", ")) missing; run 'make setup', which installs it")
        }
        (self.nginx, self.curl, self.openssl) = (nginx, curl, openssl)
    }

    /// In `PATH`, and where Debian puts servers, which a user's `PATH` lacks.
    static func find(_ name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin"]
        return folders.filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }
}
