import Curl
import Evidence
import Facts
import Foundation
import Glibc
import Lab
import LabFaults
import Monitoring
import Synchronization
import Testing

@testable import Alerting

/// A loopback server that answers one connection with fixed bytes and keeps what it received.
private final class OneShotServer: Sendable {
    let port: UInt16
    private let request = Mutex(Data())

    var received: String { String(decoding: request.withLock(\.self), as: UTF8.self) }

    /// `reply`: sent after the request's body. Then the server closes the connection.
    init(reply: String, bodyBytes: Int) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(listener, generic, length) == 0 && listen(listener, 4) == 0
                    && getsockname(listener, generic, &length) == 0
            }
        }
        try #require(listener >= 0 && bound)
        port = UInt16(bigEndian: address.sin_port)
        Thread { [self] in
            let peer = accept(listener, nil, nil)
            var all = Data()
            var buffer = [UInt8](repeating: 0, count: 65536)
            while true {
                let head = all.range(of: Data("\r\n\r\n".utf8))
                if let head, all.count >= head.upperBound + bodyBytes { break }
                let count = recv(peer, &buffer, buffer.count, 0)
                if count <= 0 { break }
                all.append(contentsOf: buffer.prefix(count))
            }
            request.withLock { $0 = all }
            let bytes = Array(reply.utf8)
            var sent = 0
            while sent < bytes.count {
                let count = bytes.withUnsafeBytes { raw in
                    send(peer, raw.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
                }
                if count <= 0 { break }
                sent += count
            }
            close(peer)
            close(listener)
        }.start()
    }
}

extension AlertingSuite {
    @Suite("Curl transport")
    struct CurlTransportTests {
        /// The limits are far longer than any response takes.
        private func post(_ url: String, body: String = "{}") async throws -> TransportAnswer {
            let driver = try CurlDriver()
            let answer = try await ReceiverTransport(driver: driver).post(
                MessageRequest(
                    url: url, headers: [HeaderField(name: "content-type", value: "application/json")],
                    userAgent: "aasa-monitor/test", body: Data(body.utf8), connectTimeout: .seconds(600),
                    timeout: .seconds(600)))
            await driver.shutdown()
            return answer
        }

        @Test("a message arrives unchanged, and the response comes back")
        func delivers() async throws {
            let server = try OneShotServer(
                reply: "HTTP/1.1 429 Slow\r\nRetry-After: 7\r\nContent-Length: 4\r\n\r\nwait", bodyBytes: 9)
            let answer = try await post("http://127.0.0.1:\(server.port)/hook", body: #"{"a":"b"}"#)
            #expect(answer.status == 429)
            #expect(answer.header("retry-after") == "7")
            #expect(answer.text == "wait")
            #expect(server.received.hasPrefix("POST /hook HTTP/1.1\r\n"))
            #expect(server.received.lowercased().contains("content-type: application/json\r\n"))
            #expect(server.received.contains("aasa-monitor/test"))
            #expect(!server.received.lowercased().contains("expect:"))
            #expect(server.received.hasSuffix(#"{"a":"b"}"#))
        }

        @Test("a URL is sent byte for byte")
        func address() async throws {
            let server = try OneShotServer(reply: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", bodyBytes: 2)
            let path = "/a%2Fb/%7Ex?sp=%2Ftriggers%2Fmanual&sig=a%2Fb_-"
            #expect(try await post("http://127.0.0.1:\(server.port)\(path)").status == 200)
            #expect(server.received.hasPrefix("POST \(path) HTTP/1.1\r\n"))
            #expect(server.received.hasSuffix("{}"))
        }

        @Test("a redirect is a response and is not followed")
        func redirect() async throws {
            let server = try OneShotServer(
                reply: "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n", bodyBytes: 2)
            let answer = try await post("http://127.0.0.1:\(server.port)/hook")
            #expect(answer.status == 302)
            #expect(answer.fault == nil)
        }

        @Test("an endless response is cut, and its status counts")
        func endless() async throws {
            let server = try OneShotServer(
                reply: "HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "x", count: 300_000), bodyBytes: 2)
            let answer = try await post("http://127.0.0.1:\(server.port)/hook")
            #expect(answer.status == 200)
            #expect(answer.body.count == TransportAnswer.maximumBodyBytes)
        }

        @Test(
            "a host name of a cloud's metadata service is refused before connecting, as the channel's fault",
            arguments: ["169.254.169.254", "[fe80::1]", "[64:ff9b::a9fe:a9fe]", "[fd00:ec2::254]", "100.100.100.200"])
        func metadata(address: String) async throws {
            let driver = try CurlDriver(network: NetworkSettings(resolve: ["hook.test:443:\(address)"]))
            let answer = try await ReceiverTransport(driver: driver).post(
                MessageRequest(url: "https://hook.test/", headers: [], userAgent: "t", body: Data()))
            await driver.shutdown()
            #expect(answer.status == nil)
            #expect(answer.fault?.kind == .address)
            for service in Service.allCases {
                let format = try service.channel().format
                #expect(format.judge(answer, now: noon) == .permanentChannel(gone: false))
            }
        }

        @Test(
            "without a connection nothing was sent, and the fault is the network's",
            // A label of more than 63 characters is sent to no name server.
            arguments: ["127.0.0.1:1", "\(String(repeating: "a", count: 64)).invalid"])
        func refused(host: String) async throws {
            let answer = try await post("http://\(host)/hook")
            #expect(answer.status == nil)
            #expect(answer.fault?.kind == .network)
            #expect(answer.fault?.wasSent == false)
        }

        @Test("a failed handshake means that nothing was sent")
        func handshake() async throws {
            // It does not speak TLS.
            let receiver = try await LabReceiver.start()
            let answer = try await post("https://127.0.0.1:\(receiver.port)/hook")
            #expect(answer.fault?.wasSent == false, "\(answer)")
            #expect(receiver.received.isEmpty)
            await receiver.shutdown()
        }

        @Test("a receiver that reads the message and never responds may have the message")
        func silent() async throws {
            let server = try OneShotServer(reply: "", bodyBytes: 2)
            let answer = try await post("http://127.0.0.1:\(server.port)/hook")
            #expect(answer.status == nil)
            #expect(answer.fault?.wasSent == true, "\(answer)")
        }
    }
}
