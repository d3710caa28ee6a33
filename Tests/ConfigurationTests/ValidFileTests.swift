import Evidence
import Facts
import Foundation
import MonitorConfiguration
import Monitoring
import Testing

extension ConfigurationSuite {
    @Suite struct ValidFileTests {
        @Test("the sample with every section is read correctly")
        func contract() throws {
            let (file, warnings) = try Fixture.parse(try Fixture.text("valid", "contract"))
            #expect(file.domains.map(\.domain.name) == ["example.com", "links.example.com"])

            let first = file.domains[0]
            #expect(first == WatchedDomain(domain: try Domain("example.com")))
            #expect(first.checks.interval == .seconds(300))
            #expect(first.checks.staleAfter == .seconds(86_400))
            #expect(first.checks.fullEvery == .seconds(3600))
            #expect(first.checks.timeout == .seconds(10))
            #expect(first.checks.failureThreshold == 2)
            #expect(first.checks.recoveryThreshold == 1)
            #expect(first.checks.certificateWarning == .seconds(14 * 86_400))
            #expect(first.channels == nil)

            let second = file.domains[1]
            #expect(second.checks.interval == .seconds(60))
            #expect(second.checks.staleAfter == .seconds(6 * 3600))
            #expect(second.mode == .production)
            #expect(second.labels == ["team": "growth"])
            #expect(second.channels == ["ops"])
            let expect = try #require(second.expect)
            #expect(expect.apps == ["ABCDE12345.com.example.app"])
            #expect(expect.services == ["applinks", "webcredentials"])
            #expect(
                expect.urls == [
                    .init(url: "/invite/abc", opens: .app("ABCDE12345.com.example.app")),
                    .init(url: "/help/website/1", opens: .nothing, page: true),
                ])

            #expect(file.network == NetworkSettings())
            #expect(file.cdn == CDNSettings())
            #expect(
                file.vantages == [Vantage(name: "outside", proxy: Secret("socks5h://bastion.example.net:1080"))])
            #expect(file.alerts.remindEvery == .seconds(86_400))
            #expect(file.alerts.groupWait == .seconds(10))
            #expect(file.alerts.groupInterval == .seconds(300))
            #expect(file.alerts.routes == [LabelRoute(match: ["team": "growth"], channels: ["ops"])])
            #expect(file.alerts.note?.description == "Runbook: https://wiki.example.net/{kind}")
            #expect(
                file.alerts.channels == [
                    Channel(name: "ops", kind: .slack, url: "https://hooks.slack.com/services/PLANTED"),
                    Channel(
                        name: "hook", kind: .webhook, url: "https://hooks.example.net/aasa",
                        signingKeys: [Data("PLANTED-PLANTED-PLANTED!".utf8)]),
                ])
            #expect(file.store == StoreSettings())
            #expect(file.server == ServerSettings())
            #expect(file.log == LogSettings())

            #expect(warnings.isEmpty)
        }

        @Test("the example at the repository's root is valid without variables, and gets no warning")
        func example() throws {
            let url = Fixture.repository.appending(path: "monitor.yaml")
            let text = try String(contentsOf: url, encoding: .utf8)
            let (file, warnings) = try Fixture.parse(text, environment: [:])
            #expect(file.domains.map(\.domain.name) == ["example.com"])
            #expect(file.alerts.channels.isEmpty)
            #expect(warnings.isEmpty)
        }

        @Test("the example stays valid with each commented key enabled")
        func exampleUncommented() throws {
            let url = Fixture.repository.appending(path: "monitor.yaml")
            let text = try String(contentsOf: url, encoding: .utf8)
            let uncommented = text.split(separator: "\n", omittingEmptySubsequences: false)
                .map { $0.replacing(#/^( *)#(-|  |[a-z_]+:)/#) { "\($0.1)\($0.2)" } }
                .joined(separator: "\n")
            #expect(uncommented != text)
            // Without the option the example's shard, the first of four, might contain neither domain.
            let (file, _) = try Fixture.parse(uncommented, shard: Shard("0/1"))
            #expect(file.alerts.channels.count == 6)
            #expect(file.domains.count == 2)
            #expect(file.alerts.escalation.steps.count == 1)
            #expect(file.heartbeat != nil)
        }

        @Test("a file of two lines gets every default")
        func smallest() throws {
            let (file, warnings) = try Fixture.parse(try Fixture.text("valid", "smallest"))
            #expect(file == ConfigurationFile(domains: [WatchedDomain(domain: try Domain("example.com"))]))
            #expect(warnings.isEmpty)
        }

        @Test("an empty section counts as absent, and a null reminder switches reminders off")
        func nullSections() throws {
            let (file, warnings) = try Fixture.parse(try Fixture.text("valid", "null-sections"))
            var expected = ConfigurationFile(domains: [WatchedDomain(domain: try Domain("example.com"))])
            expected.alerts.remindEvery = nil
            #expect(file == expected)
            #expect(warnings.isEmpty)
        }

        @Test("a domain's own settings override the defaults")
        func overrides() throws {
            let (file, _) = try Fixture.parse(try Fixture.text("valid", "overrides"), file: "etc/monitor.yaml")
            let (a, b, c) = (file.domains[0], file.domains[1], file.domains[2])
            #expect(a.domain.name == "xn--bcher-kva.example")
            #expect(a.checks.interval == .milliseconds(100))
            #expect(a.checks.timeout == .milliseconds(299_500))
            #expect(a.checks.failureThreshold == 3)
            #expect(b.checks.interval == .seconds(2))
            #expect(b.checks.timeout == .milliseconds(299_500))
            #expect(b.checks.failureThreshold == 1)
            #expect(b.checks.certificateWarning == .seconds(36 * 3600))
            #expect(b.mode == .developerManaged)
            #expect(b.labels == ["year": "2026", "team": "growth", "price": "$5"])
            #expect(b.channels == [])
            #expect(c.channels == ["hook"])

            #expect(file.network.maxConcurrent == 8)
            #expect(file.network.caFile == "etc/tls/ca.pem")
            #expect(file.network.connectTo.count == 3)
            #expect(file.network.resolve.count == 3)
            #expect(file.network.proxy?.reveal() == "http://user:PLANTED@127.0.0.1:3128")
            #expect(file.cdn.baseURL == "http://localhost:9000/a/v1")
            #expect(file.cdn.requestsPerSecond == 0.5)
            #expect(file.cdn.askBeforeOrigin)
            #expect(file.alerts.remindEvery == .seconds(2 * 86_400))
            let channels = file.alerts.channels
            #expect(channels.map(\.name) == ["hook", "room", "v6"])
            #expect(channels[0].signingKeys.count == 2)
            #expect(channels[1].url == "https://hooks.slack.com/services/PLANTED-in-etc")
            #expect(channels[2].signingKeys.count == 1)
            #expect(file.store.path == "etc/state.db")
            #expect(file.store.keepObservations == .seconds(7 * 86_400))
            #expect(file.store.keepDeliveries == .seconds(90 * 86_400))
            #expect(file.server.host == "::")
            #expect(file.server.port == 0)
            #expect(file.server.token?.reveal() == "PLANTED-token-of-30-characters")
            #expect(file.server.isReadOnly)
            #expect(file.server.trustedProxies.map(\.description) == ["127.0.0.1", "10.0.0.0/8", "fd00::/8"])
            #expect(file.log.level == .debug)
            #expect(file.log.format == .json)
        }

        @Test(
            "a public page without a token gets a warning",
            arguments: [
                ("public_url: https://aasa.example.net", 1),
                ("public_url: https://aasa.example.net, read_only: true", 1),
                ("public_url: https://aasa.example.net, token: null", 1),
                ("public_url: https://aasa.example.net, token: a-token-of-24-characters", 0),
                ("public_url: https://aasa.example.net, token_file: /secrets/token", 0), ("read_only: true", 0),
            ])
        func publicPage(server: String, count: Int) throws {
            let (_, warnings) = try Fixture.parse("version: 1\ndomains: [a.test]\nserver: {\(server)}\n")
            let told = warnings.count { $0.message.contains("'public_url' in 'server' is set without a 'token'") }
            #expect(told == count && warnings.count == count)
        }

        @Test(
            "a reader's token needs a different token beside it, and 'public' needs a token",
            arguments: [
                ("reader_token: a-reader-of-24-characters", "needs a 'token' too"),
                ("token: a-token-of-24-characters, reader_token: short", "has fewer than 16 characters"),
                ("token: a-token-of-24-characters, reader_token: a-token-of-24-characters", "is the same as 'token'"),
                ("public: true", "has no effect without a 'token'"),
                ("token: a-token-of-24-characters, reader_token: a-reader-of-24-characters, public: true", nil),
                ("token_file: /secrets/token, reader_token: a-reader-of-24-characters", nil), ("public: false", nil),
                ("reader_token: null", nil),
            ] as [(String, String?)])
        func readers(server: String, words: String?) throws {
            let file = "version: 1\ndomains: [a.test]\nserver: {\(server)}\n"
            do {
                let (parsed, warnings) = try Fixture.parse(file)
                for warning in warnings { #expect(warning.message.contains(words ?? "(none)"), "\(warning.message)") }
                #expect(warnings.count == (words == nil ? 0 : 1))
                #expect(parsed.server.isPublic == server.contains("public: true"))
                let isGiven = server.contains("reader_token") && !server.contains("null")
                #expect((parsed.server.readerToken != nil) == isGiven)
            } catch {
                let words = try #require(words)
                #expect("\(error)".contains(words), "\(error)")
            }
        }

        @Test(
            "messages that cannot link to the pages, or only to an address, get a warning",
            arguments: [
                ("listen: \"0.0.0.0:9630\"", "contain no links to the pages"),
                ("listen: \"[::]:9630\"", "contain no links to the pages"),
                ("listen: 10.0.0.5:9630", "link to the pages at '10.0.0.5:9630'"),
                ("listen: 10.0.0.5:9630, public_url: https://aasa.example.net", nil), ("listen: 127.0.0.1:9630", nil),
                ("listen: \"[::1]:9630\"", nil), ("listen: localhost:9630", nil),
            ] as [(String, String?)])
        func links(server: String, words: String?) throws {
            let head = "version: 1\ndomains: [a.test]\nserver: {\(server), token: a-token-of-24-characters}\n"
            let channel = "alerts: {channels: [{name: a, type: webhook, url: \"https://a.test/\"}]}\n"
            let (_, warnings) = try Fixture.parse(head + channel)
            #expect(warnings.map(\.line) == (words == nil ? [] : [3]))
            #expect(words.map { warnings.first?.message.contains($0) == true } != false, "\(warnings)")
            #expect(try Fixture.parse(head).warnings.isEmpty, "without a channel there are no messages")
        }

        @Test("each type of channel accepts its keys, including unquoted numbers")
        func channels() throws {
            let (file, warnings) = try Fixture.parse(try Fixture.text("valid", "channels"))
            #expect(warnings.isEmpty)
            #expect(Set(file.alerts.channels.map(\.kind)) == Set(ChannelKind.allCases))
            let byName = Dictionary(uniqueKeysWithValues: file.alerts.channels.map { ($0.name, $0) })
            #expect(byName["discord"]?.thread == "1234567890123456789")
            #expect(byName["teams"]?.url?.contains("sp=%2Ftriggers&sig=") == true)
            #expect(byName["telegram"]?.destination == "-1001234567890")
            #expect(byName["telegram"]?.url == nil)
            #expect(byName["telegram"]?.thread == "7")
            #expect(byName["slack-bot"]?.token == "xoxb-PLANTED")
            #expect(byName["slack-bot"]?.destination == "C0123456789")
            #expect(byName["line"]?.token == "PLANTED")
            #expect(byName["pager"]?.token == "PLANTEDPLANTEDPLANTEDPLANTED0000")
            #expect(byName["ntfy"]?.destination == "PLANTED")
            #expect(byName["pushover"]?.destination == "PLANTEDPLANTEDPLANTEDPLANTED00")
            #expect(byName["matrix"]?.destination == "!abc:example.org")
            #expect(byName["genie"]?.url == nil && byName["genie"]?.token == "PLANTED")
            #expect(byName["jira"]?.url == "https://api.atlassian.com/jsm/ops/integration")
            #expect(byName["hook"]?.signingKeys.count == 2)
            #expect(byName["mail"]?.token == "PLANTED")
            #expect(
                byName["mail"]?.mail
                    == MailAddresses(
                        sender: "monitor@example.net", recipients: ["ops@example.net", "a+b@example.net"],
                        username: "monitor"))
            #expect(byName["mail-here"]?.mail == MailAddresses(sender: "monitor@host", recipients: ["root@localhost"]))
        }

        @Test("an alias gives its anchor's value")
        func aliases() throws {
            let (file, _) = try Fixture.parse(try Fixture.text("valid", "aliases"))
            #expect(file.domains.map(\.labels) == [["team": "x"], ["team": "x"]])
        }

        @Test("a printed configuration shows none of its secrets", arguments: ["channels", "contract", "overrides"])
        func secrets(name: String) throws {
            let (file, warnings) = try Fixture.parse(try Fixture.text("valid", name))
            var shown = "\(file) \(warnings)" + String(reflecting: file)
            dump(file, to: &shown)
            for channel in file.alerts.channels {
                shown += String(describing: channel) + String(reflecting: channel)
                #expect(shown.contains(channel.name))
            }
            #expect(!shown.contains(Fixture.planted))
            #expect(!shown.contains("UExBTlRFR"))
        }

        @Test(
            "a rate limit too low for the domains gets a warning",
            arguments: [
                ("requests_per_second: 5", "100ms", "1h", 3), ("requests_per_second: 11", "100ms", "1h", nil),
                ("requests_per_second: 11", "100ms", "4s", 3),
                ("requests_per_second: 11, edges: false", "100ms", "4s", nil),
                ("edges: true", "1s", "100ms", 3),
            ] as [(String, String, String, Int?)])
        func load(_ cdn: String, _ interval: String, _ fullEvery: String, _ line: Int?) throws {
            let (_, warnings) = try Fixture.parse(
                """
                version: 1
                domains: [{domain: example.com, interval: \(interval)}]
                cdn: {\(cdn)}
                defaults: {full_every: \(fullEvery)}
                """)
            #expect(warnings.map(\.line) == [line].compactMap(\.self))
        }
    }
}
