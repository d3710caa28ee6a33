import AASA
import ArgumentParser
import Evidence
import Foundation
import Report

/// `aasa-monitor audit --entitlements FILE...`: checks each associated domain that apps claim, for its service and app.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Check that the domains an app claims name the app.",
        discussion: """
            Checks each associated domain in the entitlements of apps, as `check` does, for its service and its app. \
            Do the origin's file and Apple's copy name the app? Does the app's signing let devices read the entry? \
            Each domain is checked once per mode. Misspelt entries are shown with the correction. If a file names the \
            app for a service that the app does not claim, that is shown too.

            Only the entitlements of a signed app contain its ID and how it is signed, with all build settings filled \
            in: codesign -d --entitlements - --xml App.app > App.entitlements. For other files, give the ID with \
            --app. Property lists can be XML, binary, or inside a provisioning profile that lists domains.

            Exit codes: those of `check`. 0 nothing at severity error, 1 at least one error, 70 only this machine is at \
            fault, 64 usage, 66 a file that cannot be read, 78 configuration.
            """)

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("The entitlements of apps, one file per app; - is standard input.", valueName: "file"),
        completion: .file(extensions: ["entitlements", "plist", "xcent"]))
    var entitlements: [String]

    @Option(
        help: ArgumentHelp(
            "The app's ID, if a file does not contain it, such as ABCDE12345.com.example.app.", valueName: "app-id"))
    var app: String?

    @Option(.text, .json) var format: OutputFormat

    @Flag(
        name: .customLong("ask-cdn"),
        help: "Ask Apple's CDN even if the origin has no file yet; Apple then caches the failure.")
    var asksCDN = false

    @OptionGroup var color: ColorOption
    @OptionGroup var connections: ConnectionOptions
    @OptionGroup var timeLimit: TimeLimitOption
    @OptionGroup var configuration: ConfigurationOptions

    /// Domains checked at the same time; the others wait.
    private static let maximumConcurrent = 32

    func validate() throws {
        if let app, let fault = Expectations.fault(ofApp: app) {
            throw ValidationError(
                "--app: '\(app.displayable.shortened(to: 200))' is not a valid app ID: \(fault.displayable)")
        }
    }

    func run() async throws {
        try connections.checkFiles()
        let files = try entitlements.map { (path: $0, file: try Entitlements(at: $0)) }
        try checkNamedApp(files)
        let apps = try files.map { path, file in
            var app = file.app
            app.id = try app.id ?? self.app ?? missingID(of: file, at: path)
            return (path: path, file: file, app: app)
        }
        let sightings = try await sightings(of: files.flatMap(\.file.claims))
        let audits = apps.map { path, file, app in
            AppAudit(app, file, at: path) { sightings[Target(domain: $0.domain, mode: $0.mode)] }
        }
        switch format {
        case .json:
            let apps = OrderedJSON.array(audits.map(\.json))
            Console.print(
                OrderedJSON.object([("schema", .string("aasa-monitor/audit/v1")), ("apps", apps)]).text(isPretty: true))
        default:
            let style = TextStyle.standardOutput
            Console.print(audits.map { $0.text(style: style) }.joined(separator: "\n\n"))
        }
        let levels = audits.flatMap(\.levels)
        if levels.contains(.failing) { throw MonitorExit.found.code }
        if levels.contains(.unknown) { throw MonitorExit.software.code }
    }

    /// nil if the file claims no domain, so nothing needs the ID.
    private func missingID(of file: Entitlements, at path: String) throws -> String? {
        if file.claims.isEmpty { return nil }
        throw CommandFailure(
            .usage,
            "\(path.displayable) does not contain the app's ID; give it with --app, such as "
                + "ABCDE12345.com.example.app, or use the entitlements of the signed app")
    }

    /// `--app` is for files without an app ID. If all files have one, it can only be a mistake.
    private func checkNamedApp(_ files: [(path: String, file: Entitlements)]) throws {
        guard let app else { return }
        for (path, file) in files {
            guard let pattern = file.appPattern, !app.hasPrefix(pattern.dropLast()) else { continue }
            throw CommandFailure(
                .usage,
                "\(path.displayable) is for apps whose ID is \(pattern.displayable), but --app names "
                    + "\(app.displayable); name an app of that profile")
        }
        let known = files.compactMap { path, file in file.app.id.map { (path: path, id: $0) } }
        guard known.count == files.count, let other = known.first(where: { $0.id != app }) else { return }
        throw CommandFailure(
            .usage,
            "\(other.path.displayable) belongs to \(other.id), but --app names \(app.displayable); leave out --app, or name "
                + "the entitlements of that app")
    }

    /// Each domain and mode once, even if several entries name it.
    private func sightings(of claims: [AssociatedDomain]) async throws -> [Target: OneShotChecker.Sighting] {
        let targets = Set(claims.map { Target(domain: $0.domain, mode: $0.mode) }).sorted {
            $0.domain.name < $1.domain.name
        }
        let checker = try OneShotChecker(
            connections: connections, timeout: timeLimit.timeout, asksCDN: asksCDN, targets: targets.count,
            configuration: try configuration.loadIfPresent())
        var sightings: [Target: OneShotChecker.Sighting] = [:]
        try await checker.close(after: {
            try await OrderedWork.run(targets, maximumConcurrent: Self.maximumConcurrent) { target in
                // The entitlement decides the mode, not the configuration.
                (target, try await checker.look(at: target.domain, in: target.mode, depth: .full))
            } each: { target, sighting in
                sightings[target] = sighting
            }
        })
        return sightings
    }
}

/// One entry of an app's entitlements: the check of its domain for its service and the app.
private struct AuditedEntry {
    let entry: Entitlements.Entry
    /// nil if there is nothing to ask.
    private let check: (claim: AssociatedDomain, asked: AskedService, report: CheckReport)?
    /// What is wrong with the entry or the app, regardless of the file.
    private let fault: DiagnosisText?
    let level: Verdict.Level
    let isOfDeviceAlone: Bool
    /// Whether the entry works on devices; nil if unknown.
    let works: Bool?

    init(
        _ entry: Entitlements.Entry, of app: ClaimingApp, among claims: [AssociatedDomain],
        _ sighting: (AssociatedDomain) -> OneShotChecker.Sighting?
    ) {
        self.entry = entry
        switch entry.meaning {
        case .failure(let fault):
            (check, self.fault) = (nil, fault.text)
            isOfDeviceAlone = fault.isOfDeviceAlone
            (level, works) = isOfDeviceAlone ? (.unknown, nil) : (.failing, false)
        case .success(let claim):
            let asked = app.asks(for: claim.service)
            check = sighting(claim).map { (claim, asked, $0.report(on: asked)) }
            fault = app.whyUnread(claim, among: claims)
            let verdict = check?.report.verdict
            isOfDeviceAlone = false
            level = fault == nil ? verdict?.level ?? .unknown : .failing
            works = fault == nil ? verdict?.diagnosis.effect.works : false
        }
    }

    /// The domain whose file a wildcard entry reads; nil for other entries, whose name says it.
    var place: String? { check.flatMap { $0.claim.isWildcard ? $0.claim.domain.name : nil } }

    /// What the origin's file and Apple's copy say about the app.
    private var seen: (origin: String, copy: String) {
        guard let check else { return ("not asked", "not asked") }
        let readings = check.report.readings
        func words(_ content: ContentReading?, _ retrieval: Retrieval) -> String {
            content.map { check.asked.standing(in: $0).words }
                ?? ServedCell(retrieval, in: readings).words().displayable.shortened(to: 40)
        }
        let copy =
            switch readings.observation.cdn {
            case .asked(let retrieval): words(readings.cdnFile, readings.cdn ?? retrieval)
            case .notAsked(.originHasNoFile): "not asked"
            case .notAsked(.mode): "not read in this mode"
            }
        return (words(readings.originFile, readings.observation.origin), copy)
    }

    /// What the two say, in one line.
    private var standing: String {
        let (origin, copy) = seen
        let file = place.map { " of \($0)" } ?? ""
        return origin == copy
            ? "\(origin), at the origin\(file) and in Apple's copy" : "origin\(file): \(origin) · Apple's copy: \(copy)"
    }

    /// What `check` says about it; one line if all is well.
    func lines(column: Int, style: TextStyle) -> [String] {
        guard level != .ok else {
            return style.heading(TextStyle.Sign(.ok), entry.shown, standing, brief: "Works", column: column)
        }
        let report = check?.report
        let texts = [fault, report.flatMap { $0.verdict.level == .ok ? nil : $0.diagnosis }].compactMap(\.self)
        let scope = check.flatMap { DiagnosisText.scope(of: $0.claim) }
        var lines: [String] = [""]
        for (index, text) in texts.enumerated() {
            lines += style.heading(TextStyle.Sign(level), entry.shown, text.effect)
            if check != nil, index == 0 { lines += style.remark(standing) }
            lines += style.parts(text.cause, text.action, text.outlook)
        }
        if let scope { lines += style.part("also", scope) }
        return lines + (report?.also(style) ?? [])
    }

    var json: OrderedJSON {
        .object([
            ("entry", .string(entry.text)), ("verdict", .string(level.rawValue)), ("works", .optional(works)),
            ("service", .optional(check?.claim.service)), ("mode", .optional(check?.claim.mode.rawValue)),
            ("origin", .string(seen.origin)), ("cdn", .string(seen.copy)),
            ("fault", fault.map { .object($0.members) } ?? .null), ("check", check?.report.json ?? .null),
        ])
    }
}

/// All that one app claims.
private struct AppAudit {
    private let name: String
    private let path: String
    private let entries: [AuditedEntry]
    private let absence: DiagnosisText?
    private let unclaimed: [AssociatedDomain]

    init(
        _ app: ClaimingApp, _ file: Entitlements, at path: String,
        _ sighting: (AssociatedDomain) -> OneShotChecker.Sighting?
    ) {
        let claims = file.claims
        name = app.id ?? path
        self.path = path
        entries = file.entries.map { AuditedEntry($0, of: app, among: claims, sighting) }
        absence = file.absence.map(DiagnosisText.noAssociatedDomain)
        unclaimed = app.unclaimed(claims) { sighting($0)?.readings }
    }

    /// The level of each entry, or of the app if it has no entry. Entries that only a device can judge do not count.
    var levels: [Verdict.Level] {
        absence == nil ? entries.filter { !$0.isOfDeviceAlone }.map(\.level) : [.failing]
    }

    func text(style: TextStyle) -> String {
        let (working, unknown) = (entries.count { $0.works == true }, entries.count { $0.works == nil })
        let work = working == 1 || entries.count == 1 ? "works" : "work"
        let effect =
            absence?.effect ?? "\(working) of its \(entries.count.of("associated domain")) \(work)"
            + (unknown == 0 ? "" : ", \(unknown) unknown") + "."
        // Without an entry that this machine can judge, the result is unknown.
        let level = levels.isEmpty ? Verdict.Level.unknown : .worst(levels)
        var lines = style.heading(TextStyle.Sign(level), name.displayable, effect)
        if path != name { lines += style.remark(path.displayable) }
        if let absence {
            lines += style.parts(absence.cause, absence.action, absence.outlook)
        }
        let column = style.nameColumn(entries.map(\.entry.shown))
        let calm = entries.filter { $0.level == .ok }
        for entry in entries where entry.level != .ok { lines += entry.lines(column: column, style: style) }
        lines += (calm.isEmpty ? [] : [""]) + calm.flatMap { $0.lines(column: column, style: style) }
        for entry in unclaimed {
            lines.append("")
            lines += style.heading(
                .note, entry.text,
                "The file names the app, but the app does not claim it: \(English.fails(entry.service)).")
            lines += style.part("do", "Add the entry to the entitlements if the app needs it.")
        }
        return style.signs(lines.joined(separator: "\n"))
    }

    var json: OrderedJSON {
        .object([
            ("app", .string(name)), ("entitlements", .string(path)),
            ("verdict", .string(Verdict.Level.worst(levels).rawValue)),
            ("fault", absence.map { .object($0.members) } ?? .null),
            ("entries", .array(entries.map(\.json))), ("unclaimed", .array(unclaimed.map { .string($0.text) })),
        ])
    }
}
