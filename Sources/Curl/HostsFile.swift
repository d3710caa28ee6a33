// Names that this machine knows without a name server.

import Facts
import Glibc

/// `/etc/hosts`, read again when it changes.
struct HostsFile {
    private let path: String
    /// What of the file changes when it is edited or replaced.
    private var stamp: [Int]?
    private var addresses: [String: [String]] = [:]

    /// Lists of blocked names have some megabytes.
    private static let maximumBytes = 32 << 20

    init(path: String = "/etc/hosts") { self.path = path }

    /// The addresses of a name, in the order of the file; empty where it has none. A name of this machine itself needs no line
    /// (RFC 6761, 6.3).
    mutating func addresses(of host: String) -> [String] {
        read()
        var name = host.lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        if let known = addresses[name] { return known }
        return name == "localhost" || name.hasSuffix(".localhost") ? ["127.0.0.1", "::1"] : []
    }

    private mutating func read() {
        var facts = stat()
        guard stat(path, &facts) == 0 else {
            (stamp, addresses) = (nil, [:])
            return
        }
        let now = [
            Int(bitPattern: UInt(facts.st_dev)), Int(bitPattern: UInt(facts.st_ino)), facts.st_size,
            facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec,
        ]
        guard now != stamp else { return }
        stamp = now
        addresses = [:]
        guard let file = fopen(path, "re") else { return }
        defer { fclose(file) }
        var (line, capacity, left): (UnsafeMutablePointer<CChar>?, Int, Int) = (nil, 0, Self.maximumBytes)
        defer { free(line) }
        while left > 0 {
            let count = getline(&line, &capacity, file)
            guard count > 0, let line else { return }
            left -= count
            add(String(decoding: UnsafeRawBufferPointer(start: line, count: count), as: UTF8.self))
        }
    }

    /// `ADDRESS NAME [ALIAS]... [# COMMENT]`, as hosts(5) has it.
    private mutating func add(_ line: String) {
        let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
        guard let first = words.first else { return }
        // An address with a zone (fe80::1%eth0) cannot be given to libcurl.
        let address = String(first)
        guard HostAddress(address) != nil else { return }
        for name in words.dropFirst() {
            let name = name.lowercased()
            if addresses[name]?.contains(address) != true { addresses[name, default: []].append(address) }
        }
    }
}
