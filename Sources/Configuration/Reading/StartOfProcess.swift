// What systemd gives a service at its start alone: its variables, and copies of its credentials. A reload reads the
// configuration and its files anew, and these stay as they were.

import Foundation

extension Reading {
    /// Warns of secrets that may have changed since `start` and that this process cannot read anew.
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
                "\(service.path) has changed since the start, and this user may not read it: \(names) may "
                    + "have another value there; a restart takes it", at: place)
        }
        for (name, place) in variables {
            // As systemd reads it, the last line counts.
            guard let value = now.last(where: { $0.name == name })?.value, value != environment[name] else { continue }
            warning(
                "'\(name)' has another value in \(service.path) since the start, and the old one stays in "
                    + "force; a restart takes the new one", at: place)
        }
    }

    private func warnOfCredentials(since start: Date) {
        guard let folder = environment["CREDENTIALS_DIRECTORY"], !folder.isEmpty else { return }
        for (path, key, place) in secretFiles
        where path.hasPrefix(folder + "/") && !Self.isNewer(path, than: start) {
            warning(
                "the file of '\(key)' is a credential, which systemd copied when the service started; if "
                    + "it has changed, a restart takes it", at: place)
        }
    }

    private static func isNewer(_ path: String, than start: Date) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        return Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9 > start.timeIntervalSince1970
    }
}
