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

/// `aasa-monitor check TARGET...`: one look, one report a target, trouble first.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check domains once: the origin's file, Apple's copy of it, and how they compare.",
        discussion: """
            A TARGET is a domain, a URL of it, or an entitlement such as applinks:example.com?mode=developer. Of a URL with a \
            path the answer says first what it opens; where the site has no file, one at that path is looked for too. @FILE and - \
            read targets from a file or from standard input, one a line. Without a target all domains of the configuration \
            are checked. An entitlement of another service, such as webcredentials:example.com, is judged for that service.

            --why URL needs no target: it checks the URL's domain, matches the URL against the file that phones use, and \
            names the app and the rule. Where that opens the app and the domain is well, only the phone knows why it opens \
            the website all the same: the reasons follow, the likeliest first, each with a test. One target may stand \
            beside it, such as an entitlement with a mode; then a path is enough. The exit code is that of the check.

            A domain that is well takes a line. Of trouble it says what phones do, why, what to do and until when; -v adds \
            all findings and what each server answered.

            A single check has no history. If the copies differ, a recent Last-Modified of the origin, or the store that \
            --config names, says since when.
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
            "A link that a phone does not open in the app. Shows what the file says of it, and what only the phone knows.",
            valueName: "url"))
    var why: String?

    @Flag(help: "Exit with 1 at warnings too.")
    var strict = false

    @Flag(help: "Show only the targets that decide the exit code.")
    var failing = false

    @Flag(name: [.short, .long], help: "Show all findings, and what each server answered.")
    var verbose = false

    @Flag(name: [.short, .long], help: "Show nothing; the exit code tells.")
    var quiet = false

    @Flag(
        name: .customLong("ask-cdn"),
        help: "Ask Apple's CDN even where the origin has no file yet; Apple then remembers the failure.")
    var asksCDN = false

    @OptionGroup var expectations: ExpectationOptions
    @OptionGroup var color: ColorOption
    @OptionGroup var connections: ConnectionOptions
    @OptionGroup var timeLimit: TimeLimitOption
    @OptionGroup var configuration: ConfigurationOptions

    /// Targets under way at once; further ones wait.
    private static let maximumConcurrent = 32

    func run() async throws {
        do {
            try await check()
        } catch let failure as CommandFailure where format == .nagios {
            // A plugin says on standard output why it knows nothing.
            if !quiet { Console.print(PluginOutput.unknown(failure.message)) }
            throw ExitCode(Verdict.Level.unknown.pluginCode)
        }
    }

    private func check() async throws {
        try connections.checkFiles()
        let file = try targets.isEmpty && why == nil ? configuration.loadIfThere() : configuration.loadIfPresent()
        let question = try why.map {
            try WhyQuestion($0, of: self.targets.isEmpty ? nil : Targets.read(self.targets, asLinks: true))
        }
        let targets = try question.map { [$0.target] } ?? chosen(file)
        let checker = try OneShotChecker(
            connections: connections, timeout: timeLimit.timeout, asksCDN: asksCDN, targets: targets.count,
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
                        "'\(target.link?.displayable.shortened(to: 200) ?? "")' was not read: devices and Apple's crawler read "
                            + "\(target.domain.wellKnownURL) alone")
                }
                progress.advance()
                return report
            } each: { report in
                progress.clear()
                // What this machine could not see is no fault of the site.
                let isBlind = report.verdict.level == .unknown
                let isBad =
                    !isBlind && report.verdict.findings.contains { $0.severity >= limit && !$0.isOfThisMachine }
                isFound = isFound || isBad
                isUnknown = isUnknown || isBlind
                // A plugin's exit code is made of all of them.
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
                .usage, "there is no target and no configuration; name a domain, such as example.com, or --config FILE")
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
            "A URL or path, and the app that it must open. A path counts for each target, a URL for its own.",
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

    /// What counts for each of `domains`.
    /// - Throws: `CommandFailure` for what cannot be read, or is of none of them.
    func read(for domains: [Domain]) throws -> [Domain: Expectations] {
        for service in services where !Association.knownServices.contains(service) {
            let known = Association.knownServices.sorted().joined(separator: ", ")
            throw CommandFailure(
                .usage, "--expect-service: '\(service.displayable)' is no service that Apple knows; they are \(known)")
        }
        for app in apps {
            guard let fault = Expectations.fault(ofApp: app) else { continue }
            throw CommandFailure(
                .usage,
                "--expect-app: '\(app.displayable.shortened(to: 200))' can be no app's ID: \(fault.displayable); write it as "
                    + "the app's signature has it, such as ABCDE12345.com.example.app")
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
            // The targets are asked for the host's own file or none.
            case .other: deciding = []
            }
            for domain in deciding {
                result[domain]?.urls.append(ExpectedURL(url: question.url.text, opens: question.expected))
            }
        }
        return result
    }
}

/// Prints reports in the format asked for: at once where the format allows, else at the end.
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

    /// `isBad`: whether the exit code is 1 by it. `isShown`: else it is only counted.
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

    /// JSON: an array where several targets were asked for, the object itself for a single one. Text: trouble first, and of
    /// several how many are how.
    mutating func finish() {
        switch format {
        case .json:
            // Where `--failing` leaves nothing, an empty array is still JSON.
            let single = isSingle ? collected.first : nil
            Console.print((single ?? .array(collected)).text(isPretty: true))
        case .jsonl, .github: return
        case .nagios: Console.print(plugin.text)
        case .junit: Console.print(junit.xml)
        case .markdown: if !isSingle { Console.print((printed > 0 ? "\n" : "") + totals) }
        default: if !texts.isEmpty || !isSingle { Console.print(text) }
        }
    }

    /// A report of a line stands close to another one.
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
