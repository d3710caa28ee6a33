import MonitorConfiguration
import Testing

@testable import Daemon

extension DaemonSuite {
    @Suite struct PageLinkTests {
        @Test(
            "messages link to the pages only at an address that their readers can open",
            arguments: [
                (nil, "127.0.0.1", 9630, nil), (nil, "localhost", 9630, nil), (nil, "::1", 9630, nil),
                (nil, "0.0.0.0", 9630, nil), (nil, "::", 9630, nil), (nil, "10.0.0.5", 0, nil),
                (nil, "10.0.0.5", 9630, "http://10.0.0.5:9630/"), (nil, "fd00::5", 9630, "http://[fd00::5]:9630/"),
                ("https://aasa.example.net", "127.0.0.1", 9630, "https://aasa.example.net/"),
                ("https://aasa.example.net/", "0.0.0.0", 0, "https://aasa.example.net/"),
            ] as [(String?, String, Int, String?)])
        func address(publicURL: String?, host: String, port: Int, page: String?) {
            var server = ServerSettings()
            (server.publicURL, server.host, server.port) = (publicURL, host, port)
            #expect(server.pageURL == page)
        }
    }
}
