// The decisions as markup: what to do now, then what others do, then what ends by itself.

import Evidence
import Foundation
import Monitoring
import Report
import Storage

extension FrontPage {
    /// Names that a decision lists; the others are behind a link.
    static let mostNames = 6
    /// The most incidents that one button acknowledges. For more, a link leads to the page of incidents.
    static let mostAcknowledged = 50
    static let mostEnded = 8

    /// As many groups as a page shows domains; the others are behind a link.
    func shownGroups(_ section: Decisions.Section) -> ArraySlice<Decisions.Group> {
        (decisions.groups[section] ?? []).prefix(query.rows)
    }

    var sections: [HTML] {
        [
            act,
            matters(.handled, "Being handled", "acknowledged or silenced"),
            matters(.warnings, "Warnings", "no incident, nobody is notified"),
            matters(.calm, "No action needed", "it ends by itself"),
            endedSection,
        ].compactMap(\.self)
    }

    private func section(_ id: HTML, _ title: String, _ note: String?, _ list: HTML, _ rows: [HTML]) -> HTML {
        """

        <section class="decisions" id="\(id)">\(HTML.heading(title, note))
        <ul class="\(list)">
        \(rows)</ul>
        </section>
        """
    }

    /// The rows of a section, and a link to those that are not shown.
    private func rows(_ section: Decisions.Section, _ row: (Decisions.Group) -> HTML) -> [HTML] {
        let all = decisions.groups[section] ?? []
        let rest = all.dropFirst(query.rows).reduce(0) { $0 + $1.domains.count }
        let more: HTML =
            #"<li class="more"><a href="\#(query.with { $0.order = .longest }.address)">\#(rest.of("more domain"))</a></li>"#
        return shownGroups(section).map(row) + (rest > 0 ? [more] : [])
    }

    /// Incidents of many domains. With a filter, only those with a matching domain.
    private func shared(_ isMeant: (Decisions.Handling?) -> Bool) -> [Decisions.Shared] {
        decisions.shared.filter { isMeant($0.handling) && !(query.isFiltered && $0.domains.isEmpty) }
    }

    // MARK: - Act now

    private var act: HTML? {
        let shared = shared { $0 == nil }.map(act)
        let rows = shared + rows(.act, act)
        guard !rows.isEmpty else { return nil }
        // Visitors do not see who acknowledged what.
        return frame.isPublic
            ? section("act", "Needs action", nil, "acts", rows)
            : section("act", "Act now", "nobody has acknowledged these", "acts", rows)
    }

    private func act(_ group: Decisions.Group) -> HTML {
        let words = words(of: group)
        let tone = group.status.tile.tone
        let single = group.domains.count == 1 ? group.domains.first : nil
        let lasting = single.flatMap { domain in records[domain.domain] }.flatMap { record in
            watched[record.domain].map {
                TroubleDuration(record, staleAfter: $0.checks.staleAfter, frame.time)
            }
        }
        return act(
            words.causes.isEmpty ? names(group.domains) : nil, id: "d-\(group.domains[0].domain.name)", tone,
            labels: labels(of: group.domains), words, rest: rest(of: group.domains),
            time: """
                <p><b>\(lasting?.long ?? range(group))</b></p>\
                <p class="soft">\(since(group))\(single.flatMap { until($0, lasting) }.map { " · \($0)" as HTML })</p>
                """,
            acknowledging: acknowledging(group))
    }

    /// What ends the trouble, if known.
    private func until(_ domain: TroubledDomain, _ lasting: TroubleDuration?) -> HTML? {
        if case .asksAgain(let date) = records[domain.domain]?.summary?.diagnosis.outlook {
            return "Apple retries about \(HTML.time(date, frame.time))"
        }
        return (lasting?.until).map { "<bdi>\($0.firstSentence)</bdi>" }
    }

    private func act(_ shared: Decisions.Shared) -> HTML {
        let report = shared.report
        let words = Words(
            effect: report.effect ?? report.kind.rawValue, why: report.cause?.inWords(upTo: Diagnosis.mostWords),
            action: report.action?.asBriefAction)
        let names: HTML =
            shared.domains.isEmpty ? "\(report.subject.atStart)" : "\(names(shared.domains)) "
        let long = Span.words(report.lasted(at: frame.time.wall))
        return act(
            names, id: "i-\(report.id)", report.severity == .error ? .fail : .warn, labels: [], words,
            time:
                "<p><b>\(long)</b></p><p class=\"soft\">since \(HTML.time(report.since, frame.time))</p>",
            acknowledging: acknowledging([report.id], domains: 1, fine: notified([report.id], at: report.firedAt)))
    }

    private func act(
        _ names: HTML?, id: String, _ tone: Tone, labels: [HTML], _ words: Words, rest: HTML? = nil, time: HTML,
        acknowledging: HTML
    ) -> HTML {
        let pills: HTML = "\(labels.map { " \($0)" as HTML })"
        // If causes differ, each follows the names of its domains.
        let parts =
            words.causes.map { "\(Self.list($0.domains)): <bdi>\($0.why.withoutStop)</bdi>" as HTML }
            + [rest].compactMap(\.self)
        let causes: HTML = "<p>\(parts.first)\(parts.dropFirst().map { " · \($0)" as HTML })</p>"
        return """
            <li id="\(id)" class="\(tone.rawValue)-edge"><div>\(names.map { #"<p class="who">\#($0)\#(pills)</p>"# })\
            <p><strong class="\(tone.rawValue)">\(words.effect)</strong>\(words.why.map { " <bdi>\($0)</bdi>" })\
            \(pills, if: names == nil)</p>\(causes, if: names == nil)\
            \(words.action.map { #"<p class="do"><span aria-hidden="true">→</span> <bdi>\#($0)</bdi></p>"# })</div>\
            <div class="lasts">\(time)</div><div>\(acknowledging)</div></li>

            """
    }

    /// The button, and who was notified.
    private func acknowledging(_ group: Decisions.Group) -> HTML {
        guard !group.incidents.isEmpty else {
            let open = group.domains.first.flatMap { records[$0.domain]?.summary?.incidents.first }
            let due = open?.graceUntil.map { frame.time.shown($0) }.flatMap { $0 > frame.time.wall ? $0 : nil }
            let alert: HTML? = due.map { "no alert before \(HTML.time($0, frame.time))" }
            // Visitors do not see who is notified.
            return #"<p class="fine">\#(alert ?? (frame.isPublic ? "" : "not notified yet"))</p>"#
        }
        let ids = group.incidents.prefix(Self.mostAcknowledged).map(\.id)
        let fired = records[group.domains[0].domain]?.summary?.incidents.first { $0.incident.id == ids[0] }?.incident
            .firedAt
        let fine = notified(Array(ids), at: fired.map(frame.time.shown))
        guard group.incidents.count <= Self.mostAcknowledged else {
            let link: HTML = #"<a class="button go" href="/incidents">\#(group.incidents.count.of("incident"))</a>"#
            return "\(link, if: !frame.isPublic)\(fine)"
        }
        return acknowledging(Array(ids), domains: group.domains.count, fine: fine)
    }

    private func acknowledging(_ ids: [String], domains: Int, fine: HTML?) -> HTML {
        let title = domains == 1 ? "Acknowledge" : "Acknowledge \(domains.grouped)"
        let form: HTML = """
            <details class="acknowledge" id="a-\(ids[0])"><summary class="button go">\(title)</summary>\
            <form class="write" method="post" action="/incidents/ack">\(ids.map { HTML.hidden("incident", $0) })\
            \(HTML.hidden("back", query.address))\(frame.author(needsReason: false)) \
            <button type="submit">Acknowledge</button></form></details>
            """
        return "\(form, if: frame.canWrite)\(fine)"
    }

    private func notified(_ ids: [String], at instant: Date?) -> HTML? {
        guard let known = context.notified else { return nil }
        let channels = Set(ids.flatMap { known[$0] ?? [] }).sorted()
        guard !channels.isEmpty else { return #"<p class="fine">nobody was notified</p>"# }
        let list = channels.map { $0.onOneLine(upTo: 40) }.listed(upTo: 2)
        return """
            <p class="fine">notified <bdi>\(list)</bdi>\
            \(instant.map { " at \(HTML.time($0, frame.time))" })</p>
            """
    }

    // MARK: - Rows of one line

    private func matters(_ kind: Decisions.Section, _ title: String, _ note: String) -> HTML? {
        let shared = kind == .handled ? shared { $0 != nil }.map(matter) : []
        let rows = shared + rows(kind, matter)
        return rows.isEmpty ? nil : section("\(kind.rawValue)", title, note, "matters", rows)
    }

    private func matter(_ group: Decisions.Group) -> HTML {
        let (first, time) = (group.domains[0], frame.time)
        let record = records[first.domain]
        let (what, third, fourth): (HTML, HTML, HTML)
        switch group.section {
        case .act, .handled:
            what = "\(line(group))"
            (third, fourth) = handling(group.handling, acknowledged: group.incidents.first?.id)
        case .warnings: (what, third, fourth) = ("\(line(group))", since(group), "")
        case .calm where group.status == .waiting:
            (what, third, fourth) = ("The first check has not ended yet", "", "")
        case .calm where group.isRecovering:
            what = "\(line(group))"
            (third, fourth) = (since(group), "ends if the next checks find no problem")
        case .calm:
            let version = record?.version.map { "v\($0)" } ?? "The file"
            let edges = record?.summary?.edges
            what = edges.map { "\(version) is on \($0.inSync) of \($0.asked.of("edge"))" } ?? "\(line(group))"
            let changed = record?.summary?.changedAt
            third =
                changed.map {
                    "deployed \(HTML.time(time.shown($0), time)), \(Span.words(time.since($0))) ago"
                } ?? since(group)
            let limit = changed.flatMap { changed in
                watched[first.domain].map { time.shown(changed + $0.checks.staleAfter.inSeconds) }
            }
            fourth = limit.map { "alert after \(HTML.time($0, time))" } ?? ""
        }
        return matter("d-\(first.domain.name)", names(group.domains), what, third, fourth)
    }

    private func matter(_ shared: Decisions.Shared) -> HTML {
        let report = shared.report
        let (by, until) = handling(shared.handling, acknowledged: report.id)
        return matter(
            "i-\(report.id)", shared.domains.isEmpty ? "\(report.subject.atStart)" : names(shared.domains),
            "\(report.effect ?? report.kind.rawValue)", by, until)
    }

    private func matter(_ id: String, _ names: HTML, _ what: HTML, _ third: HTML, _ fourth: HTML) -> HTML {
        """
        <li id="\(id)"><p class="who">\(names)</p><p><bdi>\(what)</bdi></p>\
        <p class="soft">\(third)</p><p class="soft">\(fourth)</p></li>

        """
    }

    /// Who acknowledged or silenced it, why, and since or until when.
    private func handling(_ handling: Decisions.Handling?, acknowledged id: String?) -> (by: HTML, until: HTML) {
        guard let handling else { return ("", "") }
        let by = handling.by.onOneLine(upTo: 60)
        let text = handling.note.isEmpty ? by : "\(by): “\(handling.note.onOneLine(upTo: 80))”"
        if let end = handling.silencedUntil {
            return ("<bdi>\(text)</bdi>", "silenced until \(HTML.time(end, frame.time))")
        }
        let at = id.flatMap { context.acknowledgements[$0]?.at }
        return (
            "<bdi>\(text)</bdi>",
            "acknowledged\(at.map { " \(HTML.time(frame.time.shown($0), frame.time))" as HTML })"
        )
    }

    // MARK: - What ended

    private var endedSection: HTML? {
        guard !ended.isEmpty else { return nil }
        let time = frame.time
        var rows = ended.prefix(Self.mostEnded).map { report -> HTML in
            let name = report.domain.flatMap { try? Domain($0) }.map(HTML.link) ?? "\(report.subject.atStart)"
            // The same words as in the list of incidents.
            let was = report.cause ?? report.effect ?? report.kind.rawValue
            let what: HTML = "\(was.inWords(upTo: Diagnosis.mostWords).withoutStop)"
            let link: HTML = #"<a href="/incidents/\#(report.id)">\#(what)</a>"#
            let end = report.resolvedAt.map { HTML.time($0, time) }
            let known = report.notified.flatMap { $0.isEmpty ? nil : $0.map { $0.onOneLine(upTo: 40) }.listed(upTo: 2) }
            return matter(
                "i-\(report.id)", name, frame.isPublic ? what : link,
                "\(Span.words(report.lasted(at: time.wall)))\(end.map { ", ended \($0)" as HTML })",
                known.map { "notified <bdi>\($0)</bdi>" } ?? "")
        }
        if ended.count > Self.mostEnded, !frame.isPublic {
            rows.append(#"<li class="more"><a href="/incidents?days=1">All ended incidents</a></li>"#)
        }
        return section("ended", "Ended in the last 24 hours", nil, "matters", rows)
    }

    // MARK: - Words

    struct Words {
        let effect: String
        let why: String?
        let action: String?
        /// Replaces `why` if causes differ.
        var causes: [(domains: [Domain], why: String)] = []
    }

    /// If the domains differ, a statement about one of them names it.
    private func words(of group: Decisions.Group) -> Words {
        let known = group.domains.prefix(Self.mostNames).compactMap { domain in
            records[domain.domain]?.summary.map {
                (domain.domain, $0.diagnosis, $0.diagnosis.inBrief(at: frame.time.wall))
            }
        }
        guard let (name, diagnosis, text) = known.first else {
            return Words(effect: group.status.word, why: nil, action: nil)
        }
        func shared(_ part: (DiagnosisText) -> String?) -> String? {
            let all = known.map { part($0.2) }
            return all.allSatisfy { $0 == all[0] } ? all[0] : all[0].map { "\(name.unicodeName): \($0)" }
        }
        let effect = Set(known.map(\.2.effect)).count == 1 ? text.effect : diagnosis.sharedEffect
        guard Set(known.map(\.1.id)).count > 1 else {
            return Words(effect: effect, why: shared(\.cause), action: shared(\.action))
        }
        var causes: [(domains: [Domain], why: String)] = []
        for (domain, _, text) in known {
            let why = text.cause ?? text.effect
            if let place = causes.firstIndex(where: { $0.why == why }) {
                causes[place].domains.append(domain)
            } else {
                causes.append(([domain], why))
            }
        }
        let isAlike = Set(known.map(\.2.action)).count == 1
        return Words(
            effect: effect, why: nil, action: isAlike ? text.action : "Fix the origins. Each domain's page says how.",
            causes: causes)
    }

    /// The text of a line: what phones do if they are affected, otherwise why.
    private func line(_ group: Decisions.Group) -> String {
        let words = words(of: group)
        let isFelt = group.status.tile.tone == .fail
        let whole = isFelt ? words.effect : words.why ?? words.effect
        let text = whole.firstSentence
        guard isFelt, group.section == .handled else { return text }
        let long = group.oldest.map { Span.words(frame.time.since($0)) }
        return [text, long].compactMap(\.self).joined(separator: ", ")
    }

    private func range(_ group: Decisions.Group) -> String {
        guard let oldest = group.oldest, let newest = group.newest else { return "" }
        let (long, short) = (Span.words(frame.time.since(oldest)), Span.words(frame.time.since(newest)))
        return long == short ? long : "\(short) to \(long)"
    }

    private func since(_ group: Decisions.Group) -> HTML {
        group.oldest.map { "since \(HTML.time(frame.time.shown($0), frame.time))" } ?? ""
    }

    // MARK: - Names

    private func names(_ domains: [TroubledDomain]) -> HTML {
        let list = Self.list(domains.prefix(Self.mostNames).map(\.domain))
        return "\(list)\(rest(of: domains).map { " \($0)" as HTML })"
    }

    private static func list(_ domains: [Domain]) -> HTML {
        let links: [HTML] = domains.map { "<span>\(HTML.link($0))</span>" }
        return "\(links.first)\(links.dropFirst().map { ", \($0)" as HTML })"
    }

    /// A link to those that are not named.
    private func rest(of domains: [TroubledDomain]) -> HTML? {
        let rest = domains.count - Self.mostNames
        guard rest > 0, let first = domains.first else { return nil }
        let (isOneStatus, isOneReason) = (
            domains.allSatisfy { $0.status == first.status }, domains.allSatisfy { $0.reason == first.reason }
        )
        let address =
            query.with {
                if isOneStatus { $0.state = first.status.rawValue }
                if isOneStatus, isOneReason { $0.reason = first.reason }
            }.address
        return #"<a class="rest" href="\#(address)">and \#(rest.grouped) more</a>"#
    }

    /// The labels that all of them have.
    private func labels(of domains: [TroubledDomain]) -> [HTML] {
        var common = domains.first.flatMap { watched[$0.domain]?.labels } ?? [:]
        for domain in domains.dropFirst() where !common.isEmpty {
            let labels = watched[domain.domain]?.labels ?? [:]
            common = common.filter { labels[$0.key] == $0.value }
        }
        return common.sorted { $0.key < $1.key }.map { key, value in
            let address = query.with { $0.label = "\(key)=\(value)" }.address
            return #"<a class="pill" href="\#(address)"><bdi>\#("\(key) \(value)".onOneLine(upTo: 60))</bdi></a>"#
        }
    }
}
