// Files of the service: who may read them, and what the service itself may read.

import CDispatch
import Evidence
import Foundation
import Glibc
import MonitorConfiguration
import Synchronization

/// What to do if a user may not read a file of the service.
enum Permission {
    /// `; …`, for the end of a message. `hasDaemon`: whether the user can ask a daemon instead.
    static func advice(for path: String, hasDaemon: Bool = true) -> String {
        if ServiceUser.isInForce.load(ordering: .relaxed) {
            return "; let the service's group read it: chgrp \(ServiceUser.name) FILE && chmod 640 FILE"
        }
        let user = name(of: geteuid())
        var ways: [String] = []
        if let group = group(of: path) {
            ways.append(
                isMember(user, of: group.id)
                    ? "user \(user) is in group \(group.name), which can read it: log in again"
                    : "its group is \(group.name): run `sudo adduser \(user) \(group.name)` and log in again"
            )
        } else {
            ways.append("run the command as root, with sudo")
        }
        if hasDaemon { ways.append("or ask the daemon: --url http://127.0.0.1:9630") }
        return "; " + ways.joined(separator: ", ")
    }

    /// The group of the file, or of the folder that hides it; nil if it does not help: root's, or the user's own.
    private static func group(of path: String) -> (id: gid_t, name: String)? {
        var place = URL(filePath: path).standardizedFileURL.path
        var facts = stat()
        while stat(place, &facts) != 0 {
            let folder = URL(filePath: place).deletingLastPathComponent().path
            guard folder != place else { return nil }
            place = folder
        }
        guard facts.st_gid != 0, facts.st_gid != getegid(), facts.st_mode & S_IRGRP != 0,
            let entry = getgrgid(facts.st_gid), let name = entry.pointee.gr_name
        else { return nil }
        return (facts.st_gid, String(cString: name).displayable)
    }

    /// According to the system's list; this session may have begun before the change.
    private static func isMember(_ user: String, of group: gid_t) -> Bool {
        guard let entry = getgrgid(group), var member = entry.pointee.gr_mem else { return false }
        while let name = member.pointee {
            if String(cString: name) == user { return true }
            member += 1
        }
        return false
    }

    static func name(of user: uid_t) -> String {
        guard let entry = getpwuid(user), let name = entry.pointee.pw_name else { return "\(user)" }
        return String(cString: name).displayable
    }
}

/// The user of the packaged service. It may not read everything that root may read.
enum ServiceUser {
    static let name = "aasa-monitor"
    /// Whether this process runs as that user now.
    static let isInForce = Atomic(false)
    private static let folder = "/etc/aasa-monitor/"

    /// Switches to the service's user if root examines the service's configuration. From then on the process can read,
    /// write and run only what the service can. This cannot be undone.
    /// - Throws: `CommandFailure` if the system refuses.
    static func become(for path: String) throws {
        guard geteuid() == 0, isOfService(path), let entry = getpwnam(name) else { return }
        let (user, group) = (entry.pointee.pw_uid, entry.pointee.pw_gid)
        guard user != 0 else { return }
        for (name, value) in ServiceEnvironment().variables ?? [] { setenv(name, value, 0) }
        guard initgroups(name, group) == 0, setgid(group) == 0, setuid(user) == 0 else {
            throw CommandFailure(
                .software, "cannot switch to user \(name), who runs the service: \(String(cString: strerror(errno)))")
        }
        isInForce.store(true, ordering: .relaxed)
        Console.remark("running as user \(name), as the service does")
    }

    private static func isOfService(_ path: String) -> Bool {
        guard let real = realpath(path, nil) else { return false }
        defer { free(real) }
        return String(cString: real).hasPrefix(folder)
    }
}
