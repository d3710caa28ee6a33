import AASA
import ArgumentParser
import Curl
import Daemon
import Evidence
import Foundation
import MonitorConfiguration
import Monitoring
import Probing
import Storage

/// `aasa-monitor check TARGET...`: one check and one report per target, trouble first.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check domains once: the origin's file, Apple's copy of it, and how they compare.",
        discussion: """
            A TARGET is a domain, one of its URLs, or an entitlement such as applinks:example.com?mode=developer. For \
            a URL with a path, the answer first says what the URL opens. If the site has no file, that path is checked \
            for a file too. @FILE and - read targets from a file or from standard input, one per line. Without a \
            target, all domains of the configuration are checked. An entitlement of another service, such as \
            webcredentials:example.com, is checked for that service.

            --why URL needs no target. It checks the URL's domain, matches the URL against the file that phones use, \
            and names the app and the rule. If that file opens the URL in the app, only the phone knows why a \
            link still opens the website. The possible reasons follow, the likeliest first, each with a test. You can give one \
            target with it, such as an entitlement with a mode; then a path is enough. The exit code is that of the \
            check.

            A domain without problems takes one line. Otherwise the report says what phones do, why, what to do and \
            until when; -v adds all findings and what each server answered.

            A single check has no history. If the copies differ, a recent Last-Modified of the origin, or the store that \
            --config names, tells since when.
            """)

    @Argument(
        help: ArgumentHelp("What to check (default: the domains of the configuration).", valueName: "target"),
        completion: .domains)
    var targets: [String] = []

    @Option(
        .text, .json, .jsonl, .markdown, .github, .junit, .nagios, notes: [.json: "an array for several targets"])
    var format: OutputFormat

    @Option(
        help: ArgumentHelp(
            "light: one request to the origin and one to the CDN. full: each address, each edge, Apple's user agents, the root copy, vantages and pages too.",
            valueName: "light|full"))
    var depth = Depth.full

    @Option(
        help: ArgumentHelp(
            "A link that a phone does not open in the app. Shows what the file says about it, and what to test on the phone.",
            valueName: "url"))
    var why: String?

    @Flag(help: "Exit with 1 for warnings too.")
    var strict = false

    @Flag(help: "Show only the targets that decide the exit code.")
    var failing = false

    @Flag(name: [.short, .long], help: "Show all findings, and what each server answered.")
    var verbose = false

    @Flag(name: [.short, .long], help: "Show nothing; only set the exit code.")
    var quiet = false

    @Flag(
        name: .customLong("ask-cdn"),
        help: "Ask Apple's CDN even if the origin has no file yet; Apple then caches the failure.")
    var asksCDN = false

    @OptionGroup var expectations: ExpectationOptions
    @OptionGroup var color: ColorOption
    @OptionGroup var network: Network

    /// Targets checked at the same time; the others wait.
    private static let maximumConcurrent = 32

    func run() async throws {
        do {
            try await check()
        } catch let failure as CommandFailure where format == .nagios {
            // A plugin prints the reason for UNKNOWN on standard output.
            if !quiet { Console.print(PluginOutput.unknown(failure.message)) }
            throw ExitCode(Verdict.Level.unknown.pluginCode)
        }
    }

    private func check() async throws {
        try network.checkFiles()
        let configuration = network.configuration
        let file = try targets.isEmpty && why == nil ? configuration.loadIfThere() : configuration.loadIfPresent()
        let question = try why.map {
            try WhyQuestion($0, of: self.targets.isEmpty ? nil : Targets.read(self.targets, asLinks: true))
        }
        let targets = try question.map { [$0.target] } ?? chosen(file)
        let checker = try OneShotChecker(
            network: network, asksCDN: asksCDN, targets: targets.count,
            configuration: file,
            expectations: expectations.read(for: targets.map(\.domain)))
        let progress = Progress(total: targets.count, isQuiet: quiet)
        var output = ReportOutput(
            format: format, isSingle: question != nil || (!self.targets.isEmpty && targets.count == 1),
            isVerbose: verbose, names: targets.map(\.subject))
        var (isFound, isUnknown) = (false, false)
        let (depth, limit) = (depth, strict ? Severity.warning : .error)
        try await checker.close(after: {
            try await OrderedWork.run(targets, maximumConcurrent: Self.maximumConcurrent) { target in
                var report = try await checker.check(target, depth: depth)
                if let question = try question ?? WhyQuestion(typed: target) {
                    report.why = WhyReport(question, report)
                }
                if target.isOfFile, report.observation.full?.namedPlaces == nil {
                    Console.remark(
                        "'\(target.link?.displayable.shortened(to: 200) ?? "")' was not read: devices and Apple's crawler "
                            + "read only \(target.domain.wellKnownURL)")
                }
                progress.advance()
                return report
            } each: { report in
                progress.clear()
                // What this machine could not see is not a fault of the site.
                let isBlind = report.verdict.level == .unknown
                let isBad =
                    !isBlind && report.verdict.findings.contains { $0.severity >= limit && !$0.isOfThisMachine }
                isFound = isFound || isBad
                isUnknown = isUnknown || isBlind
                // A plugin's exit code depends on all reports.
                if !quiet || format == .nagios {
                    output.add(report, isBad: isBad, isShown: isBad || isBlind || !failing || format == .nagios)
                }
            }
        })
        progress.clear()
        if !quiet { output.finish() }
        if format == .nagios { throw ExitCode(output.pluginStatus.pluginCode) }
        if isFound { throw MonitorExit.found.code }
        if isUnknown { throw MonitorExit.software.code }
    }

    private func chosen(_ file: ConfigurationFile?) throws -> [Target] {
        guard targets.isEmpty else { return try Targets.read(targets, asLinks: true) }
        guard let file else {
            throw CommandFailure(
                .usage, "no target and no configuration; name a domain, such as example.com, or give --config FILE")
        }
        return file.domains.map { Target(domain: $0.domain, mode: $0.mode) }
    }
}

extension Depth: ExpressibleByArgument {}

/// What is expected of the files of a check; the same as `expect` in the configuration.
struct ExpectationOptions: ParsableArguments {
    @Option(
        name: .customLong("expect-url"), parsing: .singleValue,
        help: ArgumentHelp(
            "A URL or path, and the app that it must open. A path applies to each target, a URL to its own host.",
            valueName: "url=app-id|nothing"))
    var urls: [String] = []

    @Option(
        name: .customLong("expect-app"), parsing: .singleValue,
        help: ArgumentHelp("An app ID that the file must name.", valueName: "app-id"))
    var apps: [String] = []

    @Option(
        name: .customLong("expect-service"), parsing: .singleValue,
        help: ArgumentHelp("A service that the file must have, such as webcredentials.", valueName: "service"),
        completion: .list(Association.knownServices.sorted()))
    var services: [String] = []

    /// The expectations for each of `domains`.
    /// - Throws: `CommandFailure` for a value that is not valid, or a URL of none of them.
    func read(for domains: [Domain]) throws -> [Domain: Expectations] {
        for service in services where !Association.knownServices.contains(service) {
            let known = Association.knownServices.sorted().joined(separator: ", ")
            throw CommandFailure(
                .usage,
                "--expect-service: '\(service.displayable)' is not a service of Apple's; the services are \(known)")
        }
        for app in apps {
            guard let fault = Expectations.fault(ofApp: app) else { continue }
            throw CommandFailure(
                .usage,
                "--expect-app: '\(app.displayable.shortened(to: 200))' is not a valid app ID: \(fault.displayable); write "
                    + "it as in the app's signature, such as ABCDE12345.com.example.app")
        }
        var result = Dictionary(
            domains.map { ($0, Expectations(apps: apps, services: services)) }, uniquingKeysWith: { first, _ in first })
        for text in urls {
            let question = try MatchQuestion(expectation: text)
            let deciding: [Domain]
            switch try LinkOwner(of: question.url, among: domains) {
            case .any: deciding = Array(result.keys)
            case .own(let domain): deciding = [domain]
            case .above(let domain):
                LinkOwner.note(question.url, domain)
                deciding = [domain]
            // `LinkOwner(of:among:)` throws instead.
            case .other: deciding = []
            }
            for domain in deciding {
                result[domain]?.urls.append(ExpectedURL(url: question.url.text, opens: question.expected))
            }
        }
        return result
    }
}

/// Prints reports in the requested format: immediately if the format allows it, otherwise at the end.
struct ReportOutput {
    private let format: OutputFormat
    private let isSingle: Bool
    private let isVerbose: Bool
    private let style: TextStyle
    /// The width of the names; nil for a single one.
    private let column: Int?
    private var collected: [OrderedJSON] = []
    private var texts: [(urgency: Int, isLine: Bool, text: String)] = []
    private var printed = 0
    private var states: [String: (urgency: Int, count: Int)] = [:]
    private var plugin = PluginOutput()
    private var junit = JUnit(command: "check")

    /// `names`: the subjects of all targets.
    init(
        format: OutputFormat, isSingle: Bool, isVerbose: Bool = false, names: [String],
        style: TextStyle = .standardOutput
    ) {
        self.format = format
        self.isSingle = isSingle
        self.isVerbose = isVerbose
        self.style = style
        column = isSingle ? nil : style.nameColumn(names)
    }

    /// `isBad`: whether it makes the exit code 1. `isShown`: if false, it is only counted.
    mutating func add(_ report: CheckReport, isBad: Bool, isShown: Bool) {
        states[report.stateInTotal, default: (report.urgency, 0)].count += 1
        guard isShown else { return }
        switch format {
        case .markdown:
            Console.print((printed > 0 ? "\n" : "") + report.markdown)
            printed += 1
        case .github: report.annotations.forEach(Console.print)
        case .nagios: plugin.add(report)
        case .junit: junit.add(report, isBad: isBad)
        case .json: collected.append(report.json)
        case .jsonl: Console.print(report.json.text(isPretty: false))
        default:
            let isLine = report.isCalm && report.why == nil && !isVerbose
            texts.append((report.urgency, isLine, report.text(style: style, column: column, isVerbose: isVerbose)))
        }
    }

    /// JSON: an array for several targets, the object itself for one. Text: trouble first, and for several targets a
    /// count of each state.
    mutating func finish() {
        switch format {
        case .json:
            // If `--failing` leaves nothing, an empty array is still JSON.
            let single = isSingle ? collected.first : nil
            Console.print((single ?? .array(collected)).text(isPretty: true))
        case .jsonl, .github: return
        case .nagios: Console.print(plugin.text)
        case .junit: Console.print(junit.xml)
        case .markdown: if !isSingle { Console.print((printed > 0 ? "\n" : "") + totals) }
        default: if !texts.isEmpty || !isSingle { Console.print(text) }
        }
    }

    /// There is no empty line between reports of one line.
    var text: String {
        let sorted = texts.enumerated().sorted { ($0.element.urgency, $0.offset) < ($1.element.urgency, $1.offset) }
            .map(\.element)
        var result = sorted.first?.text ?? ""
        for (before, next) in zip(sorted, sorted.dropFirst()) {
            result += (before.isLine && next.isLine ? "\n" : "\n\n") + next.text
        }
        return isSingle ? result : result + (result.isEmpty ? "" : "\n\n") + style.bold(totals)
    }

    private var totals: String {
        let all = states.sorted { ($0.value.urgency, $0.key) < ($1.value.urgency, $1.key) }
        let counts = all.map { "\($0.value.count.grouped) \($0.key)" }
        let count = all.reduce(0) { $0 + $1.value.count }
        return "\(count.of("domain")): \(counts.joined(separator: ", "))"
    }

    /// What a plugin exits with.
    var pluginStatus: Verdict.Level { plugin.status }
}
