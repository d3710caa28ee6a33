import AASA
import ArgumentParser
import Device
import Evidence
import Foundation
import MonitorConfiguration
import Report
import StatusServer

/// `aasa-monitor device FILE`: compares what one device has with what Apple's CDN and the origin serve now.
struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Show why a link opens the app on one device, or does not, from the device's own report.",
        discussion: """
            FILE is a sysdiagnose (sysdiagnose_*.tar.gz, of which only swcutil_show.txt is read), a swcutil_show.txt, the same \
            as JSON, or - for standard input: 'sudo swcutil show --verbose | aasa-monitor device -' on a Mac. Lines of swcd's \
            log work too: log show --predicate 'process == "swcd"', or one line of it.

            --app, --domain and --why select entries. The selected entries are compared with Apple's current copy and \
            the origin's current file, and URLs that behave differently are listed. Without these options all \
            third-party apps are listed, trouble first, and only the domains of the configuration are compared. The \
            configuration's store, or the daemon at --url, tells since when Apple's CDN has a file. FILE is not stored \
            or sent; requests contain only its domains.
            """)

    @Argument(
        help: ArgumentHelp("A sysdiagnose, a swcutil_show.txt, lines of a log, or -.", valueName: "file"),
        completion: .file())
    var file: String

    @Option(help: ArgumentHelp("Show the entries of this app.", valueName: "app-id")) var app: String?

    @Option(
        help: ArgumentHelp("Show the entries for this domain.", valueName: "name"), completion: .domains)
    var domain: String?

    @Option(help: ArgumentHelp("A link: show which pattern on the device decides what it opens.", valueName: "url"))
    var why: String?

    @Flag(help: "Send no requests; show only what FILE says.") var offline = false

    @Option(.text, .json) var format: OutputFormat

    @OptionGroup var color: ColorOption
    @OptionGroup var network: Network
    @OptionGroup var remote: DaemonOptions

    /// A file may name any number of domains.
    private static let maximumTargets = 100
    /// Each may cost a whole comparison. An app has some dozens.
    private static let maximumEntries = 200
    /// Targets checked at the same time.
    private static let maximumConcurrent = 8

    func validate() throws {
        if app?.isEmpty == true {
            throw ValidationError("--app is empty; name an app ID, such as ABCDE12345.com.example.app")
        }
        if offline, remote.url != nil { throw ValidationError("--offline sends no request, so it excludes --url") }
    }

    func run() async throws {
        try network.checkFiles()
        let question = try question()
        let text = try readText()
        let configuration = try network.configuration.loadIfPresent(isOfUse: !offline)
        let answer: DeviceReading
        switch text {
        case .report(let report): answer = try await read(report, question, configuration)
        case .log(let log): answer = try await read(log, question, configuration)
        }
        switch format {
        case .json: Console.print(answer.json.text(isPretty: true))
        default: Console.print(answer.text(style: .standardOutput))
        }
        switch answer.diagnoses.level {
        case .failing: throw MonitorExit.found.code
        case .unknown: throw MonitorExit.software.code
        case .warning, .ok: return
        }
    }

    private func readText() throws -> DeviceText {
        let bytes: ReportBytes
        do {
            bytes = try ReportBytes(path: file)
        } catch {
            throw CommandFailure(.noInput, error.description.displayable)
        }
        do {
            return try DeviceText(bytes)
        } catch {
            let name = file == "-" ? "standard input" : "'\(file)'"
            throw CommandFailure(.noInput, "\(name) \(error)".displayable)
        }
    }

    private func question() throws -> DeviceQuestion {
        let named: Domain?
        do {
            named = try domain.map { try Target(parsing: $0).domain }
        } catch {
            throw CommandFailure(.usage, "--domain: \(error)")
        }
        let link = try why.map { try WhyQuestion($0, of: named.map { [Target(domain: $0)] }) }
        return DeviceQuestion(app: app, domain: named, url: link?.url, host: link?.host)
    }

    // MARK: - A report

    private func read(
        _ report: DeviceReport, _ question: DeviceQuestion, _ configuration: ConfigurationFile?
    ) async throws -> DeviceReading {
        var entries = question.entries(of: report)
        if !question.isOfAll, entries.count > Self.maximumEntries {
            Console.remark("only the first \(Self.maximumEntries) of \(entries.count.grouped) entries are read")
            entries = Array(entries.prefix(Self.maximumEntries))
        }
        let watched = Set((configuration?.domains ?? []).map(\.domain))
        let targets = entries.compactMap(\.target).filter { !question.isOfAll || watched.contains($0.domain) }
        let now = try await served(targets, configuration)
        let context = DeviceDiagnosis.Context(report: report, url: question.url)
        var diagnoses = entries.map { entry in
            DeviceDiagnosis(of: entry, context, now: entry.target.flatMap { now[$0.ofFile] })
        }
        if diagnoses.isEmpty, !question.isOfAll {
            let absence = question.absence(from: report)
            let domain = question.domain ?? question.host
            diagnoses = [DeviceDiagnosis(missing: absence, app: question.app, domain: domain?.name, report)]
        }
        return DeviceReading(source: file, isLog: false, report: report, question: question, diagnoses: diagnoses)
    }

    // MARK: - A log

    private func read(
        _ log: DeviceLog, _ question: DeviceQuestion, _ configuration: ConfigurationFile?
    ) async throws -> DeviceReading {
        if question.url != nil {
            Console.remark("a log has no patterns; --why needs a sysdiagnose or swcutil show --verbose")
        }
        let events = log.latest(of: question.app, about: question.domain ?? question.host)
        guard !events.isEmpty else {
            throw CommandFailure(.noInput, "the log has no line of swcd about the requested app or domain")
        }
        let now = try await served(events.compactMap { $0.domain.map { Target(domain: $0) } }, configuration)
        let diagnoses = events.map { event in
            DeviceDiagnosis(
                of: event, domain: event.domain, app: question.app,
                now: event.domain.flatMap { now[Target(domain: $0)] })
        }
        return DeviceReading(source: file, isLog: true, report: nil, question: question, diagnoses: diagnoses)
    }

    // MARK: - What is served now

    /// Checks each target, and adds its history if a daemon or its store knows the domain.
    private func served(_ all: [Target], _ file: ConfigurationFile?) async throws -> [Target: DomainNow] {
        var seen: Set<Target> = []
        let unique = all.map(\.ofFile).filter { seen.insert($0).inserted }
        guard !offline, !unique.isEmpty else { return [:] }
        let targets = Array(unique.prefix(Self.maximumTargets))
        if targets.count < unique.count {
            Console.remark(
                "only the first \(targets.count) of \(unique.count) domains are compared; name one with --domain")
        }
        let monitor = try remote.url.map {
            try RemoteMonitor(url: $0, tokenFile: remote.tokenFile, caFile: network.caFile)
        }
        let checker = try OneShotChecker(
            network: network, asksCDN: true, targets: targets.count,
            configuration: file)
        let api: (any MonitorAPI)? = monitor ?? checker.api
        let progress = Progress(total: targets.count, isQuiet: false)
        let work = {
            var now: [Target: DomainNow] = [:]
            try await OrderedWork.run(targets, maximumConcurrent: Self.maximumConcurrent) { target in
                let report = try await checker.check(target, in: target.mode, depth: .full)
                let history = try await Self.history(of: target.domain, api)
                progress.advance()
                return (
                    target, DomainNow(readings: report.readings, verdict: report.verdict, change: history?.newestChange)
                )
            } each: { target, domain in
                now[target] = domain
            }
            return now
        }
        defer { progress.clear() }
        do {
            guard let monitor else { return try await checker.close(after: work) }
            return try await monitor.close(after: { try await checker.close(after: work) })
        } catch let refusal as APIRefusal {
            throw CommandFailure(.usage, refusal.description)
        }
    }

    /// nil if the daemon does not know the domain.
    private static func history(of domain: Domain, _ api: (any MonitorAPI)?) async throws -> HistoryReport? {
        do {
            return try await api?.history(of: domain, limit: 2)
        } catch let refusal as APIRefusal where refusal.reason == .notFound {
            return nil
        }
    }
}

extension Target {
    /// The target without its service and app: the domain's file in this mode.
    var ofFile: Target { Target(domain: domain, mode: mode) }
}

extension HistoryReport {
    /// nil if the monitor has seen only one version: that may be as old as the domain.
    var newestChange: KnownChange? {
        guard versions.count > 1, let newest = versions.first, newest.until == nil,
            let meaning = ContentHash(hex: newest.meaning)
        else { return nil }
        return KnownChange(
            meaning: meaning, servedSince: newest.from,
            atEveryEdge: newest.propagationSeconds.map { newest.from + Double($0) })
    }
}
