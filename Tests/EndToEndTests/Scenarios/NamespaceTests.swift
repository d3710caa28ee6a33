// What loopback alone cannot test: the system's resolver, public and private addresses, the CDN by its real name, and
// addresses that never answer.

import Foundation
import Lab
import LabFaults
import TestTraits
import Testing
import TestSupport

extension EndToEndTests {
    @Suite("Network namespace")
    struct NamespaceTests {
        private static let file = "www/.well-known/apple-app-site-association"

        /// A network with the site at these addresses and the CDN at eight.
        private static func network(_ addresses: [(String, Namespace.Address)]) -> Namespace {
            let edges = (1...4).map { "1.2.4.\($0)" } + (1...4).map { "2a00:4::\($0)" }
            var network = Namespace()
            network.hosts = [("site.test", addresses.map(\.0)), (Namespace.cdn, edges)]
            for (address, kind) in addresses { network.addresses[address] = kind }
            for edge in edges { network.addresses[edge] = .serving }
            network.servers =
                site("site.test", "root ROOT/www;")
                + site(Namespace.cdn, "location /a/v1/ { alias ROOT/cdn/; }")
            return network
        }

        private static func site(_ host: String, _ directives: String) -> String {
            """
            server {
                listen 443 ssl;
                listen [::]:443 ssl;
                server_name \(host);
                ssl_certificate ROOT/\(host).pem;
                ssl_certificate_key ROOT/\(host).key;
                default_type application/json;
                \(directives)
            }

            """
        }

        /// Runs the check, or reports why it cannot run here. `slow`: the findings of this kind that the network means.
        private func run(
            _ network: Namespace, _ arguments: [String] = ["site.test"], slow: Set<String> = [],
            _ judge: (Namespace.Run) throws -> Void
        ) async throws {
            if let obstacle = try await Namespace.obstacle() {
                print("skipped: no network namespace can be had here: \(obstacle)")
                return
            }
            try await Stage.with { stage in
                let server = RealServer(stage: stage, port: 443)
                try server.put(EndToEndTests.association, at: "web/\(Self.file)")
                try server.put(EndToEndTests.association, at: "web/cdn/site.test")
                let run = try await attempt {
                    try await network.check(on: stage, arguments)
                } again: { run in
                    Stage.slowRules.subtracting(slow).contains { run.process.output.contains($0) }
                }
                try judge(run)
            }
        }

        @Test("a healthy site and eight edges of both families are found by name")
        func healthy() async throws {
            try await run(Self.network([("1.2.3.1", .serving), ("2a00::1", .serving)])) { run in
                #expect(run.process.end == .exit(0), "\(run.process.output) \(run.process.errors)")
                let report = try run.report()
                #expect(report["verdict"] == .string("ok"), "\(report)")
                #expect(report["comparison"]["state"] == .string("in_sync"))
                #expect(report["cdn"]["edges"].elements.count == 8)
                // As in RFC 6724, whatever the order in the file.
                #expect(
                    report["origin"]["addresses"].elements.map { $0["address"] }
                        == [.string("2a00::1"), .string("1.2.3.1")])
                // All names are in /etc/hosts.
                #expect(run.questions.isEmpty, "\(run.questions)")
            }
        }

        @Test("one of two addresses that drops packets is an error", .waitsForTimeout)
        func dropped() async throws {
            let network = Self.network([("1.2.3.1", .serving), ("1.2.9.1", .dropping)])
            try await run(network, ["--max-time", "20", "site.test"]) { run in
                let report = try run.report()
                #expect(report.errorRules == ["origin.address-unreachable"], "\(report)")
                #expect(report["diagnosis"].string?.contains("1.2.9.1") == true, "\(report["diagnosis"])")
                #expect(report["comparison"]["state"] == .string("in_sync"))
            }
        }

        @Test(
            "dead IPv6 of the site is a warning if this machine reaches the CDN over IPv6", .waitsForTimeout)
        func deadIPv6() async throws {
            let network = Self.network([("1.2.3.1", .serving), ("2a00:9::1", .dropping)])
            try await run(network, ["--max-time", "20", "site.test"]) { run in
                let report = try run.report()
                #expect(report.rules.contains("origin.ipv6-broken"), "\(report)")
                #expect(report.errorRules.isEmpty, "\(report)")
                #expect(run.process.end == .exit(0))
            }
        }

        @Test("the time-outs of dead addresses run in parallel", .waitsForTimeout)
        func sideBySide() async throws {
            let dead = (1...4).map { "1.2.9.\($0)" }
            var network = Self.network([("1.2.3.1", .serving)] + dead.map { ($0, .dropping) })
            network.countsWaiting = true
            try await run(network, ["--max-time", "20", "site.test"]) { run in
                let report = try run.report()
                #expect(report.errorRules == ["origin.address-unreachable"], "\(report)")
                #expect(report["diagnosis"].string?.contains("4 of the 5 addresses") == true, "\(report["diagnosis"])")
                #expect(run.waitedForAtOnce == dead.count)
            }
        }

        @Test(
            "private and carrier addresses are an error unless Apple has a copy",
            arguments: [("10.1.2.3", true), ("10.1.2.3", false), ("100.64.1.2", true), ("fd00::5", false)])
        func privateAddress(_ address: String, _ hasCopy: Bool) async throws {
            var network = NamespaceTests.network([(address, .serving)])
            if !hasCopy {
                let word = "SWCERR00202 Connections to private/reserved IP addresses are not allowed"
                network.servers =
                    Self.site("site.test", "root ROOT/www;")
                    + Self.site(Namespace.cdn, #"add_header Apple-Failure-Reason "\#(word)" always; return 404;"#)
            }
            try await run(network) { run in
                let report = try run.report()
                let errors: Set<String> = ["origin.not-public-address", "cdn.crawler-error"]
                #expect(report.errorRules == (hasCopy ? [] : errors), "\(report)")
                #expect(report.rules.contains("origin.not-public-address"), "\(report)")
                #expect(report["diagnosis"].string?.contains(address) == true, "\(report["diagnosis"])")
                let cause = hasCopy ? "private-address-here" : "crawler-private-address"
                #expect(report["diagnosis_id"] == .string(cause), "\(report)")
                #expect(run.process.end == .exit(hasCopy ? 0 : 1))
            }
        }

        @Test("if this machine also reaches no CDN edge over IPv6, IPv6 is unchecked", .waitsForTimeout)
        func blackhole() async throws {
            var network = NamespaceTests.network([("1.2.3.1", .serving), ("2a00:9::1", .dropping)])
            for edge in 1...4 { network.addresses["2a00:4::\(edge)"] = .dropping }
            try await run(network, ["--max-time", "20", "site.test"]) { run in
                let report = try run.report()
                #expect(report.rules.contains("origin.ipv6-unchecked"), "\(report)")
                #expect(!report.rules.contains("origin.ipv6-broken"), "\(report)")
                #expect(report["diagnosis_id"] == .string("in-sync"), "\(report["diagnosis"])")
                #expect(run.process.end == .exit(0))
            }
        }

        @Test("in developer mode a private address is accepted")
        func privateInDeveloperMode() async throws {
            let target = "applinks:site.test?mode=developer"
            try await run(Self.network([("10.1.2.3", .serving)]), [target]) { run in
                #expect(run.process.end == .exit(0), "\(run.process.output)")
                #expect(!run.requests.contains { $0.hasPrefix(Namespace.cdn) })
            }
        }

        @Test("a public site cannot redirect the check into the private network")
        func redirectInside() async throws {
            var network = NamespaceTests.network([("1.2.3.1", .serving)])
            network.hosts.append(("inside.test", ["10.1.2.3"]))
            network.addresses["10.1.2.3"] = .serving
            network.servers =
                Self.site("site.test", "return 302 https://inside.test$request_uri;")
                + Self.site("inside.test", "root ROOT/www;")
                + Self.site(Namespace.cdn, "location /a/v1/ { alias ROOT/cdn/; }")
            try await run(network) { run in
                let report = try run.report()
                #expect(report.errorRules.contains("origin.not-public-address"), "\(report)")
                #expect(report["diagnosis"].string?.contains("inside.test") == true, "\(report["diagnosis"])")
                #expect(!run.requests.isEmpty)
                #expect(!run.requests.contains { $0.hasPrefix("inside.test") }, "\(run.requests)")
            }
        }

        /// An office machine, and a Kubernetes pod.
        private static let searching = [
            "search corp.test\n",
            "search monitoring.svc.cluster.local svc.cluster.local cluster.local\noptions ndots:5\n",
        ]

        @Test("resolv.conf's search domains are not used for a name", arguments: searching)
        func search(_ resolving: String) async throws {
            var network = NamespaceTests.network([("1.2.3.1", .serving), ("2a00::1", .serving)])
            swap(&network.hosts, &network.names)
            network.resolving = resolving
            try await run(network) { run in
                let report = try run.report()
                #expect(report["verdict"] == .string("ok"), "\(report)")
                #expect(report["cdn"]["edges"].elements.count == 8)
                #expect(report["origin"]["addresses"].elements.count == 2)
                #expect(Set(run.questions) == ["site.test", Namespace.cdn], "\(run.questions)")
            }
        }

        @Test(
            "a name that does not exist has no address, even if its search domain has one",
            arguments: searching)
        func wildcard(_ resolving: String) async throws {
            var network = NamespaceTests.network([("1.2.3.1", .serving)])
            swap(&network.hosts, &network.names)
            network.resolving = resolving
            try await run(network, ["gone.test"]) { run in
                let report = try run.report()
                #expect(report.errorRules == ["origin.dns-failed"], "\(report)")
                #expect(report["origin"]["addresses"].elements.isEmpty, "\(report["origin"])")
                #expect(Set(run.questions).isSubset(of: ["gone.test", Namespace.cdn]), "\(run.questions)")
            }
        }

        @Test("a redirect to an international name uses its ASCII form, also in the report")
        func internationalRedirect() async throws {
            var network = NamespaceTests.network([("1.2.3.1", .serving)])
            swap(&network.hosts, &network.names)
            network.names.append(("xn--bcher-kva.test", ["1.2.3.2"]))
            network.addresses["1.2.3.2"] = .serving
            network.servers =
                Self.site("site.test", "return 302 https://b\u{FC}cher.test$request_uri;")
                + Self.site("xn--bcher-kva.test", "root ROOT/www;")
                + Self.site(Namespace.cdn, "location /a/v1/ { alias ROOT/cdn/; }")
            try await run(network) { run in
                let report = try run.report()
                #expect(run.questions.contains("xn--bcher-kva.test"), "\(run.questions)")
                #expect(run.requests.contains { $0.hasPrefix("xn--bcher-kva.test ") }, "\(run.requests)")
                #expect(run.process.output.contains("https://xn--bcher-kva.test/"), "\(report)")
            }
        }

        // MARK: - Local network faults

        struct Lack: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let cause: String
            let words: [String]
            var arguments = ["--max-time", "20", "site.test"]
            let network: @Sendable () -> Namespace

            init(
                _ name: String, _ cause: String, _ words: [String], arguments: [String]? = nil,
                network: @escaping @Sendable () -> Namespace
            ) {
                testDescription = name
                self.cause = cause
                self.words = words
                self.network = network
                if let arguments { self.arguments = arguments }
            }
        }

        private static let lacks: [Lack] =
            [
                Lack("IPv6", "family-missing-here", ["This machine has no IPv6", "what Apple sees"]) {
                    var network = NamespaceTests.network([])
                    network.hosts = [("site.test", ["2a00:9::1"]), (Namespace.cdn, ["1.2.4.1"])]
                    network.addresses = ["1.2.4.1": .serving]
                    network.hasIPv6 = false
                    return network
                },
                Lack(
                    "a way out but by a proxy", "no-way-out",
                    ["cannot connect to the site or to Apple's CDN", "https_proxy is set", "--proxy"]
                ) {
                    var network = NamespaceTests.network([("1.2.9.1", .dropping)])
                    for edge in network.addresses.keys { network.addresses[edge] = .dropping }
                    network.environment = ["https_proxy": "http://user:secret@127.0.0.1:3128"]
                    return network
                },
                Lack(
                    "a name server that knows names", "name-server-failed", ["does not find site.test or Apple's CDN"]
                ) {
                    var network = NamespaceTests.network([("1.2.3.1", .serving)])
                    network.servers = "server { listen 443; return 404; }"
                    network.hosts = []
                    return network
                },
                Lack(
                    "a clock that is right", "clock-is-wrong",
                    ["clock is most likely wrong", "Set this machine's clock"]
                ) {
                    var network = NamespaceTests.network([("1.2.3.1", .serving)])
                    network.certificate = .expired
                    return network
                },
                Lack("a login to its network", "gate-answers", ["A login page or filter of this network"]) {
                    var network = NamespaceTests.network([("1.2.3.1", .serving)])
                    network.hosts.append(("login.test", ["1.2.3.9"]))
                    network.servers = NamespaceTests.site("login.test", "return 302 https://login.test/;")
                    return network
                },
                Lack(
                    "an exemption from inspection", "tls-intercepted", ["intercepts TLS"],
                    arguments: [
                        "--max-time", "20", "--cacert", "/etc/ssl/certs/ca-certificates.crt", "site.test",
                    ]
                ) { NamespaceTests.network([("1.2.3.1", .serving)]) },
            ]
            + [
                ("a login at its proxy", "proxy of this machine requires a login", 407),
                ("the proxy's leave", "does not allow this host", 403),
            ].map { (name: String, words: String, status: Int) in
                Lack(
                    name, "own-fault", [words, "\(status)"],
                    arguments: ["--max-time", "20", "--proxy", "http://127.0.0.1:3128", "site.test"]
                ) {
                    var network = NamespaceTests.network([("1.2.3.1", .serving)])
                    network.proxyStatus = status
                    return network
                }
            }

        @Test(
            "a local fault is named, makes the verdict unknown, and ends with 70", .waitsForTimeout,
            arguments: lacks)
        func lack(_ lack: Lack) async throws {
            try await run(lack.network(), lack.arguments) { run in
                let report = try run.report()
                #expect(run.process.end == .exit(70), "\(run.process.end) \(run.process.errors)")
                #expect(report["verdict"] == .string("unknown"), "\(report["diagnosis"])")
                #expect(report["diagnosis_id"] == .string(lack.cause), "\(report["diagnosis"])")
                #expect(report.errorRules.allSatisfy { $0.hasPrefix("monitor.") }, "\(report.errorRules)")
                let text = report["diagnosis"].string ?? ""
                for words in lack.words { #expect(text.contains(words), "no '\(words)' in: \(text)") }
                #expect(!run.process.output.contains("secret"))
            }
        }

        @Test("if this machine cannot reach the site, Apple's failure reason decides")
        func lackBesideAppleWord() async throws {
            var network = NamespaceTests.network([])
            network.hosts = [("site.test", ["2a00:9::1"]), (Namespace.cdn, ["1.2.4.1"])]
            network.addresses = ["1.2.4.1": .serving]
            network.hasIPv6 = false
            network.servers = Self.site(
                Namespace.cdn, #"add_header Apple-Failure-Reason "SWCERR00301 Timeout" always; return 404;"#)
            try await run(network, ["--ask-cdn", "--max-time", "20", "site.test"]) { run in
                let report = try run.report()
                #expect(run.process.end == .exit(1))
                #expect(report["verdict"] == .string("failing"), "\(report["diagnosis"])")
                let text = report["diagnosis"].string ?? ""
                #expect(text.contains("SWCERR00301 Timeout") && text.contains("This machine has no IPv6"), "\(text)")
                #expect(!text.contains("entitlements"), "\(text)")
            }
        }

        @Test("a dead first name server does not make the site slow", .waitsForTimeout)
        func slowNameServer() async throws {
            var network = NamespaceTests.network([("1.2.3.1", .serving), ("2a00::1", .serving)])
            swap(&network.hosts, &network.names)
            network.firstNameServer = "1.2.9.9"
            network.addresses["1.2.9.9"] = .dropping
            try await run(network, slow: ["monitor.name-server-slow"]) { run in
                let report = try run.report()
                #expect(report.errorRules.isEmpty, "\(report)")
                #expect(!report.rules.contains("origin.slow"), "\(report)")
                #expect(report["diagnosis_id"] == .string("name-server-slow"), "\(report["diagnosis"])")
            }
        }

        @Test("a known name whose addresses all do not answer is a time-out", .waitsForTimeout)
        func allDropped() async throws {
            let network = Self.network([("1.2.9.1", .dropping), ("1.2.9.2", .dropping)])
            try await run(network, ["--max-time", "20", "site.test"]) { run in
                let report = try run.report()
                #expect(report.errorRules == ["origin.timeout"], "\(report)")
                #expect(report["comparison"]["state"] == .string("origin_unavailable"))
            }
        }
    }

    /// Outside the suite, where `file` means something else.
    fileprivate static let association = file()
}
