import CBuild
import Curl
import Glibc
import Storage

/// The only place that holds the version.
package enum Version {
    package static let number = "0.1.0"
    package static let home = "https://github.com/aasa-monitor/aasa-monitor"
    /// The user agent of every request. It tells the owners of servers who asks.
    package static let userAgent = "aasa-monitor/\(number) (+\(home))"

    /// What `--version` prints: one line for each fact that a bug report needs.
    static var text: String {
        let commit = String(cString: aasa_build_commit())
        return """
            aasa-monitor \(number)
            commit: \(commit.isEmpty ? "unknown, a development build" : commit)
            platform: \(platform)
            Swift: \(_SwiftStdlibVersion.current)
            libcurl: \(CurlDriver.version.trimmingPrefix("libcurl/"))
            SQLite: \(Store.sqliteVersion)
            """
    }

    private static var platform: String {
        var names = utsname()
        guard uname(&names) == 0 else { return "unknown" }
        func text<Field>(_ field: Field) -> String {
            withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        return "\(text(names.sysname)) \(text(names.release)) \(text(names.machine))"
    }
}
