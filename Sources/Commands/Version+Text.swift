import CBuild
import Curl
import Glibc
import Storage

extension Version {
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
