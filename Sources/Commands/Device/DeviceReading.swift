// What `device` prints, as text and as JSON.

import AASA
import Device
import Evidence
import Foundation
import Report

struct DeviceReading {
    /// The file as the user named it.
    let source: String
    let isLog: Bool
    /// nil for a log.
    let report: DeviceReport?
    let question: DeviceQuestion
    /// In the order of the report.
    let diagnoses: [DeviceDiagnosis]
    var at = Date()

    /// With the link that `--why` asks about: the app that opens it on the device.
    private var opener: DeviceDiagnosis? { diagnoses.opener }
}

// MARK: - For people

extension DeviceReading {
    /// Entries that are shown in full.
    private static let mostEntries = 50
    private static let mostChanges = 10

    func text(style: TextStyle) -> String {
        if question.isOfAll, !isLog { return table(style) }
        let shown = diagnoses.worstFirst
        var parts = [headline(style)].compactMap(\.self)
        parts += shown.prefix(Self.mostEntries).map { text(of: $0, style).joined(separator: "\n") }
        if shown.count > Self.mostEntries {
            parts.append("and \((shown.count - Self.mostEntries).of("more entry", "more entries"))")
        }
        return style.signs(parts.joined(separator: "\n\n"))
    }

    /// `https://example.com/a  opens APP on the device, by {"/":"/a"}`
    private func headline(_ style: TextStyle) -> String? {
        guard let url = question.url, !isLog, diagnoses.contains(where: { $0.entry != nil }) else { return nil }
        let name = style.bold(url.text.displayable)
        if let opener, let app = opener.appID {
            return "\(name)  opens \(app.displayable) on the device\(by(opener.link))"
        }
        let link = diagnoses.lazy.compactMap(\.link).first
        switch link?.behaviour {
        case nil: return "\(name)  cannot be matched: the report has no patterns for it"
        case .blocked: return "\(name)  opens Safari on the device: excluded\(by(link))"
        case .notMatched: return "\(name)  opens Safari on the device: no pattern matches"
        case .opens: return "\(name)  opens Safari on the device, though a pattern matches\(by(link))"
        }
    }

    private func by(_ link: DeviceLink?) -> String { link?.pattern.map { ", by \($0)" } ?? "" }

    private func text(of diagnosis: DeviceDiagnosis, _ style: TextStyle) -> [String] {
        let names = [diagnosis.domain, diagnosis.service, diagnosis.appID ?? ""].filter { !$0.isEmpty }
        let text = diagnosis.text(at: at)
        var lines = style.heading(
            TextStyle.Sign(diagnosis.level), names.map { $0.displayable.shortened(to: 200) }.joined(separator: "  "),
            text.effect)
        lines += style.parts(text.cause, text.action, text.outlook)
        if let link = diagnosis.link {
            let file = link.inFile.map { "; \(diagnosis.file): \(Self.words($0))" } ?? ""
            lines += ["", "  \(style.dim("link"))       \(link.url.displayable.shortened(to: 200))"]
            lines += style.wrapped(
                "on the device: \(Self.words(link.behaviour))\(by(link))\(file)", indentation: 13, hanging: 2)
        }
        if let facts = facts(diagnosis) {
            lines += [""] + style.wrapped("\(style.dim("device"))     \(facts)", indentation: 2, hanging: 11)
        }
        if let difference = diagnosis.toFile { lines += changes(difference, diagnosis.file, style) }
        if let difference = diagnosis.toOrigin, difference != diagnosis.toFile {
            lines += changes(difference, "the origin's file", style)
        }
        return lines
    }

    private func facts(_ diagnosis: DeviceDiagnosis) -> String? {
        guard let entry = diagnosis.entry else { return nil }
        let patterns = entry.patterns.map { "patterns \($0.displayable.shortened(to: 300))" }
        let facts: [String?] = [
            entry.siteApproval?.word, entry.lastChecked.map { "last checked \(Span.instant($0))" },
            entry.nextCheck.map { "next check \(Span.instant($0))" },
            entry.error.map { "error: \($0.plainWords)" }, entry.retries.map { $0.of("retry", "retries") },
            diagnosis.isBrowserChosen ? "the user chose the browser" : nil,
            entry.flags.isEmpty
                ? nil : "flags \(entry.flags.sorted().joined(separator: ", ").displayable.shortened(to: 200))",
            patterns,
        ]
        return facts.compactMap(\.self).joined(separator: "; ").displayable
    }

    private func changes(_ difference: DeviceDifference, _ file: String, _ style: TextStyle) -> [String] {
        guard !difference.isEmpty else { return [] }
        var lines = ["", "  " + style.dim("URLs that behave differently with \(file)")]
        lines += difference.changes.prefix(Self.mostChanges).map { change in
            "    \(change.example.displayable.shortened(to: 200)): \(Self.words(change.from)) on the device, "
                + "\(Self.words(change.to)) with \(file)"
        }
        let more = max(0, difference.changes.count - Self.mostChanges) + difference.more
        if more > 0 { lines.append("    and \(more.of("more rule"))") }
        if !difference.isComplete {
            lines.append("    (comparison incomplete: the rules are too many or too complex)")
        }
        return lines
    }

    private static func words(_ behaviour: LinkBehaviour) -> String {
        switch behaviour {
        case .opens: "opens the app"
        case .blocked: "excluded"
        case .notMatched: "not matched"
        }
    }

    // MARK: All apps

    private struct App {
        let id: String
        let diagnoses: [DeviceDiagnosis]

        var level: Verdict.Level { diagnoses.level }
        var trouble: [DeviceDiagnosis] { diagnoses.filter { $0.level != .ok } }
    }

    /// Trouble first.
    private var apps: [App] {
        let groups = Dictionary(grouping: diagnoses) { $0.appID ?? "" }
        return groups.map { App(id: $0.key, diagnoses: $0.value.worstFirst) }.sorted {
            ($0.level.rankOnDevice, $0.id) < ($1.level.rankOnDevice, $1.id)
        }
    }

    private func table(_ style: TextStyle) -> String {
        let apps = apps
        guard !apps.isEmpty else { return "the report lists no third-party app with associated domains" }
        let rows = apps.map { app in
            let names = app.trouble.prefix(3).map { "\($0.service):\($0.domain) \($0.cause.id)" }
            let more = app.trouble.count - names.count
            let trouble = names.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
            let count = Set(app.diagnoses.map(\.domain)).count.of("domain")
            return [
                app.level.rawValue, app.id.displayable.shortened(to: 100), count,
                trouble.displayable.shortened(to: 400),
            ]
        }
        let isCompared = diagnoses.contains { $0.standing.comparison != nil }
        let bad = apps.count { $0.level != .ok }
        let note =
            "\(apps.count.of("app")), \(bad.grouped) with trouble. --app APP-ID shows the details"
            + (isCompared ? "." : ", and compares the app's domains with Apple's copies.")
        return (TextTable(rows: rows).lines(indentation: 0, style: style) + ["", note]).joined(separator: "\n")
    }
}

// MARK: - For programs

extension DeviceReading {
    var json: OrderedJSON {
        let shown = diagnoses.worstFirst
        let first = shown.first?.text(at: at)
        return .object([
            ("schema", .string("aasa-monitor/device/v1")),
            ("source", .string(source)),
            ("kind", .string(isLog ? "log" : "report")),
            ("device", .optional(report?.origin.device)),
            ("written_at", .optional(report?.origin.writtenAt)),
            ("verbose", .optional(report?.isVerbose)),
            ("app", .optional(question.app)),
            ("domain", .optional((question.domain ?? question.host)?.name)),
            ("url", .optional(question.url?.text)),
            ("opens", .optional(opener?.appID)),
            ("verdict", .string(diagnoses.level.rawValue)),
            ("effect", .optional(question.isOfAll && !isLog ? nil : first?.effect)),
            ("entries", .array(shown.map(json(of:)))),
        ])
    }

    private func json(of diagnosis: DeviceDiagnosis) -> OrderedJSON {
        let text = diagnosis.text(at: at)
        let entry = diagnosis.entry
        return .object([
            ("service", .string(diagnosis.service)),
            ("app", .optional(diagnosis.appID)),
            ("domain", .string(diagnosis.domain)),
            ("mode", .string(diagnosis.mode.rawValue)),
            ("verdict", .string(diagnosis.level.rawValue)),
            ("diagnosis", .string(text.oneLine)),
            ("diagnosis_id", .string(diagnosis.cause.id)),
            ("effect", .string(text.effect)),
            ("cause", .optional(text.cause)),
            ("action", .optional(text.action)),
            ("outlook", .optional(text.outlook)),
            ("approval", .optional(entry?.siteApproval?.word)),
            ("user_approval", .optional(entry?.userApproval?.word)),
            ("browser_chosen", .optional(entry.map { _ in diagnosis.isBrowserChosen })),
            ("flags", .array((entry?.flags ?? []).sorted().map { .string($0) })),
            ("last_checked", .optional(entry?.lastChecked)),
            ("next_check", .optional(entry?.nextCheck)),
            ("retries", .optional(entry?.retries)),
            ("error", error(of: diagnosis)),
            ("patterns", .optional(entry?.patterns)),
            ("link", diagnosis.link.map(Self.json(of:)) ?? .null),
            ("comparison", .optional(diagnosis.standing.comparison?.rawValue)),
            ("to_file", diagnosis.toFile.map(Self.json(of:)) ?? .null),
            ("to_origin", diagnosis.toOrigin.map(Self.json(of:)) ?? .null),
        ])
    }

    private func error(of diagnosis: DeviceDiagnosis) -> OrderedJSON {
        guard let error = diagnosis.error else { return .null }
        return .object([
            ("domain", .string(error.domain)), ("code", .optional(error.code)), ("words", .optional(error.words)),
            ("apple_code", .optional(error.apple?.code)), ("apple_reason", .optional(error.apple?.reason)),
            ("meaning", .string(error.plainWords)),
        ])
    }

    private static func json(of link: DeviceLink) -> OrderedJSON {
        .object([
            ("url", .string(link.url)), ("behaviour", .string(link.behaviour.rawValue)),
            ("pattern", .optional(link.pattern)), ("index", .optional(link.index)),
            ("in_file", .optional(link.inFile?.rawValue)),
        ])
    }

    private static func json(of difference: DeviceDifference) -> OrderedJSON {
        .object([
            ("behaviour", .report(difference.changes)),
            ("more_rules", .integer(difference.more)), ("complete", .bool(difference.isComplete)),
        ])
    }
}
