import Foundation
import Glibc
import Synchronization

/// A name server on loopback that answers by the first label of a name:
/// - `good` has 192.0.2.7.
/// - `both` also has an IPv6 address.
/// - `six` has only an IPv6 address.
/// - `empty` has no address.
/// - `gone` does not exist.
/// - `alias` is an alias of `site.azurewebsites.net`, which does not exist.
/// - `chain` is an alias of `alias`, and `www` one of `good`.
/// - `broken` and `refused` are failures.
/// - `silent` gets no answer.
/// - `denying` has an IPv4 address, and the query for IPv6 addresses says that the name does not exist.
/// - `lame` has an IPv4 address, and the query for IPv6 addresses gets no answer.
/// - `half` has no address, and the query for IPv6 addresses fails.
package final class FakeNameServer: Sendable {
    package let port: UInt16
    private let socket: Int32
    private let isOver = Atomic(false)
    private let count = Atomic(0)
    private let asked = Mutex<Set<String>>([])

    /// The queried names, in lower case.
    package var names: Set<String> { asked.withLock(\.self) }
    package func forget() { asked.withLock { $0 = [] } }

    /// The number of queries so far.
    package var questions: Int { count.load(ordering: .relaxed) }
    package var address: String { "127.0.0.1:\(port)" }

    /// `rcode`: every answer is this failure.
    package init(rcode: UInt8? = nil) throws {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        // The usual buffer has room for a few hundred queries. Hundreds of lookups at once would lose some of theirs
        // while the thread below waits for a core. The kernel gives at most `net.core.rmem_max`.
        var room: Int32 = 4 * 1024 * 1024
        setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &room, socklen_t(MemoryLayout<Int32>.size))
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutableBytes(of: &place) { bytes in
            let pointer = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
            guard let pointer, bind(socket, pointer, size) == 0 else { return false }
            return getsockname(socket, pointer, &size) == 0
        }
        guard socket >= 0, isBound else { throw POSIXError(.EADDRNOTAVAIL) }
        self.socket = socket
        port = UInt16(bigEndian: place.sin_port)
        Thread { [self] in serve(rcode) }.start()
    }

    package func stop() { isOver.store(true, ordering: .relaxed) }

    private func serve(_ rcode: UInt8?) {
        defer { close(socket) }
        while !isOver.load(ordering: .relaxed) {
            var waiting = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 50) > 0 else { continue }
            var bytes = [UInt8](repeating: 0, count: 1024)
            var from = sockaddr_storage()
            var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
            withUnsafeMutableBytes(of: &from) { raw in
                guard let peer = raw.assumingMemoryBound(to: sockaddr.self).baseAddress else { return }
                let length = recvfrom(socket, &bytes, bytes.count, 0, peer, &size)
                guard length > 16 else { return }
                count.add(1, ordering: .relaxed)
                let name = Self.name(bytes)
                asked.withLock { _ = $0.insert(name) }
                guard let answer = Self.answer(Array(bytes[..<length]), rcode) else { return }
                sendto(socket, answer, answer.count, 0, peer, size)
            }
        }
    }

    private static func name(_ question: [UInt8]) -> String {
        var (end, labels) = (12, [String]())
        while end < question.count, question[end] != 0 {
            let next = end + 1 + Int(question[end])
            labels.append(String(decoding: question[(end + 1)..<min(next, question.count)], as: UTF8.self))
            end = next
        }
        return labels.joined(separator: ".").lowercased()
    }

    /// The question ends after its name, type and class.
    private static func answer(_ question: [UInt8], _ rcode: UInt8?) -> [UInt8]? {
        var end = 12
        while end < question.count, question[end] != 0 { end += Int(question[end]) + 1 }
        guard end + 5 <= question.count else { return nil }
        let isIPv6 = question[end + 2] == 28
        let label = String(decoding: question[13..<(13 + Int(question[12]))], as: UTF8.self)
        func record(_ type: UInt8, _ data: [UInt8], of name: [UInt8] = [0xc0, 12]) -> [UInt8] {
            name + [0, type, 0, 1, 0, 0, 0, 60, 0, UInt8(data.count)] + data
        }
        func named(_ labels: String...) -> [UInt8] { labels.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0] }
        let (address, target) = (record(1, [192, 0, 2, 7]), named("site", "azurewebsites", "net"))
        var code: UInt8 = 0
        var records: [[UInt8]] = []
        switch label {
        case "silent": return nil
        case "lame" where isIPv6: return nil
        case "denying" where isIPv6: code = 3
        case "half" where isIPv6: code = 2
        case "gone": code = 3
        case "broken": code = 2
        case "refused": code = 5
        case "good" where !isIPv6, "both" where !isIPv6, "denying", "lame": records = [address]
        case "both" where isIPv6, "six" where isIPv6:
            records = [record(28, [0x20, 0x01, 0x0d, 0xb8] + [UInt8](repeating: 0, count: 11) + [7])]
        case "alias": (code, records) = (3, [record(5, target)])
        case "chain":
            (code, records) = (3, [record(5, named("alias", "test")), record(5, target, of: named("alias", "test"))])
        case "www" where !isIPv6:
            records = [record(5, named("good", "test")), record(1, [192, 0, 2, 7], of: named("good", "test"))]
        default: break
        }
        if let rcode { (code, records) = (rcode, []) }
        let head: [UInt8] = [question[0], question[1], 0x81, 0x80 | code, 0, 1, 0, UInt8(records.count), 0, 0, 0, 0]
        return head + question[12..<(end + 5)] + records.joined()
    }
}
