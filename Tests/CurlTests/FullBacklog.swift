import Foundation
import Glibc

/// A listening socket with a full backlog: the kernel drops further connection attempts without an answer.
final class FullBacklog {
    let port: Int
    private var sockets: [Int32] = []

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        sockets = [listener]
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        func call(_ body: (UnsafeMutablePointer<sockaddr>) -> Int32) -> Int32 {
            withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) }
            }
        }
        var size = length
        guard call({ bind(listener, $0, length) }) == 0, listen(listener, 0) == 0,
            call({ getsockname(listener, $0, &size) }) == 0
        else {
            port = 0
            throw CocoaError(.featureUnsupported)
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        for _ in 0..<4 {
            let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
            _ = call { connect(client, $0, length) }
            sockets.append(client)
        }
    }

    deinit { for socket in sockets { close(socket) } }
}
