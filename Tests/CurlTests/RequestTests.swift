import Curl
import Facts
import Foundation
import Lab
import LabFaults
import Testing

#if canImport(Glibc)
    import Glibc
#endif

extension CurlTests {
    @Suite struct RequestTests {
        @Test("a posted body and its headers arrive", arguments: [0, 1, 100_000])
        func post(size: Int) async throws {
            let receiver = try await LabReceiver.start()
            let driver = try CurlDriver()
            let body = Data((0..<size).map { UInt8(truncatingIfNeeded: $0) })
            var asked = request(receiver.url("/hook?x=1"))
            asked.allowPlainHTTP = true
            (asked.method, asked.body) = ("POST", body)
            asked.headers = [("Content-Type", "application/json"), ("X-Empty", "")]
            let result = try await driver.perform(asked)
            #expect(result.status == 200)
            #expect(result.body == Data("ok".utf8))
            #expect(result.header("Content-Type") == "text/plain")
            let delivery = try #require(receiver.received.first)
            #expect(delivery.body == body)
            #expect(delivery.method == "POST")
            #expect(delivery.path == "/hook?x=1")
            #expect(delivery.header("content-type") == "application/json")
            #expect(delivery.header("x-empty") == "")
            #expect(delivery.header("expect") == nil)
            #expect(delivery.header("user-agent") == "curl-tests")
            await driver.shutdown()
            await receiver.shutdown()
        }

        @Test("a gzip answer is decoded, but left unchanged if gzip was not requested", arguments: [true, false])
        func gzip(accepted: Bool) async throws {
            try await withLab { lab, driver in
                let text = String(repeating: "a", count: 1000)
                lab.origin(host).behaviour = .gzip(.json(text))
                var asked = request(site)
                asked.acceptGzip = accepted
                let result = try await driver.perform(asked)
                #expect(lab.origin(host).requests.first?.header("Accept-Encoding") == (accepted ? "gzip" : nil))
                #expect((result.body == Data(text.utf8)) == accepted)
                #expect(result.wireBytes != 1000 && result.wireBytes > 0)
            }
        }

        @Test("a body at the exact limit is complete, one byte more is truncated", arguments: [0, 1])
        func cap(excess: Int) async throws {
            try await withLab { lab, driver in
                lab.origin(host).behaviour = .reply(LabReply(body: [UInt8](repeating: 97, count: 5000 + excess)))
                var asked = request(site)
                asked.limits.bodyBytes = 5000
                let result = try await driver.perform(asked)
                #expect(result.error == nil)
                #expect(result.body.count == 5000)
                #expect(result.isCapped == (excess == 1))
            }
        }

        @Test("headers beyond the limit end the transfer")
        func headerCap() async throws {
            try await withLab { lab, driver in
                let long = String(repeating: "a", count: 2000)
                lab.origin(host).behaviour = .reply(LabReply(headers: [("X-Long", long)]))
                var asked = request(site)
                asked.limits.headerBytes = 1000
                try await expectError("headers-too-large", driver, asked)
                asked.limits.headerBytes = 4000
                #expect(try await driver.perform(asked).header("x-long") == long)
            }
        }

        @Test("a single header line beyond libcurl's own limit is too large too")
        func headerLine() async throws {
            try await withLab { lab, driver in
                let long = String(repeating: "a", count: 200_000)
                lab.origin(host).behaviour = .reply(LabReply(headers: [("X-Long", long)]))
                try await expectError("headers-too-large", driver, request(site))
            }
        }

        @Test("a redirect is reported, not followed")
        func redirect() async throws {
            try await withLab { lab, driver in
                lab.origin(host).behaviour = .redirect(status: 302, location: "/elsewhere")
                let result = try await driver.perform(request(site))
                #expect(result.status == 302)
                #expect(result.header("location") == "/elsewhere")
                #expect(lab.origin(host).requests.count == 1)
            }
        }

        @Test(
            "an unacceptable URL is refused before anything is sent",
            arguments: [
                "", "site.test", "http://site.test/", "ftp://site.test/", "file:///etc/passwd", "https://",
                "https://user:secret@site.test/", "https://site.test:99999/", "https://site.test/\u{0}",
                "https://si te.test/", "https://site.test/\r\nX-A: b",
            ])
        func badURL(_ url: String) async throws {
            try await withLab { lab, driver in
                let result = try await driver.perform(request(url))
                #expect(result.error?.code.description == "bad-url", "\(String(describing: result.error))")
                #expect(result.failure?.detail.contains("secret") != true)
                #expect(lab.connectionsAccepted == 0)
            }
        }

        @Test(
            "an invalid header is refused before anything is sent",
            arguments: [
                ("X-A", "b\r\nX-C: d"), ("X-A\nX-B", "c"), ("", "b"), ("X A", "b"), ("X-A:", "b"), ("X", "\u{0}"),
            ])
        func badHeader(_ name: String, _ value: String) async throws {
            try await withLab { lab, driver in
                var asked = request(site)
                asked.headers = [(name, value)]
                try await expectError("bad-header", driver, asked)
                #expect(lab.connectionsAccepted == 0)
            }
        }

        @Test(
            "loopback is refused if only public addresses are allowed",
            arguments: ["https://site.test/", "https://localhost/", "https://127.0.0.1/", "https://[::1]/"])
        func publicOnly(_ url: String) async throws {
            let lab = try await Lab.start()
            let driver = try CurlDriver(
                network: NetworkSettings(caFile: lab.caFile, resolve: ["site.test:443:10.1.2.3,127.0.0.1"]))
            var asked = request(url)
            asked.addressPolicy = .publicOnly
            let result = try await driver.perform(asked)
            #expect(result.failure?.kind == .privateAddress, "\(String(describing: result.error))")
            #expect(result.failure?.phase == .connecting)
            #expect(lab.connectionsAccepted == 0)
            await driver.shutdown()
            await lab.shutdown()
        }

        @Test(
            "a name that resolves to a metadata address is refused before connecting",
            arguments: ["169.254.169.254", "100.100.100.200", "[fd00:ec2::254]", "[::ffff:168.63.129.16]"])
        func metadata(_ address: String) async throws {
            let driver = try CurlDriver(network: NetworkSettings(resolve: ["site.test:443:\(address)"]))
            var asked = request(site)
            asked.addressPolicy = .noMetadata
            try await expectError("address-refused", driver, asked)
            await driver.shutdown()
        }

        @Test("behind a proxy a metadata address in the URL is refused, in any notation")
        func metadataByProxy() async throws {
            let receiver = try await LabReceiver.start()
            let driver = try CurlDriver(network: NetworkSettings(proxy: receiver.url("")))
            for host in ["100.100.100.200", "[fd20:ce::254]", "0xa9fea9fe", "2852039166"] {
                var asked = request("https://\(host)/")
                asked.addressPolicy = .noMetadata
                try await expectError("address-refused", driver, asked)
            }
            #expect(receiver.connectionsAccepted == 0)
            await driver.shutdown()
            await receiver.shutdown()
        }

        @Test("a chosen address takes precedence over what the name resolves to")
        func chosenAddress() async throws {
            let lab = try await Lab.start(addresses: ["127.0.0.1", "127.0.0.2"])
            let driver = try CurlDriver(network: NetworkSettings(caFile: lab.caFile, connectTo: [lab.connectTo]))
            lab.origin(host).behaviour = .reply(.json("{}"))
            var asked = request(site)
            asked.keepsConnection = true
            for address in ["127.0.0.1", "127.0.0.2", "127.0.0.1"] {
                asked.address = address
                let result = try await driver.perform(asked)
                #expect(result.status == 200)
                #expect(result.connection.address == address)
            }
            #expect(lab.connectionsAccepted == 2, "one idle connection for each address")
            asked.address = "site.test:1"
            try await expectError("bad-url", driver, asked)
            await driver.shutdown()
            await lab.shutdown()
        }

        @Test("a closed port is a refused connection, a name without an address is not found")
        func refused() async throws {
            let driver = try CurlDriver()
            // A port that was free a moment ago may now belong to another test; no test ever gets port 9 ("discard").
            let closed = try await driver.perform(request("https://127.0.0.1:9/"))
            #expect(closed.failure?.kind == .connectionRefused)
            #expect(closed.failure?.phase == .connecting)
            // A label of more than 63 characters cannot be resolved, so no name server is asked.
            let name = String(repeating: "a", count: 64) + ".invalid"
            let missing = try await driver.perform(request("https://\(name)/"))
            #expect(missing.failure?.kind == .nameNotFound)
            #expect(missing.failure?.phase == .resolving)
            await driver.shutdown()
        }

        @Test("a server that does not accept the connection is a time-out while connecting")
        func fullBacklog() async throws {
            let full = try FullBacklog()
            let driver = try CurlDriver()
            let result = try await driver.perform(
                request("https://127.0.0.1:\(full.port)/", total: .milliseconds(400)))
            #expect(result.failure?.kind == .timedOut, "\(String(describing: result.error))")
            #expect(result.failure?.phase == .connecting)
            await driver.shutdown()
        }

        /// Another process shows that environment proxies are ignored: changing this process's environment would race
        /// with its readers.
        @Test(
            "a configured proxy is used; only its failure to reach the site is the site's fault",
            arguments: [(403, .proxy), (407, .proxy), (502, .unreachable), (503, .unreachable), (504, .unreachable)]
                as [(Int, Failure.Kind)])
        func proxy(_ status: Int, _ kind: Failure.Kind) async throws {
            let receiver = try await LabReceiver.start()
            receiver.behaviour = .reply(.status(status))
            let proxied = try CurlDriver(network: NetworkSettings(proxy: receiver.url("")))
            let result = try await proxied.perform(request(site))
            #expect(receiver.connectionsAccepted == 1)
            #expect(result.failure?.kind == kind, "\(String(describing: result.error))")
            #expect(result.failure?.phase == .connecting)
            #expect(result.status == nil, "the proxy's answer is not the site's")
            #expect(result.connection.viaProxy)
            await proxied.shutdown()
            await receiver.shutdown()
        }

        private func expectError(_ code: String, _ driver: CurlDriver, _ asked: TransferRequest) async throws {
            let result = try await driver.perform(asked)
            #expect(result.error?.code.description == code, "\(String(describing: result.error))")
        }
    }
}
