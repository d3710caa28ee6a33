import CBuild
import Curl
import Glibc
import Storage

/// The one place of the version.
package enum Version {
    package static let number = "0.1.0"
    package static let home = "https://github.com/aasa-monitor/aasa-monitor"
    /// How every request names this program, so that the owners of servers can find out who asks.
    package static let userAgent = "aasa-monitor/\(number) (+\(home))"

    /// What `--version` prints: a line for each thing that a report of a fault should name.
    static var text: String {
        let commit = String(cString: aasa_build_commit())
        return """
            aasa-monitor \(number)
            commit: \(commit.isEmpty ? "not known, a build for development" : commit)
            platform: \(platform)
            Swift: \(_SwiftStdlibVersion.current)
            libcurl: \(CurlDriver.version.trimmingPrefix("libcurl/"))
            SQLite: \(Store.sqliteVersion)
            """
    }

    private static var platform: String {
        var names = utsname()
        guard uname(&names) == 0 else { return "not known" }
        func text<Field>(_ field: Field) -> String {
            withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        return "\(text(names.sysname)) \(text(names.release)) \(text(names.machine))"
    }
}
