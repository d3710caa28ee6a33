// A check of one service of a domain, as an entitlement names it: `webcredentials:example.com`, perhaps for one app.
// Whether links open says nothing about passkeys.

import AASA
import Foundation

/// What a person asks about a domain. Every check covers links; this one is about a service, and perhaps about an app.
package struct AskedService: Codable, Hashable, Sendable {
    /// Such as `webcredentials`.
    package let name: String
    /// The app that the file must name; nil if any will do.
    package let app: App?

    package init(_ name: String, for app: App? = nil) {
        self.name = name
        self.app = app
    }

    package struct App: Codable, Hashable, Sendable {
        package let id: String
        /// The App Clips that the app's signature names, perhaps none; nil for an App Clip itself.
        let clips: [String]?

        package init(_ id: String, clips: [String]? = nil) {
            self.id = id
            self.clips = clips
        }

        /// An app lists `appclips:` as its Clip does, and the file names the Clip. Without a declaration a Clip is known by
        /// its ID, which begins with the app's.
        /// https://developer.apple.com/documentation/appclip/associating-your-app-clip-with-your-website
        fileprivate func clip(of ids: [String]) -> String? {
            guard let clips else { return nil }
            return ids.first { clips.isEmpty ? $0.hasPrefix(id + ".") : clips.containsExactly($0) }
        }
    }

    /// The app whose App Clip the file must name; nil where it must name the app itself.
    var parent: App? { name == "appclips" ? app.flatMap { $0.clips == nil ? nil : $0 } : nil }

    /// The App Clip that the signature of `parent` names.
    fileprivate var clip: String? { parent?.clips?.first }

    /// What a file says of the service.
    package enum Standing: Equatable, Sendable {
        case named
        /// It names an App Clip of the app: the app's own entry is for its Clip.
        case namedClip
        /// It names the app, but none of its rules opens a URL.
        case opensNothing
        case notNamed

        package var works: Bool { self == .named || self == .namedClip }
    }

    package func standing(in file: ContentReading) -> Standing {
        guard let file = file.document.map({ AssociationFile($0) }) else { return .notNamed }
        let ids = apps(in: file) ?? []
        guard let app else {
            // Text that is not an app ID matches no app.
            let namesAny = ids.contains { Expectations.fault(ofApp: $0) == nil }
            return (name == "applinks" ? file.applinks?.opensLinks == true : namesAny) ? .named : .notNamed
        }
        if ids.containsExactly(app.id) {
            let opensNothing =
                name == "applinks" && file.applinks?.opensNothing(for: app.id, meter: WorkMeter(.lint)) == true
            return opensNothing ? .opensNothing : .named
        }
        return parent?.clip(of: ids) == nil ? .notNamed : .namedClip
    }

    /// nil if the file lacks the service. For a duplicate key the last one counts, as everywhere else.
    func apps(in file: AssociationFile) -> [String]? { file.services.last { $0.name == name }?.appIDs }

    func apps(in file: ContentReading) -> Set<String> {
        Set(file.document.flatMap { apps(in: AssociationFile($0)) } ?? [])
    }

    /// Whether the file's part for the service has the app's ID in a place or form that devices do not read. Then the
    /// linter's finding is the reason.
    fileprivate func isMiswritten(in file: ContentReading) -> Bool {
        file.document?.root[name].map(hasAppID) ?? false
    }

    /// Whether the app's ID stands anywhere in a value, not as a part of a longer ID.
    private func hasAppID(_ value: JSONNode) -> Bool {
        guard let app else { return false }
        return String(decoding: value.canonicalForm, as: UTF8.self).split { sign in
            !(sign.isASCII && (sign.isLetter || sign.isNumber || sign == "-" || sign == "."))
        }.contains { $0 == app.id }
    }

    /// Whether a finding is about the entry that has the app's ID, or about all of the service's part.
    fileprivate func isAboutApp(_ finding: Finding, in file: ContentReading) -> Bool {
        guard var node = file.document?.root, let pointer = finding.problem.pointer else { return true }
        // Down to an entry of `details`: /applinks/details/0
        for step in pointer.split(separator: "/").prefix(3) {
            guard let next = node[String(step)] ?? Int(step).flatMap({ node.elements?.dropFirst($0).first }) else {
                break
            }
            node = next
        }
        return hasAppID(node)
    }

    /// Whether a finding is about another service's part of the file. Expectations still count if no app is asked about:
    /// `check webcredentials:example.com --expect-url …`.
    func isOther(_ finding: Finding) -> Bool {
        if app == nil, finding.problem.area == .expectation { return false }
        return finding.problem.service.map { $0 != name } ?? false
    }
}

/// Why a file does not work for an asked service.
package enum AskedFault: Codable, Equatable, Sendable {
    case noKey
    /// It names others for the service, the nearest first, and so many more.
    case notNamed([NearbyAppID], more: Int)
    case opensNothing

    var kind: FindingKind {
        switch self {
        case .noKey: .serviceMissing
        case .notNamed: .appMissing
        case .opensNothing: .urlOpensNothing
        }
    }
}

extension Problem {
    /// The service whose part of the file it is about; nil if it is about all of it.
    fileprivate var service: String? {
        switch self {
        case .file(.serviceMissing(let name, _)), .file(.appMissing(_, from: let name?)): name
        case .file(.linksRemoved), .file(.opensUnexpectedly), .file(.opensNothing), .file(.opensOther),
            .file(.pageMissing):
            "applinks"
        default:
            pointer?.split(separator: "/", maxSplits: 1).first.map(String.init).flatMap {
                Association.knownServices.contains($0) ? $0 : nil
            }
        }
    }
}

// MARK: - Checks

extension CheckContext {
    /// A problem of another service becomes a note, which decides nothing.
    func judged(_ finding: Finding) -> Finding { asked?.judged(finding) ?? finding }
}

extension AskedService {
    fileprivate func judged(_ finding: Finding) -> Finding {
        guard isOther(finding), finding.severity > .note else { return finding }
        var finding = finding
        finding.severity = .note
        return finding
    }
}

extension Checks {
    /// Whether the origin's file works for the asked service, and if so, whether Apple's copy does.
    @Sendable static func askedService(_ context: CheckContext) -> [Finding] {
        guard let asked = context.asked else { return [] }
        if let content = context.readings.originFile,
            let finding = asked.finding(
                in: content, of: context.domain, asked.standing(in: content), expecting: context.expectations.apps)
        {
            return [finding]
        }
        let copies = context.readings.copies.compactMap(context.readings.file(of:))
        guard !copies.isEmpty, copies.allSatisfy({ !asked.standing(in: $0).works }) else { return [] }
        return [Finding(.file(.copyLacks(asked, context.domain)), evidence: asked.evidence)]
    }
}

extension AskedService {
    fileprivate var evidence: [String: String] { ["service": name, "app": app?.id ?? ""] }

    /// nil if the service works with the file. `apps`: the app IDs that the configuration expects in it.
    fileprivate func finding(
        in content: ContentReading, of domain: Domain, _ standing: Standing, expecting apps: [String]
    ) -> Finding? {
        guard !standing.works, let file = content.document.map({ AssociationFile($0) }) else { return nil }
        let known = (apps + file.services.flatMap(\.appIDs)).uniqued.prefix(2)
        let problem = FileProblem.asked(fault(of: file, standing), self, domain, known: known.map(\.inSentence))
        let services = file.services.prefix(20).map { String($0.name.prefix(200)) }.joined(separator: ", ")
        return Finding(.file(problem), evidence: evidence.merging(["services": services]) { $1 })
    }

    fileprivate func fault(of file: AssociationFile, _ standing: Standing) -> AskedFault {
        if standing == .opensNothing { return .opensNothing }
        guard let ids = apps(in: file) else { return .noKey }
        let others = app.map { NearbyAppID.all(ids, near: $0.id) } ?? []
        return .notNamed(others, more: Set(ids).count - others.count)
    }
}

/// What a file alone means for an asked service, wherever it is served: the part of a verdict that needs no network.
package struct FileVerdict: Sendable {
    /// nil if devices ignore the file.
    package let standing: AskedService.Standing?
    package let level: Verdict.Level
    /// The findings that a check has about the origin's file; the reason for the level comes first.
    package let findings: [Finding]
    package let diagnosis: DiagnosisText

    /// `content`: the file as `domain` would serve it, and `reading` of it. `now`: the time that the texts assume.
    package init(of content: Data, _ reading: ContentReading, at domain: Domain, asked: AskedService, now: Date) {
        let standing = reading.meaning == nil ? nil : asked.standing(in: reading)
        let missing = standing.flatMap { asked.finding(in: reading, of: domain, $0, expecting: []) }
        let lint = Checks.linted(reading.hash, content).filter {
            $0.rule != "app-id-example" || !domain.isReservedForExamples
        }.map { asked.judged($0.finding) }
        // As in `askedRows`: if the app ID is misspelt, or its rules open nothing, the linter says why, about the app's entry.
        let isLinters = standing == .opensNothing || asked.isMiswritten(in: reading)
        let own = lint.filter { isLinters && asked.isAboutApp($0, in: reading) }
        let others = lint.filter { !isLinters || !asked.isAboutApp($0, in: reading) }
        let explains = own.contains { $0.severity == .error }
        let missed = explains && standing == .opensNothing ? [] : missing.map { [$0] } ?? []
        findings = ((explains ? own + missed : missed + own) + others).worstFirst(by: \.severity)
        level = Verdict.Level(findings)
        self.standing = standing
        let fault = level == .ok ? nil : findings.first?.text(at: now)
        let rest = level == .ok ? "" : ", and it has \(level == .failing ? "an error" : "a warning")"
        let works = standing?.works == true
        let effect = works ? English.works(asked.name) : English.fails(asked.name)
        diagnosis = DiagnosisText(
            effect: "\(effect.atStart) with this file\(works ? rest : "").", cause: fault?.message,
            action: fault?.fix)
    }
}

extension DiagnosisContext {
    /// The fault of the origin's file for the asked service.
    var askedFault: Finding? {
        findings.first { if case .file(.asked) = $0.problem { $0.severity == .error } else { false } }
    }

    /// Whether a copy that differs from the origin's file differs in what is asked.
    func mattersToAsked(_ copy: ContentReading) -> Bool {
        guard let asked = check.asked, let origin = check.readings.originFile else { return true }
        // While the copy names the app, phones find it.
        if asked.app != nil, askedFault != nil { return false }
        guard asked.name != "applinks" else { return true }
        return asked.app == nil && asked.apps(in: copy) != asked.apps(in: origin)
    }

    /// The service that phones get nothing of until there is a file; nil if that is not what is asked.
    var askedOfNewFile: AskedService? {
        guard let absence = check.readings.absence, absence != .elsewhere else { return nil }
        return check.asked.flatMap { $0.name != "applinks" || $0.app != nil ? $0 : nil }
    }
}

extension Diagnosis {
    static let askedRows: [Row] = [
        // If the file does not name the app, fixing its other faults does not help the app.
        { context in
            guard case .file(.asked(.notNamed, let asked, _, _)) = context.askedFault?.problem, asked.app != nil,
                !context.hasError(in: .origin),
                context.check.readings.originFile.map({ !asked.isMiswritten(in: $0) }) ?? false
            else { return nil }
            return context.askedFault.map { Cause($0) }
        }
    ]
}

// MARK: - Words

extension English {
    /// What people call a service, within a sentence, and whether that is a plural.
    /// https://developer.apple.com/documentation/xcode/configuring-an-associated-domain
    private static func name(of service: String) -> (words: String, isPlural: Bool) {
        switch service {
        case "applinks": ("links", true)
        case "webcredentials": ("passkeys and password AutoFill", true)
        case "appclips": ("App Clips", true)
        case "activitycontinuation": ("Handoff", false)
        case "authsrv": ("single sign-on", false)
        case "messagefilter": ("the message filter", false)
        case "classificationreport": ("reports of unwanted calls and messages", true)
        default: (service.inSentence, false)
        }
    }

    /// `passkeys and password AutoFill work`
    static func works(_ service: String) -> String {
        let name = name(of: service)
        return "\(name.words) \(name.isPlural ? "work" : "works")"
    }

    package static func fails(_ service: String) -> String {
        let name = name(of: service)
        return "\(name.words) \(name.isPlural ? "do" : "does") not work"
    }

    /// `which Handoff needs`
    private static func need(of service: String) -> String {
        let name = name(of: service)
        // From iOS 17.4 on: https://developer.apple.com/documentation/authenticationservices/aswebauthenticationsession
        return service == "webcredentials"
            ? "which passkeys, password AutoFill and https callbacks of web sign-in need"
            : "which \(name.words) \(name.isPlural ? "need" : "needs")"
    }

    static func words(_ fault: AskedFault, _ asked: AskedService, _ domain: Domain, _ known: [String]) -> Words {
        let name = asked.name
        switch fault {
        case .noKey:
            return Words("The file has no key \(name), \(need(of: name)).", adding(asked, known))
        case .notNamed(let others, let more):
            guard let app = asked.app else {
                return Words("The file names no app under \(name), \(need(of: name)).", adding(asked, known))
            }
            let listed = others.map { other in
                let id = other.id.displayable.shortened(to: 120)
                return other.difference.map { "\(id) (\($0))" } ?? id
            }
            let rest = more > 0 ? " and \(more.grouped) more" : ""
            let id = asked.clip ?? (asked.parent == nil ? app.id : nil)
            let place = name == "applinks" ? "an entry of 'applinks.details'" : "'\(name).apps'"
            let isNear = others.first?.difference != nil
            return Words(
                "The file does not name \(asked.parent == nil ? "the app" : "the app's App Clip") under \(name)."
                    + (listed.isEmpty ? "" : " It names \(listed.joined(separator: ", "))\(rest)."),
                "Add \(id?.inSentence ?? "the ID of the App Clip, such as \(app.id.inSentence).Clip,") to \(place) of "
                    + "\(domain)'s file" + (isNear ? ", or correct the ID that is there." : "."))
        case .opensNothing:
            return Words(
                "The file names the app, but no rule of its entry opens a URL.",
                "Run 'aasa-monitor lint \(domain)': it says why, and what to write.")
        }
    }

    /// `known`: the apps that may be meant, if the question names none.
    static func adding(_ asked: AskedService, _ known: [String]) -> String {
        let exact = asked.clip ?? (asked.parent == nil ? asked.app?.id : nil)
        return adding(asked.name, exact.map { [$0] } ?? guesses(asked.name, asked.app.map { [$0.id] } ?? known))
    }

    /// Xcode gives an App Clip the app's ID and ".Clip".
    static func guesses(_ service: String, _ apps: [String]) -> [String] {
        let apps = apps.isEmpty ? ["ABCDE12345.com.example.app"] : apps
        return service == "appclips" ? apps.map { $0.hasSuffix(".Clip") ? $0 : $0 + ".Clip" } : apps
    }

    /// Which key to add, with which app: each service has its own key, and apps under another key do not count for it.
    /// https://developer.apple.com/documentation/xcode/supporting-associated-domains
    static func adding(_ service: String, _ apps: [String]) -> String {
        let ids = apps.map { "\"\($0.inSentence)\"" }.joined(separator: ", ")
        let whose = service == "appclips" ? "the App Clip's ID" : "the ID of the app"
        guard service == "applinks" else {
            return "Add the key \(service) with \(whose), such as \"\(service)\": {\"apps\": [\(ids)]}."
        }
        return "Add the key applinks with \(whose) and its URLs, such as "
            + "\"applinks\": {\"details\": [{\"appIDs\": [\(ids)], \"components\": [{\"/\": \"/path/*\"}]}]}."
    }
}
