import Foundation
import MonitorConfiguration

extension StoreSettings {
    /// Where the store lies: a relative path is taken under `$STATE_DIRECTORY`, which systemd sets, else under the
    /// working directory.
    package func resolvedPath(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> String {
        if path.hasPrefix("/") { return path }
        // systemd lists several folders apart by colons; the first is ours.
        guard let folder = environment["STATE_DIRECTORY"]?.split(separator: ":").first else { return path }
        return "\(folder)/\(path)"
    }
}
