// How each command reacts to common mistakes in arguments, standard input and files: exit code and messages.

import Testing

/// One run of the program.
struct CommandLineRow: Sendable, CustomTestStringConvertible {
    /// Without the program's name; separated by spaces, a text with spaces in `'`.
    let line: String
    let input: String
    let exit: Int32
    /// Parts of standard error; none: it must be empty.
    let errors: [String]
    /// A part of standard output; nil: it must be empty.
    let output: String?

    init(_ line: String, input: String = "", _ exit: Int32, _ errors: String..., output: String? = nil) {
        self.line = line
        self.input = input
        self.exit = exit
        self.errors = errors
        self.output = output
    }

    /// Whether it reads, writes or requests anything besides its arguments. A mistake in the arguments alone is tested
    /// in this process, at a fraction of the cost.
    var needsProgram: Bool {
        exit != 64 || output != nil || !input.isEmpty || line.isEmpty || line == "check"
            // It changes how its process ends when a reader has gone.
            || arguments.first == "watch"
            || arguments.contains { $0.contains("@") || CommandLineTable.files[$0] != nil }
    }

    var testDescription: String { "aasa-monitor \(line)\(input.isEmpty ? "" : " <<< \(input.debugDescription)")" }

    var arguments: [String] {
        line.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap { index, part in
            index.isMultiple(of: 2) ? part.split(separator: " ").map(String.init) : [String(part)]
        }
    }
}

enum CommandLineTable {
    /// The files in the folder of each run. `sealed.pem`: only root may read it.
    static let files = [
        "good.json":
            #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a/*"}]}]}}"#,
        "other.json":
            #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/b/*"}]}]}}"#,
        "broken.json": "{",
        "targets.txt": "site.test\nlocalhost\n",
        "empty.txt": "# nothing\n",
        "plain.pem": "no certificate\n",
        "plain.entitlements": "no plist\n",
        "no-store.yaml": "version: 1\ndomains: [site.test]\nstore: {path: none/monitor.db}\n",
        "good.yaml": "version: 1\ndomains: [site.test]\nserver: {listen: \"127.0.0.1:0\"}\n",
        "bad.yaml": "version: 1\ndomains: [site.test]\nlgo: {level: debug}\n",
    ]

    private static let noStore = "there is no store at "

    static let usage: [CommandLineRow] = [
        // Commands
        .init("", 0, output: "USAGE: aasa-monitor <subcommand>"),
        .init("--help", 0, output: "USAGE: aasa-monitor <subcommand>"),
        .init("help", 0, output: "USAGE: aasa-monitor <subcommand>"),
        .init("help config check", 0, output: "USAGE: aasa-monitor config check"),
        .init("--version", 0, output: "aasa-monitor 0."),
        .init("config", 0, output: "USAGE: aasa-monitor config <subcommand>"),
        .init("chekc", 64, "there is no command 'chekc'; did you mean 'check'?", "Try 'aasa-monitor --help'"),
        .init("chekc --strict site.test", 64, "there is no command 'chekc'; did you mean 'check'?"),
        .init("bogus", 64, "there is no command 'bogus'\n", "Try 'aasa-monitor --help'"),
        .init("site.test", 64, "there is no command 'site.test'; to check a domain: aasa-monitor check site.test"),
        .init("help bogus", 64, "there is no command 'bogus'"),
        .init("help wacth", 64, "there is no command 'wacth'; did you mean 'watch'?"),
        .init("help config chek", 64, "there is no command 'config chek'; did you mean 'check'?"),
        .init("help check site.test", 64, "there is no command 'check site.test'"),
        .init(
            "config chek", 64, "there is no command 'config chek'; did you mean 'check'?",
            "'aasa-monitor config --help'"),
        .init("config help", 64, "there is no command 'config help'; the commands are check, show, schema"),
        .init("store bakup", 64, "did you mean 'backup'?"),
        .init("alert tset", 64, "there is no command 'alert tset'; did you mean 'test'?"),
        .init("deliveries lst", 64, "there is no command 'deliveries lst'; did you mean 'list'?"),
        .init("silence lst", 64, "there is no command 'silence lst'; did you mean 'list'?"),
        .init("--verison", 64, "unknown option '--verison'"),
        .init("check --fromat json site.test", 64, "unknown option '--fromat'. Did you mean '--format'?"),
        .init("watch --evry 5 site.test", 64, "unknown option '--evry'. Did you mean '--every'?"),
        .init("check -x site.test", 64, "unknown option '-x'"),
        .init("config check --strcit", 64, "unknown option '--strcit'\n"),
        .init("check --format", 64, "missing value for '--format <format>'"),
        .init(
            "check --format jsom site.test", 64, "'jsom' is invalid for '--format <format>': it takes 'text', 'json', "),
        .init(
            "diff --format nagios a b", 64,
            "'nagios' is invalid for '--format <format>': it takes 'text', 'json' or 'markdown'"),
        .init(
            "watch --format json a.test", 64, "'json' is invalid for '--format <format>': it takes 'text', 'jsonl' or "),
        .init(
            "check --depth deep site.test", 64, "'deep' is invalid for '--depth <light|full>'. Please provide one of "),
        // Targets
        .init("check", 64, "no target and no configuration"),
        .init("check localhost", 64, "'localhost' is not a domain: it has no dot"),
        .init("check localhost 192.0.2.1", 64, "'localhost'", "'192.0.2.1'"),
        .init("check ftp://site.test/", 64, "'ftp' is not the scheme of a web page"),
        .init("check applinks:site.test?foo=1", 64, "'foo' is not a parameter of an entitlement", "?mode=developer"),
        .init("check applinks:site.test?mode=develop", 64, "'develop' is not a mode"),
        .init("check applinsk:site.test", 64, "'applinsk' is not a service of an associated domain"),
        .init("check @targets.txt", 64, "targets.txt, line 2: 'localhost' is not a domain"),
        .init("check @empty.txt", 64, "there is no target"),
        .init("check -", input: "\n", 64, "there is no target"),
        .init("check @none.txt", 66, "cannot read 'none.txt': no such file or directory"),
        .init("check @.", 66, "cannot read '.': is a directory"),
        .init("check --config none.yaml site.test", 66, "cannot read 'none.yaml': no such file or directory"),
        .init(
            "check --config bad.yaml site.test", 78,
            "bad.yaml:3:1: unknown key 'lgo' at the top level; did you mean 'log'?"),
        .init("check --cacert none.pem site.test", 66, "--cacert: cannot read 'none.pem': no such file or directory"),
        .init(
            "check --cacert plain.pem site.test", 66, "--cacert: the file 'plain.pem' contains no PEM certificate"),
        .init("check -4 -6 site.test", 64, "give -4 or -6, not both"),
        .init("check --connect-to x site.test", 64, "--connect-to"),
        .init("check --resolve x site.test", 64, "--resolve"),
        .init("check --cdn-url ftp://x site.test", 64, "--cdn-url: 'ftp://x' must begin with https://"),
        .init("check --cdn-url foo site.test", 64, "--cdn-url: 'foo' is not a URL such as https://example.com/path"),
        .init("check --cdn-url http://cdn.test/a/v1 site.test", 64, "--cdn-url"),
        .init("check --expect-url /a site.test", 64, "'/a' is not of the form URL=APPID or URL=nothing"),
        .init("check --expect-app app site.test", 64, "--expect-app: 'app' is not a valid app ID"),
        .init("check --expect-service link site.test", 64, "--expect-service: 'link' is not a service of Apple's"),
        .init("check --why", 64, "missing value for '--why <url>'"),
        .init(
            "check --why site.test", 64, "--why: 'site.test' names no page", "or https://site.test/ for the home page"),
        .init("check --why /trips/1", 64, "--why: '/trips/1' is only a path; write the whole link"),
        .init("check --why https://site.test/a a.test b.test", 64, "--why: it takes one link"),
        .init("check --why https://other.test/a site.test", 64, "is not a URL of site.test", "the file of other.test"),
        .init(
            "check --why https://site.test/a https://site.test/b", 64,
            "--why: it takes one link, but the target is a link too"),
        .init("check --why https://192.0.2.1/a", 64, "is not a link of an associated domain: it is an IP address"),
        .init("check --why https://site.test:8443/a", 64, "has no port; use --connect-to"),
        .init(
            "check --why /a webcredentials:site.test", 64,
            "--why: it is about links, but the target is about webcredentials"),
        .init(
            "check --why https://app-site-association.cdn-apple.com/a/v1/site.test", 64,
            "is Apple's copy of the file of site.test", "write the link that the phone does not open"),
        .init("check --why ftp://site.test/a", 64, "'ftp://site.test/a' is not a URL"),
        .init("check https://site.test:8443/", 64, "has no port; use --connect-to"),
        .init("check https://app-site-association.cdn-apple.com/a/v1/", 64, "add the domain whose copy you mean"),
        .init("check --format nagios localhost", 3, output: "'localhost' is not a domain"),
        // Times
        .init("check --max-time 0 site.test", 64, "'0' is invalid for '--max-time <time>': it takes 1ms to 1h"),
        .init("check --max-time 2h site.test", 64, "it takes 1ms to 1h"),
        .init("check --max-time 1h2 site.test", 64, "its unit is missing", "seconds such as 2.5"),
        .init("check --max-time 0x10 site.test", 64, "'0x10' is invalid for '--max-time <time>'"),
        .init("check --max-time 2.5 localhost", 64, "'localhost' is not a domain"),
        .init("check --max-time 1m30s localhost", 64, "'localhost' is not a domain"),
        .init("lint --max-time 500ms good.json", 0, output: "good.json"),
        .init("watch --every soon site.test", 64, "'soon' is invalid for '--every <time>'"),
        .init("watch --every 0 site.test", 64, "it takes 1s to 24h"),
        .init("watch --every 2m --max-time 1h30m localhost", 64, "'localhost' is not a domain"),
        .init("watch --every 2.5 --max-time 600 localhost", 64, "'localhost' is not a domain"),
        .init("watch --max-time 0 site.test", 64, "'0' is invalid for '--max-time <time>'"),
        .init("watch --max-time 2y site.test", 64, "the units are ms, s, m, h and d"),
        .init("silence site.test --for 2x --reason r --store x.db", 64, "'2x' is invalid for '--for <time>'"),
        .init("silence site.test --for 90 --reason r --store x.db", 66, noStore),
        .init("silence site.test --for 1d12h --reason r --store x.db", 66, noStore),
        // watch
        .init("watch", 64, "missing expected argument '<target> ...'"),
        .init("watch --help", 0, output: "1s (default: 30s)"),
        .init("watch applinks:site.test?mode=developer", 64, "devices in developer mode read the origin of site.test"),
        .init("watch @none.txt", 66, "cannot read 'none.txt': no such file or directory"),
    ]

    static let sources: [CommandLineRow] = [
        .init("lint", 64, "missing expected argument '<source> ...'", "Try 'aasa-monitor lint --help'"),
        .init("lint good.json", 0, output: "good.json"),
        .init("lint -", input: "{}", 1, output: "<stdin>:1:1: error: the file names no service"),
        .init("lint broken.json", 1, output: "[json-syntax]"),
        .init("lint none.json", 66, "there is no file 'none.json', and it is not a domain"),
        .init("lint .", 66, "'.' is a folder; name the file in it"),
        .init("lint - -", 64, "standard input can be read only once"),
        .init("lint good.json none.json", 66, "there is no file 'none.json'", output: "good.json"),
        .init("lint /dev/zero", 66, "'/dev/zero' is larger than 16 MiB; devices read 128 KiB at most"),
        .init("lint cdn:localhost", 64, "'localhost' is not a domain"),
        .init("match", 64, "missing expected argument '<source>'"),
        .init("match good.json", 64, "name at least one URL"),
        .init("match good.json /a/1", 0, output: "ABCDE12345.com.example.app"),
        .init("match good.json --expect nothing /a/1", 1, output: "ABCDE12345.com.example.app"),
        .init("match none.json /a", 66, "there is no file 'none.json'"),
        .init("match broken.json /a", 65, "broken.json:1:", "devices ignore this file", output: "/a"),
        .init("match good.json --domain localhost /a", 64, "--domain: 'localhost' is not a domain"),
        .init("diff good.json", 64, "missing expected argument '<new-source>'"),
        .init("diff good.json good.json", 0, output: "the two files are the same"),
        .init("diff good.json other.json", 1, output: "/b/*"),
        .init("diff good.json broken.json", 65, "broken.json:1:", output: "broken.json"),
        .init("diff good.json none.json", 66, "there is no file 'none.json'"),
        .init("diff none.json good.json", 66, "there is no file 'none.json'"),
        .init("diff - -", 64, "standard input can be read only once"),
        .init("device", 64, "missing expected argument '<file>'"),
        .init("device none.tar.gz", 66, "'none.tar.gz' cannot be read: no such file or directory"),
        .init("device .", 66, "'.' is a folder; pass the sysdiagnose_*.tar.gz"),
        .init("device good.json", 66, "'good.json' is JSON without an entry of swcutil show"),
        .init("device /dev/zero", 66, "'/dev/zero' is binary data"),
        .init("device -", 66, "standard input is empty"),
        .init("device -", input: "hello", 66, "standard input has no entry of swcutil show"),
        .init("device good.json --domain localhost", 64, "--domain: 'localhost' is not a domain"),
        .init("device good.json --why /a", 64, "'/a' is only a path"),
        .init("device good.json --offline --url http://127.0.0.1:1", 64, "--offline sends no request"),
        .init("init -o good.json", 64, "good.json already exists"),
        .init("init -o none/monitor.yaml", 66, "none/monitor.yaml cannot be written: no such file or directory"),
        .init("init localhost", 64, "'localhost' is not a domain"),
        .init("init --entitlements none.entitlements", 66, "cannot read 'none.entitlements'"),
        .init("init --entitlements plain.entitlements", 66, "plain.entitlements is not a property list"),
        .init("init -o - site.test", 0, output: "site.test"),
        .init("audit", 64, "missing expected argument '--entitlements <file> ...'"),
        .init("audit --entitlements none.entitlements", 66, "cannot read 'none.entitlements'"),
        .init("audit --entitlements plain.entitlements", 66, "plain.entitlements is not a property list"),
    ]

    static let configuration: [CommandLineRow] = [
        .init("config check", 66, "there is no configuration: name one with --config FILE, or create ./monitor.yaml"),
        .init("config check none.yaml", 66, "cannot read 'none.yaml': no such file or directory"),
        .init("config check .", 66, "cannot read '.': is a directory"),
        .init("config check good.yaml --config good.yaml", 64, "the configuration is named twice"),
        .init("config check good.yaml bad.yaml", 64, "unexpected argument 'bad.yaml'"),
        .init(
            "config check good.yaml", 0, "good.yaml:1:1: warning: no channel is configured",
            output: "good.yaml: valid, 1 domain, 0 channels, 1 warning\n"),
        .init("config check --config good.yaml", 0, "no channel", output: "good.yaml: valid, 1 domain, 0 channels"),
        .init("config check bad.yaml", 78, "bad.yaml:3:1: unknown key 'lgo' at the top level; did you mean 'log'?"),
        .init(
            "config check -",
            input: """
                version: 1
                domains: [a.test, b.test]
                alerts: {channels: [{name: hook, type: webhook, url: "https://hooks.test/"}]}
                server: {listen: "127.0.0.1:0"}
                """, 0, output: "<stdin>: valid, 2 domains, 1 channel\n"),
        .init("config check -", input: "", 78, "<stdin>:1:1: the file is empty"),
        .init("config check -", input: "domains:\n\t- a.test\n", 78, "<stdin>:2:1: YAML syntax: "),
        // `run` reports what the machine lacks.
        .init("config check no-store.yaml", 0, "no channel", output: "no-store.yaml: valid, 1 domain"),
        .init(
            "config check -", input: "version: 1\ndomains_from: none.txt\n", 78,
            "<stdin>:2:15: cannot read the file 'none.txt' of 'domains_from': no such file or directory"),
        .init(
            "config check -",
            input: """
                version: 1
                domains: [a.test]
                alerts: {channels: [{name: ops, type: slack, url_file: none}]}
                """, 78, "<stdin>:3:56: cannot read the file 'none' of 'url_file': no such file or directory"),
        .init(
            "config check -",
            input: """
                version: 1
                defaults: {interval: 2h, stale_after: 1h}
                domains: [a.test]
                server: {listen: "127.0.0.1:0"}
                """, 0, "<stdin>:2:39: warning: 'stale_after' in 'defaults' is shorter than 'interval'",
            output: "2 warnings"),
        .init(
            "config check -",
            input: """
                version: 1
                defaults: {interval: 1s}
                cdn: {requests_per_second: 0.5}
                domains: [a.test]
                server: {listen: "127.0.0.1:0"}
                """, 0, "<stdin>:3:7: warning: 1 domain needs 2 requests a second", output: "2 warnings"),
        .init("config show --config none.yaml", 66, "cannot read 'none.yaml'"),
        .init("config show --config bad.yaml", 78, "bad.yaml:3:1"),
        .init("config schema", 0, output: "$schema"),
        .init("run --config none.yaml", 66, "cannot read 'none.yaml'"),
        .init("run --config bad.yaml", 78, "bad.yaml:3:1"),
        .init("run --config no-store.yaml", 78, "store: "),
        .init("run --shard 4/4 --config good.yaml", 64, "'4/4' is invalid for '--shard <index/count>'"),
        .init(
            "alert test --config good.yaml", 78, "no channels are configured; add at least one under 'alerts.channels'"),
        .init("demo --port 99999", 64, "--port takes a number from 0 to 65535"),
    ]

    static let store: [CommandLineRow] = [
        .init("status", 66, "there is no configuration: name one with --config FILE, or the store with --store FILE"),
        .init("status --store x.db", 66, noStore),
        .init("status --store good.json", 78, "store: ", "good.json"),
        .init("status --store .", 78, "it is a folder"),
        .init("history --store x.db", 64, "missing expected argument '<domain>'"),
        .init("history --store x.db site.test", 66, noStore),
        .init("history --store x.db --limit 0 site.test", 64, "--limit takes a number from 1 to"),
        .init("history --store x.db localhost", 64, "'localhost' is not a domain"),
        .init("ack", 64, "missing expected argument '<incident|domain>'"),
        .init("ack --store x.db 0123", 66, noStore),
        .init("unack --store x.db 0123", 66, noStore),
        .init("silence", 0, output: "aasa-monitor silence TARGET... --for 2h --reason TEXT"),
        .init("silence --for 2h --reason r", 64, "missing expected argument '<target> ...'"),
        .init(
            "incidents", 66, "there is no configuration: name one with --config FILE, or the store with --store FILE"),
        .init("incidents --store x.db", 66, noStore),
        .init("incidents --store x.db 0123", 66, noStore),
        .init("incidents --store x.db --limit 0", 64, "--limit: 0 is not a number above zero"),
        .init("incidents --kind cdn.stael", 64, "'cdn.stael' is not a kind of incident; did you mean 'cdn.stale'?"),
        .init("incidents --kind nonsense", 64, "the kinds are origin.unreachable"),
        .init("incidents --since soon", 64, "--since: 'soon' is not a duration such as 24h or 7d, or a time"),
        .init("incidents --domain localhost", 64, "--domain: 'localhost' is not a domain"),
        .init("incidents site.test", 64, "'site.test' is a domain: --domain lists its incidents"),
        .init(
            "incidents --all 0123", 64, "an incident's id cannot be combined with --all, --since, --domain or --kind"),
        .init("status --label team", 64, "'team' is invalid for '--label <name=value>': it takes NAME=VALUE"),
        .init("status --format nagios --store x.db", 3, output: "AASA UNKNOWN - store: there is no store at"),
        .init("status --format nagios --watch", 64, "--watch cannot be combined with --format nagios"),
        .init("silence site.test --for 2h", 64, "missing expected argument '--reason <text>'"),
        .init("silence site.test --reason r", 64, "--for or --until is missing: every silence has an end"),
        .init(
            "silence site.test --for 2h --until 2030-01-01T00:00:00Z --reason r", 64,
            "give --for or --until, not both"),
        .init(
            "silence site.test --until soon --reason r", 64, "--until 'soon' is not a time such as 2026-11-21T07:00:00Z"
        ),
        .init("silence site.test --for 367d --reason r", 64, "it takes 1ms to 366d"),
        .init("silence site.test --for 2h --kind cdn.stael --reason r", 64, "'cdn.stael' is not a kind of incident"),
        .init("silence site.test --for 2h --reason ' '", 64, "a silence needs a reason"),
        .init("silence list --store x.db", 66, noStore),
        .init("silence end --store x.db", 64, "missing expected argument '<id> ...'"),
        .init("silence end --store x.db 5", 66, noStore),
        .init("deliveries list --store x.db", 66, noStore),
        .init("deliveries list --store x.db --limit 0", 64, "--limit: 0 is not a number above zero"),
        .init("deliveries list --store x.db --domain localhost", 64, "--domain: 'localhost' is not a domain"),
        .init(
            "deliveries show --store x.db x", 64,
            "'x' is not the number of a delivery or the beginning of a message_key"),
        .init("deliveries list --store x.db --format xml", 64, "'xml' is invalid for '--format"),
        .init("deliveries retry --store x.db", 64, "missing expected argument '<channel>'"),
        .init("deliveries retry --store x.db ops", 66, noStore),
        .init("store check --store x.db", 66, noStore),
        .init("store backup --store x.db copy.db", 66, noStore),
        .init("store backup --store x.db", 64, "missing expected argument '<file>'"),
    ]

    static let all = usage + sources + configuration + store
}
