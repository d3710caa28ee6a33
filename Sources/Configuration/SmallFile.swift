// Reading files that people name: bounded, and with the system's own word where it fails.

import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reads files that people name.
package enum SmallFile {
    /// A file of secrets is a few lines; more is another file by mistake.
    private static let secretLimit = 64 * 1024

    /// The file's first bytes, `limit` at most. Pipes work too, as in `--config <(…)`.
    ///
    /// - Throws: `ConfigurationFileUnreadable` with the system's reason.
    package static func bytes(at path: String, limit: Int) throws(ConfigurationFileUnreadable) -> [UInt8] {
        guard let file = fopen(path, "re") else { throw unreadable(path) }
        return try bytes(of: file, named: path, limit: limit)
    }

    /// As `bytes(at:limit:)`. Not by way of `/dev/stdin`, which cannot be opened where it is a socket, as under sshd.
    package static func standardInput(limit: Int) throws(ConfigurationFileUnreadable) -> [UInt8] {
        guard let file = fdopen(dup(STDIN_FILENO), "r") else { throw unreadable("standard input") }
        return try bytes(of: file, named: "standard input", limit: limit)
    }

    /// Closes the file.
    private static func bytes(
        of file: UnsafeMutablePointer<FILE>, named path: String, limit: Int
    ) throws(ConfigurationFileUnreadable) -> [UInt8] {
        defer { fclose(file) }
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while result.count < limit {
            let count = fread(&buffer, 1, min(buffer.count, limit - result.count), file)
            result += buffer[..<count]
            if count == 0 {
                // Also how a folder shows itself: it opens and then refuses to be read.
                if ferror(file) != 0 { throw unreadable(path) }
                break
            }
        }
        return result
    }

    /// Over a million domains.
    private static let listLimit = 64 << 20

    static func list(at path: String) throws -> String {
        let bytes = try bytes(at: path, limit: listLimit + 1)
        guard bytes.count <= listLimit else {
            throw ConfigurationFileUnreadable(path: path, reason: "it is larger than 64 MiB")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ConfigurationFileUnreadable(path: path, reason: "it is not UTF-8")
        }
        return text
    }

    /// The file of a secret.
    package static func secret(at path: String) throws(ConfigurationFileUnreadable) -> String {
        let bytes = try bytes(at: path, limit: secretLimit + 1)
        guard bytes.count <= secretLimit else {
            throw ConfigurationFileUnreadable(path: path, reason: "it is larger than 64 KiB")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ConfigurationFileUnreadable(path: path, reason: "it is not UTF-8")
        }
        return text
    }

    /// Whether the rights of a file and of the folders above it let every user of this machine read it.
    package static func isReadableByAll(_ path: String) -> Bool {
        guard let real = realpath(path, nil) else { return false }
        defer { free(real) }
        var place = String(cString: real)
        var needed = S_IROTH
        while true {
            var facts = stat()
            guard stat(place, &facts) == 0, facts.st_mode & needed != 0 else { return false }
            // A pipe is this process's own.
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
