import Foundation
import Lab
import LabFaults
import TestTraits
import Testing
import TestSupport

extension Stage {
    /// What a check prints on a terminal, and its end.
    fileprivate func onTerminal(
        _ start: (FileHandle) throws -> MonitorProcess
    ) async throws -> (end: MonitorProcess.End, text: String) {
        try await repeated {
            let terminal = try Terminal()
            let end = try await start(terminal.child).ended()
            return (end, terminal.read())
        } while: {
            $0.text.contains(Self.slow)
        }
    }
}

extension EndToEndTests {
    @Suite struct CheckTests {
        @Test("a healthy domain passes")
        func healthyText() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                let process = try await stage.check(["site.test"])
                #expect(process.end == .exit(0))
                #expect(process.output == "site.test  OK  Up to date on 1 edge\n")
                let whole = try await stage.check(["-v", "site.test"])
                #expect(whole.output.contains("Apple's CDN serves the same"))
                #expect(whole.output.contains("  cdn      "))
                #expect(!process.output.contains("\u{1B}"))
                #expect(process.errors == "")
            }
        }

        /// The keys of the contract, by their place; docs/reference/json.md names the additional ones.
        private static let keys: [(path: [String], keys: Set<String>, added: Set<String>)] = [
            (
                [],
                [
                    "schema", "domain", "checked_at", "verdict", "diagnosis", "effect", "cause", "action", "outlook",
                    "origin", "cdn", "comparison", "findings",
                ], ["depth", "service", "pages", "diagnosis_id", "ignored"]
            ),
            (
                ["origin"],
                [
                    "url", "status", "content_type", "bytes", "sha256", "meaning", "redirects", "http_version",
                    "last_modified", "etag", "tls", "addresses", "timing_ms", "error",
                ], ["redirect_stop", "resolution", "agents", "root_copy", "vantages"]
            ),
            (
                ["origin", "tls"], ["version", "issuer", "subject", "not_after", "trusted", "error"],
                ["not_before", "names", "verified", "chain"]
            ),
            (["origin", "timing_ms"], ["dns", "connect", "tls", "first_byte", "total"], []),
            (
                ["cdn"],
                [
                    "url", "status", "bytes", "sha256", "meaning", "age_seconds", "max_age_seconds", "failure", "edges",
                    "error",
                ], ["not_asked", "from"]
            ),
            (
                ["comparison"], ["state", "bytes_equal", "changed_at", "lag_seconds", "changes"],
                ["changes_total", "behaviour", "edges", "summary"]
            ),
        ]

        @Test("the JSON report always has all documented keys")
        func contractKeys() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                stage.lab.origin("dead.test").handshake = .reset
                let process = try await stage.check(["--format", "json", "site.test", "dead.test"])
                #expect(process.end == .exit(1))
                let reports = try process.json()
                #expect(reports.elements.count == 2)
                for report in reports.elements {
                    for (path, keys, added) in Self.keys {
                        let place = path.reduce(report) { $0[$1] }
                        if place == .null { continue }
                        #expect(place.keys == keys.union(added), "\(path)")
                    }
                }
                let healthy = reports[0]
                #expect(healthy["schema"] == .string("aasa-monitor/check/v1"))
                #expect(healthy["verdict"] == .string("ok"))
                #expect(healthy["origin"]["status"] == .number(200))
                #expect(healthy["origin"]["bytes"].int == file().utf8.count)
                #expect(healthy["origin"]["etag"] == .null)
                #expect(
                    healthy["origin"]["addresses"][0].keys
                        == Set(["address", "family", "reachable", "status", "sha256", "error", "connect_ms"])
                        .union(["scope", "meaning", "redirects", "tls_error"]))
                #expect(
                    healthy["cdn"]["edges"][0].keys
                        == Set(["address", "status", "sha256", "error"]).union([
                            "meaning", "age_seconds", "max_age_seconds", "via", "cdn_server", "x_cache", "failure",
                        ]))
                #expect(
                    healthy["origin"]["tls"]["chain"][0].keys
                        == ["subject", "issuer", "not_before", "not_after", "names"])
                #expect(healthy["cdn"]["failure"] == .null)
                #expect(healthy["origin"]["sha256"] == healthy["cdn"]["sha256"])
                #expect(healthy["origin"]["tls"]["trusted"] == .bool(true))
                #expect(healthy["comparison"]["state"] == .string("in_sync"))
                #expect(healthy["comparison"]["bytes_equal"] == .bool(true))
                let dead = reports[1]
                #expect(dead["origin"]["status"] == .null)
                #expect(dead["origin"]["sha256"] == .null)
                #expect(dead["origin"]["error"].string != nil)
                #expect(
                    dead["findings"][0].keys == ["rule", "severity", "message", "evidence", "fix", "reference"])
            }
        }

        @Test("one target prints an object, several print an array")
        func jsonShape() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                let report = try await stage.report("site.test")
                #expect(report["domain"] == .string("site.test"))
            }
        }

        @Test("targets keep their order, and a hanging one does not delay the others", .waitsForTimeout)
        func order() async throws {
            try await Stage.with { stage in
                let names = (0..<12).map { "site\($0).test" }
                for name in names { stage.lab.origin(name).serve(file()) }
                for name in names.prefix(6) { stage.lab.origin(name).behaviour = .fault(.hang) }
                // The hanging ones have much more time than this test waits: a domain queued behind one would not be
                // checked.
                let waiting = try stage.start(["check"] + stage.network + ["--max-time", "1h"] + names)
                try await until("each of them", seen: { waiting.errors }) {
                    names.prefix(6).allSatisfy { !stage.lab.origin($0).requests.isEmpty }
                        && names.dropFirst(6).allSatisfy { !stage.lab.cdn.requests(for: $0).isEmpty }
                }
                #expect(waiting.end == nil)
                try await waiting.kill9()
                let process = try await stage.run(
                    ["check"] + stage.network + ["--format", "jsonl", "--max-time", "60"] + names)
                let lines = try process.output.split(separator: "\n").map { try JSONValue(String($0)) }
                #expect(lines.map { $0["domain"].string } == names)
                // Not the verdict: on a busy machine any origin is slow.
                let haveAnswered = lines.map { $0["origin"]["status"] == .number(200) }
                #expect(haveAnswered == names.indices.map { $0 >= 6 }, "\(lines)")
            }
        }

        @Test("targets can come from a file and from standard input")
        func lists() async throws {
            try await Stage.with { stage in
                for name in ["a.test", "b.test", "c.test"] { stage.lab.origin(name).serve(file()) }
                try stage.write("list.txt", "# ours\n\na.test\nhttps://b.test/some/path # and theirs\n")
                let process = try await stage.check(["--format", "jsonl", "@list.txt", "-"], input: "c.test\n")
                #expect(process.end == .exit(0))
                let domains = try process.output.split(separator: "\n").map {
                    try JSONValue(String($0))["domain"].string
                }
                #expect(domains == ["a.test", "b.test", "c.test"])
            }
        }

        @Test("without a target the configured domains are checked, and several domains get a summary")
        func configured() async throws {
            try await Stage.with { stage in
                stage.lab.origin("good.test").serve(file())
                stage.lab.origin("bad.test").behaviour = .reply(.status(500))
                try stage.write("own.yaml", "version: 1\ndomains: [good.test, bad.test]\n")
                let all = try await stage.check(["--config", "own.yaml"])
                #expect(all.end == .exit(1), "\(all.errors)")
                // Trouble comes first, whatever the order in the configuration.
                #expect(all.output.hasPrefix("bad.test   FAILING  "))
                #expect(
                    all.output.hasSuffix(
                        "\n\ngood.test  OK       Up to date on 1 edge\n\n2 domains: 1 failing, 1 up to date\n"))
                let failing = try await attempt {
                    try await stage.check(["--config", "own.yaml", "--failing"])
                } again: {
                    // A slow site that is not shown.
                    $0.output.contains(" warning")
                }
                #expect(failing.output.hasPrefix("bad.test   FAILING  "))
                #expect(failing.output.hasSuffix("\n\n2 domains: 1 failing, 1 up to date\n"))
                #expect(!failing.output.contains("good.test"))
                let listed = try await stage.check(["--config", "own.yaml", "--failing", "--format", "json"])
                #expect(try JSONValue(Data(listed.output.utf8)).elements.map { $0["domain"].string } == ["bad.test"])
                let quiet = try await stage.check(["--config", "own.yaml", "-q"])
                #expect(quiet.end == .exit(1))
                #expect(quiet.output == "" && quiet.errors == "")
            }
        }

        @Test("a list can come from a shell's process substitution")
        func pipedList() async throws {
            try await Stage.with { stage in
                stage.lab.origin("a.test").serve(file())
                let words = ["check"] + stage.network
                let process = try await stage.notSlow {
                    let process = try stage.tool(
                        "bash", ["-c", #""$@" @<(echo a.test)"#, "bash", MonitorProcess.binary.path] + words)
                    try await process.ended()
                    return process
                }
                #expect(process.end == .exit(0), "\(process.errors)")
            }
        }

        @Test(
            "a list that cannot be read ends with 66 and one line", arguments: ["- <&-", "- </", "@/", "@/dev/zero"])
        func unreadableList(_ words: String) async throws {
            try await Stage.withoutLab { stage in
                let process = try stage.tool(
                    "bash", ["-c", "exec \"$0\" check \(words)", MonitorProcess.binary.path])
                let end = try await process.ended()
                #expect(end == .exit(66), "\(process.errors)")
                #expect(process.errors.split(separator: "\n").count == 1)
            }
        }

        @Test("targets that are not domains are usage errors, and each is named")
        func badTargets() async throws {
            try await Stage.with { stage in
                let process = try await stage.check(["localhost", "192.0.2.1", "site.test:8443", "site..test"])
                #expect(process.end == .exit(64))
                #expect(process.output == "")
                for text in ["localhost", "192.0.2.1", "site.test:8443", "site..test"] {
                    #expect(process.errors.contains(text))
                }
                #expect(stage.lab.connectionsAccepted == 0)
            }
        }

        @Test("a warning fails only with --strict")
        func strict() async throws {
            try await Stage.with { stage in
                let origin = stage.lab.origin("site.test")
                origin.serve(file())
                origin.certificate = .expiring(in: .seconds(86_400))
                let lenient = try await stage.check(["site.test"])
                #expect(lenient.end == .exit(0))
                #expect(lenient.output.contains("origin.certificate-expiring"))
                #expect(try await stage.check(["--strict", "site.test"]).end == .exit(1))
            }
        }

        @Test(
            "in developer and managed mode the CDN is not asked, because devices read the origin",
            arguments: ["developer", "managed"])
        func modes(_ mode: String) async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                let report = try await stage.report("applinks:site.test?mode=\(mode)")
                #expect(report["verdict"] == .string("ok"))
                #expect(report["comparison"]["state"] == .string("not_compared"))
                #expect(report["cdn"]["status"] == .null)
                #expect(stage.lab.cdn.requests(for: "site.test").isEmpty)
            }
        }

        @Test("for a host without a file the CDN is asked only with --ask-cdn")
        func askCDN() async throws {
            try await Stage.with { stage in
                _ = stage.lab.origin("site.test")
                let report = try await stage.report("site.test")
                #expect(report.errorRules == ["origin.status"])
                #expect(stage.lab.cdn.requests(for: "site.test").isEmpty)
                #expect(report["cdn"]["not_asked"].string != nil)
                let asked = try await stage.report("site.test", ["--ask-cdn"])
                #expect(stage.lab.cdn.requests(for: "site.test").count == 1)
                #expect(asked["cdn"]["status"] == .number(404))
            }
        }

        @Test("a closed pipe does not change the exit code", arguments: [true, false])
        func closedPipe(_ isFailing: Bool) async throws {
            try await Stage.with { stage in
                for host in ["a.test", "b.test"] { stage.lab.origin(host).serve(file()) }
                if isFailing { stage.lab.origin("b.test").behaviour = .fault(.hang) }
                let limit = isFailing ? "5" : Stage.patience
                let words = ["check"] + stage.network + ["--format", "jsonl", "--max-time", limit, "a.test", "b.test"]
                let script = #"binary=$1; shift; "$binary" "$@" | head -n 1; echo "${PIPESTATUS[0]}""#
                let process = try await stage.notSlow {
                    let process = try stage.tool("bash", ["-c", script, "bash", MonitorProcess.binary.path] + words)
                    try await process.ended()
                    return process
                }
                #expect(process.end == .exit(0))
                let lines = process.output.split(separator: "\n")
                #expect(lines.count == 2)
                #expect(lines.last == (isFailing ? "1" : "0"))
                #expect(process.errors == "")
            }
        }

        @Test("watch ends with SIGPIPE when its reader closes the pipe")
        func closedPipeOfWatch() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                let words = ["watch"] + stage.route + ["--every", "1s", "--max-time", "600", "site.test"]
                // It starts after its reader has gone.
                let script = #"""
                    binary=$1; shift
                    { until [ -e gone ]; do sleep 0.05; done; "$binary" "$@"; } | { exec <&-; touch gone; }
                    echo "${PIPESTATUS[0]}"
                    """#
                let process = try stage.tool("bash", ["-c", script, "bash", MonitorProcess.binary.path] + words)
                #expect(try await process.ended() == .exit(0))
                #expect(process.output == "141\n")
            }
        }

        @Test("a terminal gets colours unless NO_COLOR is set", arguments: [nil, "", "1"])
        func colours(_ noColor: String?) async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                let (end, text) = try await stage.onTerminal { terminal in
                    try stage.start(
                        ["check"] + stage.network + ["site.test"],
                        environment: noColor.map { ["NO_COLOR": $0] } ?? [:], output: terminal)
                }
                #expect(end == .exit(0))
                #expect(text.contains("site.test"))
                #expect(text.contains("\u{1B}[") == (noColor != "1"))
            }
        }

        @Test(
            "--color decides for every output; by default a dumb terminal gets no escape codes",
            arguments: [("auto", false), ("always", true), ("never", false)])
        func colour(_ choice: String, _ isColoured: Bool) async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                let (end, text) = try await stage.onTerminal { terminal in
                    try stage.start(
                        ["check", "--color", choice] + stage.network + ["site.test"], environment: ["TERM": "dumb"],
                        output: terminal, errors: terminal)
                }
                #expect(end == .exit(0))
                #expect(text.contains("\u{1B}") == isColoured)
                let pipe = try await stage.check(["--color=\(choice)", "site.test"])
                #expect(pipe.output.contains("\u{1B}[") == isColoured, "\(pipe.output)")
            }
        }

        @Test("-4 and -6 restrict the address family")
        func families() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                #expect(try await stage.check(["-4", "site.test"]).end == .exit(0))
                let six = try await stage.report("site.test", ["-6", "--max-time", "3"])
                #expect(six["verdict"] == .string("failing"))
                #expect(six["origin"]["status"] == .null)
            }
        }

        @Test("proxies and CA bundles of the environment are ignored")
        func environment() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                let process = try await stage.runNotSlow(
                    ["check"] + stage.network + ["site.test"],
                    environment: [
                        "https_proxy": "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9",
                        "ALL_PROXY": "http://127.0.0.1:9", "SSL_CERT_FILE": "/dev/null", "CURL_CA_BUNDLE": "/dev/null",
                    ])
                #expect(process.end == .exit(0))
            }
        }
    }
}
