import AASA
import ArgumentParser
import Evidence
import Foundation

/// `aasa-monitor audit --entitlements FILE...`: checks each associated domain that apps claim, for its service and app.
struct AuditCommand<Network: Remote>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "audit", abstract: "Check that the domains an app claims name the app.",
            discussion: """
                Checks each associated domain in the entitlements of apps, for its service and its app. \
                \(Network.isReachable ? "Do the origin's file and Apple's copy name the app?" : "Does the file name the app?") \
                Does the app's signing let devices read the entry? Misspelt entries are shown with the correction. If a \
                file names the app for a service that the app does not claim, that is shown too.

                Only the entitlements of a signed app contain its ID and how it is signed, with all build settings \
                filled in: codesign -d --entitlements - --xml App.app > App.entitlements. For other files, give the ID \
                with --app. Property lists can be XML, binary, or inside a provisioning profile that lists domains.

                --offline sends no request. It checks each entry against the file that --file names for its domain. An \
                entry whose domain has no file is shown as not checked; that is not an error.

                Exit codes: 0 nothing at severity error, 1 at least one error, 64 usage, 66 a file that cannot be read\
                \(Network.isReachable ? ", 70 only this machine is at fault, 78 configuration" : "").
                """)
    }

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
        help: ArgumentHelp(
            "Ask Apple's CDN even if the origin has no file yet; Apple then caches the failure.",
            visibility: Network.isReachable ? .default : .hidden))
    var asksCDN = false

    @Flag(help: "Send no request; check the entries against the files that --file names.") var offline = false

    @Option(
        name: .customLong("file"), parsing: .upToNextOption,
        help: ArgumentHelp("With --offline: a domain and its file; - is standard input.", valueName: "domain=path"),
        completion: .file())
    var files: [String] = []

    @OptionGroup var color: ColorOption
    @OptionGroup var network: Network

    func validate() throws {
        if !offline, !files.isEmpty { throw ValidationError("--file belongs to --offline; give both") }
        if offline, asksCDN { throw ValidationError("--ask-cdn sends a request, and --offline sends none; give one") }
        if let app, let fault = Expectations.fault(ofApp: app) {
            throw ValidationError(
                "--app: '\(app.displayable.shortened(to: 200))' is not a valid app ID: \(fault.displayable)")
        }
    }

    func run() async throws {
        if !offline { try network.check() }
        let named = try files.map(NamedFile.init)
        guard (entitlements + named.map(\.path)).count(where: { $0 == "-" }) <= 1 else {
            throw CommandFailure(.usage, "standard input can be read only once")
        }
        let claiming = try entitlements.map { (path: $0, file: try Entitlements(at: $0)) }
        try checkNamedApp(claiming)
        let apps = try claiming.map { path, file in
            var app = file.app
            app.id = try app.id ?? self.app ?? missingID(of: file, at: path)
            return (path: path, file: file, app: app)
        }
        let claims = claiming.flatMap(\.file.claims)
        let inHand = try filesInHand(named)
        let targets = Set(claims.map { Target(domain: $0.domain, mode: $0.mode) }).sorted {
            $0.domain.name < $1.domain.name
        }
        // Each domain and mode once, even if several entries name it.
        let seen = offline ? [:] : try await network.sites(of: targets, asksCDN: asksCDN)
        let audits = apps.map { path, file, app in
            AppAudit(app, file, at: path) {
                offline ? inHand[$0.domain] : seen[Target(domain: $0.domain, mode: $0.mode)]
            }
        }
        let levels = audits.flatMap(\.levels)
        // A misspelt entry may be why: then the audit says so.
        if let unused = named.first(where: { file in !claims.contains { $0.domain == file.domain } }) {
            let message = "--file: no entry of the entitlements uses the file of \(unused.domain)"
            guard levels.contains(.failing) else { throw CommandFailure(.usage, message) }
            Console.remark(message)
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

    /// The files that `--file` names, by domain.
    private func filesInHand(_ files: [NamedFile]) throws -> [Domain: FileInHand] {
        var result: [Domain: FileInHand] = [:]
        for file in files {
            guard result[file.domain] == nil else {
                throw CommandFailure(.usage, "--file names \(file.domain) twice; name it once")
            }
            result[file.domain] = try FileInHand(
                file.path == "-" ? .standardInput : .path(file.path), of: file.domain)
        }
        return result
    }
}

/// A value of `--file`: `links.example.com=links.json`.
private struct NamedFile {
    let domain: Domain
    let path: String

    init(_ text: String) throws {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[1].isEmpty, let domain = try? Domain(parts[0]) else {
            throw CommandFailure(
                .usage, "--file: '\(text.displayable.shortened(to: 200))' is not of the form DOMAIN=PATH")
        }
        (self.domain, path) = (domain, parts[1])
    }
}

/// One entry of an app's entitlements: the result for its domain, service and app.
private struct AuditedEntry {
    let entry: Entitlements.Entry
    /// nil if there is nothing to ask.
    private let claim: AssociatedDomain?
    /// nil if nothing was asked.
    private let answer: AuditAnswer?
    /// What is wrong with the entry or the app, regardless of the file.
    private let fault: DiagnosisText?
    let level: Verdict.Level
    /// Whether nothing could be seen of the entry. Then an unknown result is not a problem of this machine.
    let isUnseen: Bool
    /// Whether the entry works on devices; nil if unknown.
    let works: Bool?

    init(
        _ entry: Entitlements.Entry, of app: ClaimingApp, among claims: [AssociatedDomain],
        _ site: (AssociatedDomain) -> (any AuditedSite)?
    ) {
        self.entry = entry
        switch entry.meaning {
        case .failure(let fault):
            (claim, answer, self.fault) = (nil, nil, fault.text)
            isUnseen = fault.isOfDeviceAlone
            (level, works) = isUnseen ? (.unknown, nil) : (.failing, false)
        case .success(let claim):
            self.claim = claim
            answer = site(claim)?.answer(to: app.asks(for: claim.service))
            fault = app.whyUnread(claim, among: claims)
            isUnseen = answer == nil && fault == nil
            level = fault == nil ? answer?.level ?? .unknown : .failing
            works = fault == nil ? answer?.works : false
        }
    }

    /// What the origin's file and Apple's copy say about the app, in one line.
    private var standing: String? {
        // Names the domain whose file a wildcard entry reads; the name of other entries says it.
        answer?.standing(claim.flatMap { $0.isWildcard ? " of \($0.domain)" : nil } ?? "")
    }

    /// What `check` says about it; one line if all is well.
    func lines(column: Int, style: TextStyle) -> [String] {
        guard level != .ok else {
            return style.heading(TextStyle.Sign(.ok), entry.shown, standing ?? "", brief: "Works", column: column)
        }
        let unseen = claim.flatMap { isUnseen ? DiagnosisText.notChecked($0.domain) : nil }
        let texts = [fault, unseen, answer.flatMap { $0.level == .ok ? nil : $0.diagnosis }].compactMap(\.self)
        let scope = claim.flatMap(DiagnosisText.scope)
        var lines: [String] = [""]
        for (index, text) in texts.enumerated() {
            lines += style.heading(TextStyle.Sign(level), entry.shown, text.effect)
            if let standing, index == 0 { lines += style.remark(standing) }
            lines += style.parts(text.cause, text.action, text.outlook)
        }
        if let scope { lines += style.part("also", scope) }
        return lines + (answer?.also(style) ?? [])
    }

    var json: OrderedJSON {
        var (origin, copy) = ("not asked", "not asked")
        var (check, file) = (OrderedJSON.null, OrderedJSON.null)
        switch answer?.source {
        case .check(let atOrigin, let inCopy, let report): (origin, copy, check) = (atOrigin, inCopy, report)
        case .file(_, _, let report): file = report
        case nil: break
        }
        return .object([
            ("entry", .string(entry.text)), ("verdict", .string(level.rawValue)), ("works", .optional(works)),
            ("service", .optional(claim?.service)), ("mode", .optional(claim?.mode.rawValue)),
            ("origin", .string(origin)), ("cdn", .string(copy)),
            ("file", file), ("fault", fault.map { .object($0.members) } ?? .null),
            ("check", check),
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
        _ site: (AssociatedDomain) -> (any AuditedSite)?
    ) {
        let claims = file.claims
        name = app.id ?? path
        self.path = path
        entries = file.entries.map { AuditedEntry($0, of: app, among: claims, site) }
        absence = file.absence.map(DiagnosisText.noAssociatedDomain)
        unclaimed = app.unclaimed(claims) { site($0)?.file(in: $0.mode) }
    }

    /// The level of each entry, or of the app if it has no entry. Entries that only a device can judge do not count.
    var levels: [Verdict.Level] {
        absence == nil ? entries.filter { !$0.isUnseen }.map(\.level) : [.failing]
    }

    /// Without an entry that could be judged, the result is unknown.
    private var level: Verdict.Level { levels.isEmpty ? .unknown : .worst(levels) }

    func text(style: TextStyle) -> String {
        let (working, unknown) = (entries.count { $0.works == true }, entries.count { $0.works == nil })
        let work = working == 1 || entries.count == 1 ? "works" : "work"
        let effect =
            absence?.effect ?? "\(working) of its \(entries.count.of("associated domain")) \(work)"
            + (unknown == 0 ? "" : ", \(unknown) unknown") + "."
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
            ("verdict", .string(level.rawValue)),
            ("fault", absence.map { .object($0.members) } ?? .null),
            ("entries", .array(entries.map(\.json))), ("unclaimed", .array(unclaimed.map { .string($0.text) })),
        ])
    }
}

extension DiagnosisText {
    /// The members of a JSON object.
    fileprivate var members: [(String, OrderedJSON)] {
        [
            ("effect", .string(effect)), ("cause", .optional(cause)), ("action", .optional(action)),
            ("outlook", .optional(outlook)),
        ]
    }
}
