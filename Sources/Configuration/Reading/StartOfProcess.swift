// What systemd gives a service only at its start: its variables, and copies of its credentials. A reload does not
// update them.

import Foundation

extension Reading {
    /// Warns of secrets that may have changed since `start` and that this process cannot read again.
    func warnOfWhatStays(since start: Date, _ service: ServiceEnvironment) {
        warnOfVariables(since: start, service)
        warnOfCredentials(since: start)
    }

    private func warnOfVariables(since start: Date, _ service: ServiceEnvironment) {
        // In a shell the variables are not from that file.
        guard environment["INVOCATION_ID"] != nil, !variables.isEmpty, Self.isNewer(service.path, than: start) else {
            return
        }
        guard let now = service.variables else {
            let names = variables.keys.sorted().joined(separator: ", ")
            let place = variables.values.min { ($0.line, $0.column) < ($1.line, $1.column) } ?? .start
            return warning(
                "\(service.path) has changed since the start, and this user cannot read it: \(names) may "
                    + "have a new value there; restart to use it", at: place)
        }
        for (name, place) in variables {
            // The last line counts, as for systemd.
            guard let value = now.last(where: { $0.name == name })?.value, value != environment[name] else { continue }
            warning(
                "'\(name)' has a new value in \(service.path) since the start, but the old one stays in use; "
                    + "restart to use the new one", at: place)
        }
    }

    private func warnOfCredentials(since start: Date) {
        guard let folder = environment["CREDENTIALS_DIRECTORY"], !folder.isEmpty else { return }
        for (path, key, place) in secretFiles
        where path.hasPrefix(folder + "/") && !Self.isNewer(path, than: start) {
            warning(
                "the file of '\(key)' is a credential, which systemd copied when the service started; if "
                    + "it has changed, restart to use it", at: place)
        }
    }

    private static func isNewer(_ path: String, than start: Date) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        return Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9 > start.timeIntervalSince1970
    }
}
