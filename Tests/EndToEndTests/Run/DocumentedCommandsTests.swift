// Runs the commands of pages as written, each page in a small world of its own, and compares the outputs.
// AASA_REWRITE_EXPECTATIONS=1 writes what the commands print into the pages.

import Foundation
import Lab
import LabFaults
import TestSupport
import Testing

/// The sites, files and devices that a page talks about.
struct DocumentedWorld: Sendable, CustomTestStringConvertible {
    let page: String
    /// The addresses of Apple's CDN; nil: one.
    var edges: [String]?
    /// Whether the page shows a terminal.
    var isTerminal = true
    /// Whether commands without output on the page run too; what they print is then not compared.
    var runsAll = true
    /// What happens while a command runs, by its first words.
    var beside: [String: @Sendable (Stage, MonitorProcess) async throws -> Void] = [:]
    let prepare: @Sendable (Stage) async throws -> Void

    var testDescription: String { page }
}

extension EndToEndTests {
    @Suite struct DocumentedCommandsTests {
        @Test("the commands of a page run as written, and print what it shows", arguments: DocumentedWorld.all)
        func page(_ world: DocumentedWorld) async throws {
            try await Stage.with(addresses: ["127.0.0.1", "127.0.0.2", "127.0.0.3"]) { stage in
                try await world.prepare(stage)
                try stage.installCommands(edges: world.edges)
                let page = try DocumentedPage(world.page)
                var code: Int32 = 0
                var compared = 0
                for command in page.commands where command.runsHere && (world.runsAll || !command.output.isEmpty) {
                    let beside = world.beside.first { command.line.hasPrefix($0.key) }?.value
                    var run = try await stage.shell(command.line, after: code, isTerminal: world.isTerminal) {
                        try await beside?(stage, $0)
                    }
                    // A busy machine makes the lab slow, and the program says so.
                    for _ in 0..<20 where run.text.contains(Stage.slow) {
                        run = try await stage.shell(command.line, after: code, isTerminal: world.isTerminal)
                    }
                    code = run.code
                    // Usage, a missing file, a fault of this machine, the configuration.
                    #expect(![64, 66, 70, 78, 127].contains(code), "\(command.line): \(run.text)")
                    guard !command.output.isEmpty else { continue }
                    compared += 1
                    let (printed, shown) = (run.text, command.output)
                    let fits = SteadyOutput(printed, isWrapped: world.isTerminal)
                        .fits(SteadyOutput(shown, isWrapped: world.isTerminal))
                    if !fits, ProcessInfo.processInfo.environment["AASA_REWRITE_EXPECTATIONS"] == "1" {
                        try page.rewrite(
                            command, printed.replacing(LabCDN.host, with: "app-site-association.cdn-apple.com"))
                    }
                    #expect(fits, "\(world.page): \(command.line)\nprints\n\(printed)\nthe page shows\n\(shown)")
                }
                #expect(compared > 0 || !world.showsOutput, "\(world.page) shows no output")
            }
        }

        @Test(
            "what is written into a page is cut as the page was",
            arguments: [
                ("x\n", "x\n"), ("a\n…\n", "A\n…\n"), ("a\n…\ne\n", "A\n…\ne\n"), ("…\n", "…\n"),
                ("a\n…\nc\nD\n…\n", "A\n…\nc\nd\n…\n"), ("…\nd\ne\n", "…\nd\ne\n"),
            ])
        func cut(_ shown: String, _ written: String) {
            let printed = "A\nb\nc\nd\ne\n"
            #expect(DocumentedPage.cut(printed, like: shown) == (shown == "x\n" ? printed : written))
        }

        @Test("`…` stands for any lines, times do not count, and everything else does")
        func comparison() {
            func fits(_ printed: String, _ shown: String, isWrapped: Bool = false) -> Bool {
                SteadyOutput(printed, isWrapped: isWrapped).fits(SteadyOutput(shown, isWrapped: isWrapped))
            }
            #expect(fits("a\nb\nc\n", "a\nb\nc\n"))
            #expect(fits("a\nb\nc\n", "a\n…\n") && fits("a\nb\nc\n", "…\nc\n") && fits("a\nb\nc\n", "…\nb\n…\n"))
            #expect(!fits("a\nb\nc\n", "a\nc\n") && !fits("a\nb\n", "a\nb\nc\n") && !fits("a\nb\n", "…\nc\n"))
            #expect(!fits("a\nb\n", "b\n…\n") && !fits("a\n", "a\n…\na\n"))
            #expect(fits("until 3 Dec 01:02 UTC, 5 ms", "until 27 Nov 23:32 UTC, 24 ms"))
            #expect(!fits("1 of 2 edges", "2 of 2 edges") && !fits("status 403", "status 404"))
            #expect(fits("a b\n  c\n\nd\n", "a\n b c\n\nd\n", isWrapped: true))
            #expect(!fits("a\n\nb\n", "a b\n", isWrapped: true))
        }
    }
}

extension DocumentedWorld {
    static let all = [
        check, files, device, ci, readme, whySafari("docs/why-safari.md"), whySafari("docs/ja/why-safari.md"),
    ]

    /// Whether its page has to show an output.
    var showsOutput: Bool { !page.hasSuffix("why-safari.md") }

    private static let app = "ABCDE12345.com.example.app"
    private static let links = file(#"{"/":"/invite/*"},{"/":"/trips/help/website/*","exclude":true},{"/":"/trips/*"}"#)
    private static let refusal = "SWCERR00101 Bad HTTP Response: 403 Forbidden"

    private static func file(_ components: String, further: String = "") -> String {
        #"{"applinks":{"details":[{"appIDs":["\#(app)"],"components":[\#(components)]}]}\#(further)}"#
    }

    // MARK: - docs/check.md and README.md

    /// A site that refuses Apple's crawler, one whose change is on its way, and one that is well.
    private static func threeSites(_ stage: Stage) {
        let lab = stage.lab
        for name in ["app", "news", "shop"] {
            lab.origin("\(name).example.com").certificate = .expiring(in: .seconds(300 * 86_400 - 60))
            lab.origin("\(name).example.com").serve(links)
        }
        refuseApple("app.example.com", lab)
        lab.cdn.holds("news.example.com", body: links, age: .seconds(600))
        let changed = EndToEndTests.CopyTests.httpDate(Date() - 4 * 3600 - 2)
        lab.origin("shop.example.com").serve(
            file(#"{"/":"/buy/*"}"#), headers: [("Last-Modified", changed)])
        lab.cdn.holds("shop.example.com", body: links, age: .seconds(6 * 3600))
    }

    private static func refuseApple(_ host: String, _ lab: Lab) {
        lab.origin(host).serve(links)
        lab.origin(host).on(userAgentContaining: "AASA-Bot", .reply(.status(403)))
        lab.cdn.fails(host, reason: refusal, details: #"{"cause":"Forbidden"}"#, age: .seconds(10))
    }

    private static let readme = DocumentedWorld(page: "README.md", runsAll: false) { threeSites($0) }

    private static let check = DocumentedWorld(
        page: "docs/check.md", edges: ["127.0.0.1", "127.0.0.2", "127.0.0.3"]
    ) { stage in
        threeSites(stage)
        let lab = stage.lab
        for name in ["links", "staging"] {
            lab.origin("\(name).example.com").certificate = .expiring(in: .seconds(300 * 86_400 - 60))
        }
        lab.origin("links.example.com").serve(links)
        lab.cdn.holds("links.example.com", body: links, age: .seconds(600))
        lab.cdn.fails(
            "links.example.com", reason: "SWCERR00301 Timeout", details: "{}", age: .seconds(2), edge: "127.0.0.3")
        refuseApple("staging.example.com", lab)
        try stage.write(
            "monitor.yaml",
            """
            version: 1
            domains:
              - domain: staging.example.com
                ignore:
                  - {rule: origin.crawler-refused, reason: "known, ticket 12"}
                  - {rule: cdn.crawler-error, reason: "known, ticket 12"}
            store: {path: none.db}
            """)
    }

    // MARK: - docs/files.md

    private static let files = DocumentedWorld(page: "docs/files.md", isTerminal: false) { stage in
        let examples = DocumentedPage.root.appending(path: "docs/examples")
        for name in try FileManager.default.contentsOfDirectory(atPath: examples.path) {
            try stage.write(name, String(contentsOf: examples.appending(path: name), encoding: .utf8))
        }
        let claimed = [
            "applinks:links.example.com", "applinks:dev.example.com?mode=developer",
            "webcredentials:links.example.com",
        ]
        try stage.write(
            "App.entitlements",
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>application-identifier</key><string>\(app)</string>
            <key>com.apple.developer.associated-domains</key>
            <array>\(claimed.map { "<string>\($0)</string>" }.joined())</array>
            </dict></plist>
            """)
        try stage.write("links.json", links)
        for host in ["links.example.com", "dev.example.com"] { stage.lab.origin(host).serve(links) }
    }

    // MARK: - docs/device.md, docs/why-safari.md

    /// A phone that asked before the file got `/trips/*`.
    private static func phone(_ stage: Stage) async throws {
        func instant(_ days: Double) -> String {
            (Date() + days * 86_400).ISO8601Format().replacing("T", with: " ").replacing("Z", with: " +0000")
        }
        let today = instant(0).prefix(10).replacing("-", with: ".")
        let folder = "sysdiagnose_\(today)_10-09-00+0000_iPhone-OS_iPhone_23B85"
        try FileManager.default.createDirectory(atPath: stage.path(folder), withIntermediateDirectories: true)
        try stage.write(
            "\(folder)/swcutil_show.txt",
            """
            Service:              applinks
            App ID:               \(app)
            App Version:          1.0
            Domain:               links.example.com
            Patterns:             {"/":"/invite/*"}
            User Approval:        unspecified
            Site/Fmwk Approval:   approved
            Last Checked:         \(instant(-2))
            Next Check:           \(instant(3))

            """)
        #expect(try await stage.tool("tar", ["-czf", "sysdiagnose.tar.gz", folder]).ended() == .exit(0))
    }

    private static let device = DocumentedWorld(page: "docs/device.md") { stage in
        stage.lab.origin("links.example.com").serve(links)
        try await phone(stage)
        stage.lab.origin("example.com").serve(links)
        stage.lab.cdn.fails("example.com", reason: refusal, details: #"{"cause":"Forbidden"}"#)
        let time = (Date() - 86_400).ISO8601Format().prefix(10)
        try stage.install(
            "log",
            """
            cat <<'LINES'
            \(time) 08:00:01.123456+0000 0x1a2b Error 0x0 321 0 swcd: [com.apple.swc:dl] Request for '<private>' for task \
            AASA-1 { domain: example.com, bytes: 0, route: cdn } denied because the CDN told us to stop with HTTP status 404: \
            \(refusal) -- {"status":"403 Forbidden"}
            LINES
            """)
    }

    private static func whySafari(_ page: String) -> DocumentedWorld {
        DocumentedWorld(page: page) { stage in
            stage.lab.origin("links.example.com").serve(links)
            try await phone(stage)
        }
    }

    // MARK: - docs/in-ci.md

    /// A deploy that reaches one edge after the other.
    private static let ci = DocumentedWorld(
        page: "docs/in-ci.md", edges: ["127.0.0.2", "127.0.0.3"], isTerminal: false,
        beside: ["aasa-monitor watch": arrival]
    ) { stage in
        stage.lab.origin("example.com").serve(links)
        stage.lab.cdn.holds("example.com", body: file(#"{"/":"/invite/*"}"#))
    }

    @Sendable private static func arrival(_ stage: Stage, _ process: MonitorProcess) async throws {
        func comes(_ words: String, times: Int = 1) async throws {
            try await until(words, seen: { process.output + process.errors }) {
                process.output.components(separatedBy: words).count > times || process.end != nil
            }
        }
        try await comes("0 of 2 edges", times: 2)
        stage.lab.cdn.holds("example.com", body: links, edge: "127.0.0.2")
        try await comes("1 of 2 edges")
        stage.lab.cdn.holds("example.com", body: links, edge: "127.0.0.3")
    }
}
