// Reads files that users name, up to a size limit. Errors contain the system's reason.

import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

package enum SmallFile {
    /// The file's first bytes, at most `limit`. Also reads pipes, as in `--config <(…)`, but only with a writer.
    ///
    /// - Throws: `ConfigurationFileUnreadable` with the system's reason.
    package static func bytes(at path: String, limit: Int) throws(ConfigurationFileUnreadable) -> [UInt8] {
        // Without O_NONBLOCK, opening a pipe waits for a writer.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw unreadable(path) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw unreadable(path) }
        return try bytes(of: file, named: path, limit: limit, mayWait: status.st_mode & S_IFMT != S_IFREG)
    }

    /// Like `bytes(at:limit:)`, but waits without a time limit, because a person may be typing. Not through
    /// `/dev/stdin`, which cannot be opened if it is a socket, as under sshd.
    package static func standardInput(limit: Int) throws(ConfigurationFileUnreadable) -> [UInt8] {
        try bytes(of: STDIN_FILENO, named: "standard input", limit: limit, mayWait: false)
    }

    /// In milliseconds: the wait for a pipe's writer, and the wait for the next bytes.
    private static let timeout: (writer: Int32, bytes: Int32) = (2_000, 30_000)

    private static func bytes(
        of file: Int32, named path: String, limit: Int, mayWait: Bool
    ) throws(ConfigurationFileUnreadable) -> [UInt8] {
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        var hasWriter = false
        while result.count < limit {
            let count = read(file, &buffer, min(buffer.count, limit - result.count))
            if count > 0 {
                hasWriter = true
                result += buffer[..<count]
                continue
            }
            if count < 0, errno == EINTR { continue }
            let isEmpty = count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)
            // A folder fails here too: it can be opened, but not read.
            if count < 0, !isEmpty { throw unreadable(path) }
            if isEmpty { hasWriter = true }
            // The end of the file, unless it is a pipe without a writer so far.
            if count == 0, hasWriter || !mayWait { break }
            var request = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            switch poll(&request, 1, hasWriter ? timeout.bytes : timeout.writer) {
            case 0:
                throw ConfigurationFileUnreadable(
                    path: path,
                    reason: hasWriter
                        ? "nothing more was written to it for \(timeout.bytes / 1000) s"
                        : "it is a pipe that nobody writes to")
            case 1...: hasWriter = true
            default: if errno != EINTR { throw unreadable(path) }
            }
        }
        return result
    }

    /// The file of `domains_from`: the limit allows over a million domains.
    package static func list(at path: String) throws(ConfigurationFileUnreadable) -> String {
        try text(at: path, limit: 64 << 20, "64 MiB")
    }

    /// The file of a secret. Secrets have a few lines; a larger file is a mistake.
    package static func secret(at path: String) throws(ConfigurationFileUnreadable) -> String {
        try text(at: path, limit: 64 << 10, "64 KiB")
    }

    private static func text(
        at path: String, limit: Int, _ size: String
    ) throws(ConfigurationFileUnreadable) -> String {
        let bytes = try bytes(at: path, limit: limit + 1)
        guard bytes.count <= limit else {
            throw ConfigurationFileUnreadable(path: path, reason: "it is larger than \(size)")
        }
        // Decoding replaces invalid UTF-8, so the bytes then differ. `String(validating:)` needs macOS 15.
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.utf8.elementsEqual(bytes) else {
            throw ConfigurationFileUnreadable(path: path, reason: "it is not UTF-8")
        }
        return text
    }

    /// Whether the permissions of a file and of the folders above it let every user of this machine read it.
    package static func isReadableByAll(_ path: String) -> Bool {
        guard let real = realpath(path, nil) else { return false }
        defer { free(real) }
        var place = String(cString: real)
        var needed = S_IROTH
        while true {
            var facts = stat()
            guard stat(place, &facts) == 0, facts.st_mode & needed != 0 else { return false }
            // Not for pipes: only this process can read its pipe.
            guard needed == S_IXOTH || facts.st_mode & S_IFMT == S_IFREG else { return false }
            guard place != "/", let slash = place.lastIndex(of: "/") else { return true }
            place = slash == place.startIndex ? "/" : String(place[..<slash])
            needed = S_IXOTH
        }
    }

    private static func unreadable(_ path: String) -> ConfigurationFileUnreadable {
        ConfigurationFileUnreadable(path: path, reason: String(cString: strerror(errno)).lowercased())
    }
}

/// A file that could not be read at all; exit code 66.
package struct ConfigurationFileUnreadable: Error, Sendable, Equatable, CustomStringConvertible {
    package let path: String
    package let reason: String

    package init(path: String, reason: String) {
        self.path = path
        self.reason = reason
    }

    package var description: String { "cannot read '\(path)': \(reason)" }
}
