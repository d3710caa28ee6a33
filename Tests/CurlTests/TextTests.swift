import Facts
import Foundation
import Testing

@testable import Curl

extension CurlTests {
    /// Tables without any transfer.
    @Suite struct TextTests {
        @Test(
            "a redirect's target becomes absolute",
            arguments: [
                ("/b", "https://a.test/b"), ("b?c=1#d", "https://a.test/x/b?c=1"), ("../b", "https://a.test/b"),
                ("//b.test/c", "https://b.test/c"), ("http://b.test", "http://b.test/"), ("", "https://a.test/x/y"),
                ("https://user:secret@b.test/", "https://b.test/"), ("?q=1", "https://a.test/x/y?q=1"),
                ("/with space", "https://a.test/with%20space"), ("myapp://open/me", "myapp://open/me"),
                ("https://b\u{FC}cher.test/\u{E4}", "https://xn--bcher-kva.test/%c3%a4"),
                ("//B%C3%9CCHER.test:8443/a?b#c", "https://xn--bcher-kva.test:8443/a?b"),
                ("https://127\u{3002}0\u{3002}0\u{3002}1/", "https://127.0.0.1/"),
                ("https://\u{2460}27.1/", "https://127.0.0.1/"),
            ])
        func resolve(_ location: String, _ expected: String) {
            #expect(CurlURL.resolve(location, against: "https://a.test/x/y") == expected)
        }

        @Test(
            "an invalid URL is nil",
            arguments: [
                "https://", "https://[::1", "https://a:99999/", "/\u{0}", "/a\r\nb", "https://a\u{FFFD}.test/",
            ])
        func unresolvable(_ location: String) {
            #expect(CurlURL.resolve(location, against: "https://a.test/x/y") == nil)
        }

        @Test("a URL is split into its parts")
        func components() throws {
            let parts = try #require(CurlURL.components("HTTPS://u:p@A.Test/b?c=d#e"))
            #expect(parts == ("https", "a.test", 443, "/b?c=d"))
            let other = try #require(CurlURL.components("http://[::1]:8080"))
            #expect(other == ("http", "[::1]", 8080, "/"))
            #expect(CurlURL.components("nonsense") == nil)
            #expect(
                try #require(CurlURL.components("https://B\u{DC}CHER.test/")) == (
                    "https", "xn--bcher-kva.test", 443, "/"
                ))
        }

        @Test(
            "cloud metadata addresses are refused as receivers, in each notation",
            arguments: [
                "169.254.169.254", "169.254.170.2", "169.254.0.23", "fe80::a9fe:a9fe", "fe80::1", "fd00:ec2::254",
                "fd00:ec2::23", "100.100.100.200", "192.0.0.192", "168.63.129.16", "fd20:ce::254",
                "fd00:c1::a9fe:a9fe", "fd00:a9fe:a9fe::1", "fd00:42::42", "::ffff:169.254.169.254",
                "::ffff:100.100.100.200", "::ffff:168.63.129.16", "::169.254.169.254", "64:ff9b::169.254.169.254",
                "64:ff9b::100.100.100.200", "64:ff9b:1::168.63.129.16", "64:ff9b:1:a9fe:a9:fe00::",
                "2002:a9fe:a9fe::1", "2002:a83f:8110::",
            ])
        func metadata(_ address: String) {
            #expect(TransferRequest.AddressPolicy.noMetadata.refusedLiteral(address) == address)
            #expect(TransferRequest.AddressPolicy.noMetadata.refusedLiteral("[\(address)]") == address)
        }

        @Test(
            "private and public receivers stay allowed",
            arguments: [
                "10.0.0.1", "127.0.0.1", "192.168.1.1", "172.16.0.1", "100.100.100.201", "100.64.0.1", "192.0.0.191",
                "168.63.129.17", "1.1.1.1", "::1", "fd00:ec3::254", "fd20:ce::255", "fd12::1", "2606:4700::1111",
                "::ffff:10.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b:1::10.0.0.1", "2002:a00:1::",
            ])
        func noMetadata(_ address: String) {
            #expect(TransferRequest.AddressPolicy.noMetadata.refusedLiteral(address) == nil)
        }

        @Test(
            "curl's formats are accepted",
            arguments: [
                NetworkSettings(connectTo: ["a.test:443:b.test:8443", "::127.0.0.1:8443", ":::", "[::1]:443:[::2]:1"]),
                NetworkSettings(resolve: [
                    "a.test:443:127.0.0.1", "+a.test:443:127.0.0.1,::1", "*:443:[::1]", "-a.test:443",
                ]),
                NetworkSettings(proxy: "socks5h://user:secret@bastion.test:1080"),
                NetworkSettings(proxy: "http://127.0.0.1:3128"),
            ])
        func goodSettings(_ settings: NetworkSettings) throws {
            try settings.validate()
        }

        @Test(
            "a setting that libcurl would silently ignore is an error that names it",
            arguments: [
                NetworkSettings(connectTo: ["a.test"]), NetworkSettings(connectTo: ["a.test:443:b.test"]),
                NetworkSettings(connectTo: ["a.test:443:b.test:0"]), NetworkSettings(connectTo: ["a:b:c:d"]),
                NetworkSettings(connectTo: ["a.test:443:::1:8443"]), NetworkSettings(connectTo: ["[::1:443:a:1"]),
                NetworkSettings(connectTo: [""]), NetworkSettings(resolve: ["a.test"]),
                NetworkSettings(resolve: ["a.test:443"]), NetworkSettings(resolve: ["a.test:443:"]),
                NetworkSettings(resolve: ["a.test:443:b.test"]), NetworkSettings(resolve: ["a.test:443:1.2.3.4,"]),
                NetworkSettings(resolve: ["a.test:99999:1.2.3.4"]), NetworkSettings(proxy: "127.0.0.1:3128"),
                NetworkSettings(proxy: ""), NetworkSettings(proxy: "ftp://user:secret@a.test"),
            ])
        func badSettings(_ settings: NetworkSettings) throws {
            let fault = #expect(throws: CurlError.self) { try settings.validate() }
            let text = try #require(fault?.failure.detail)
            #expect(text.contains("is not of the form"))
            #expect(!text.contains("secret"))
            let error = #expect(throws: CurlError.self) { try CurlDriver(network: settings) }
            #expect(error?.code == .badSettings)
        }

        @Test("rules decide where connections go")
        func targets() throws {
            let settings = NetworkSettings(
                connectTo: ["A.test:443:b.test:8443", "::127.0.0.1:"],
                resolve: ["a.test:443:127.0.0.1,[::1]", "*:80:127.0.0.9"])
            #expect(try #require(settings.connectTarget(host: "a.test", port: 443)) == ("b.test", 8443))
            #expect(try #require(settings.connectTarget(host: "a.test", port: 80)) == ("127.0.0.1", 80))
            #expect(settings.resolvedAddresses(host: "a.test", port: 443) == ["127.0.0.1", "::1"])
            #expect(settings.resolvedAddresses(host: "z.test", port: 80) == ["127.0.0.9"])
            #expect(settings.resolvedAddresses(host: "z.test", port: 443) == nil)
        }

        @Test("the last header block counts; informational blocks and trailers do not")
        func headerBlocks() {
            var sink = AnswerSink(limits: TransferLimits())
            feed(&sink, ["HTTP/1.1 103 Early Hints\r\n", "Link: </a>\r\n", "\r\n"])
            feed(&sink, ["HTTP/2 200\r\n", "X-A:  1 \r\n", "\tfolded\r\n", "x-a: 2\r\n", "no colon\r\n", "\r\n"])
            let taken = Array("body".utf8).withUnsafeBytes { sink.takeBody($0) }
            #expect(taken)
            feed(&sink, ["X-Trailer: 1\r\n"])
            #expect(sink.status == 200)
            #expect(sink.headers.map(\.name) == ["x-a", "x-a"])
            #expect(sink.headers.map(\.value) == ["1 folded", "2"])
        }

        @Test("an informational block alone is not an answer")
        func informational() {
            var sink = AnswerSink(limits: TransferLimits())
            feed(&sink, ["HTTP/1.1 100 Continue\r\n", "A: b\r\n", "\r\n"])
            sink.dropInformational()
            #expect(sink.status == nil)
            #expect(sink.headers.isEmpty)
        }

        @Test("all header blocks count together")
        func headerBudget() {
            var sink = AnswerSink(limits: TransferLimits(headerBytes: 100))
            let block = Array("HTTP/1.1 100 Continue\r\n".utf8)
            let taken = (0..<10).map { _ in block.withUnsafeBytes { sink.takeHeaderLine($0) } }
            #expect(taken.filter { $0 }.count == 4)
            #expect(sink.headersOverLimit)
        }

        @Test("durations become milliseconds that never mean 'no limit'")
        func limits() {
            #expect(EasyHandle.milliseconds(.zero) == 1)
            #expect(EasyHandle.milliseconds(.seconds(-5)) == 1)
            #expect(EasyHandle.milliseconds(.microseconds(1500)) == 1)
            #expect(EasyHandle.milliseconds(.seconds(10)) == 10_000)
            #expect(EasyHandle.milliseconds(.seconds(Int64.max)) == 86_400_000)
        }

        @Test("an error message has no control characters, and its code does not contain the message")
        func errorText() {
            let error = CurlError(code: .init(.timedOut), phase: .waiting, message: "a\u{1b}[31m\r\nb\u{9b}")
            #expect(error.failure.detail == "a[31mb")
            #expect(error.description == "timed-out while waiting: a[31mb")
            #expect(error.code.description == "timed-out")
        }

        private func feed(_ sink: inout AnswerSink, _ lines: [String]) {
            for line in lines {
                let taken = Array(line.utf8).withUnsafeBytes { sink.takeHeaderLine($0) }
                #expect(taken)
            }
        }
    }
}
