// The files that a configuration names: lists, secrets, and who may read them.

import Facts
import Foundation

extension SmallFile {
    /// The file of `domains_from`: the limit allows over a million domains.
    package static func list(at path: String) throws(UnreadableFile) -> String {
        try text(at: path, limit: 64 << 20, "64 MiB")
    }

    /// The file of a secret. Secrets have a few lines; a larger file is a mistake.
    package static func secret(at path: String) throws(UnreadableFile) -> String {
        try text(at: path, limit: 64 << 10, "64 KiB")
    }

    private static func text(
        at path: String, limit: Int, _ size: String
    ) throws(UnreadableFile) -> String {
        let bytes = try bytes(at: path, limit: limit + 1)
        guard bytes.count <= limit else {
            throw UnreadableFile(path: path, reason: "it is larger than \(size)")
        }
        // Decoding replaces invalid UTF-8, so the bytes then differ. `String(validating:)` needs macOS 15.
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.utf8.elementsEqual(bytes) else {
            throw UnreadableFile(path: path, reason: "it is not UTF-8")
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
}
