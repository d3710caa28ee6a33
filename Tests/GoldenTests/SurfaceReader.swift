// Reads what each surface printed for one state. It parses only the output.

import Foundation
import Stage
import TestSupport

struct SurfaceReader {
    private(set) var said = Statements()
    private let files: [String: String]
    /// The surface that is read.
    private var surface = ""

    init(_ files: [String: String]) throws {
        self.files = files
        try readJSON()
        readCommands()
        readPages()
        readNumbers()
        try readMessages()
    }

    private mutating func reading(_ name: String, _ read: (inout Self, String) throws -> Void) rethrows {
        guard let text = files[name], !text.hasPrefix("status 404") else { return }
        surface = name
        try read(&self, text)
    }

    private mutating func say(_ subject: String, _ property: Property, _ value: Said?) {
        said.add(surface, subject, property, value)
    }

    private mutating func say(_ subject: String, _ property: Property, _ text: (some StringProtocol)?) {
        if let text { say(subject, property, .text(String(text))) }
    }

    private mutating func say(_ subject: String, _ property: Property, at text: (some StringProtocol)?) {
        if let text { say(subject, property, WrittenTime.read(text).map(Said.within)) }
    }

    /// The ids of a domain's incidents on a surface.
    private mutating func say(_ domain: String, _ incidents: [(id: String, state: String)]) {
        say(domain, .incidents, .all(Set(incidents.map(\.id))))
        say(domain, .confirmed, .all(Set(incidents.filter { $0.state != "pending" }.map(\.id))))
    }

    // MARK: - JSON

    private mutating func readJSON() throws {
        try reading("api-domains.json") { $0.domains(try JSONValue($1)["domains"].elements) }
        try reading("api-domain.json") { $0.domains([try JSONValue($1)]) }
        try reading("status.json") { $0.domains(try JSONValue($1).elements) }
        try reading("api-incidents.json") { $0.incidents(try JSONValue($1)["incidents"].elements) }
        try reading("api-incident.json") { $0.incidents([try JSONValue($1)]) }
        try reading("history.json") { $0.incidents(try JSONValue($1)["incidents"].elements) }
        try reading("api-domains.json") { reader, text in
            let states = try JSONValue(text)["domains"].elements.compactMap { $0["comparison"]["state"].string }
            reader.say("all", .domains, .all(Self.counted(states)))
        }
        try reading("api-incidents.json") { reader, text in
            let open = try JSONValue(text)["incidents"].elements.filter { $0["resolved_at"] == .null }
            let kinds = open.map { "\($0["kind"].string ?? "") \($0["severity"].string ?? "")" }
            reader.say("all", .counts, .all(Self.counted(kinds)))
        }
    }

    private static func counted(_ texts: [String]) -> Set<String> {
        Set(Dictionary(grouping: texts) { $0 }.map { "\($0.key) \($0.value.count)" })
    }

    private mutating func domains(_ domains: [JSONValue]) {
        for domain in domains {
            let name = domain["domain"].string ?? ""
            say(name, .level, domain["verdict"].string)
            say(name, .effect, domain["effect"].string)
            let found = domain["incidents"].elements
            incidents(found)
            say(name, found.map { (id: Self.short($0["id"].string ?? ""), state: $0["state"].string ?? "") })
        }
    }

    private static func short(_ id: some StringProtocol) -> String { String(id.prefix(12)) }

    private mutating func incidents(_ incidents: [JSONValue]) {
        for incident in incidents {
            let id = Self.short(incident["id"].string ?? "")
            say(id, .kind, incident["kind"].string)
            say(id, .severity, incident["severity"].string)
            say(id, .state, incident["state"].string)
            say(id, .since, at: incident["since"].string)
            say(id, .fired, at: incident["fired_at"].string)
            if incident["resolved_at"] == .null { say(id, .effect, incident["effect"].string) }
            if let notified = incident["notified"].present, notified != .null {
                say(id, .notified, .all(Set(notified.elements.compactMap(\.string))))
            }
            guard incident["resolved_at"] == .null, incident["acknowledged"].present != nil else { continue }
            let marks = [
                incident["is_flapping"] == .bool(true) ? "flapping" : nil,
                incident["inhibited_by"].string.map { "inhibited by \($0)" },
                incident["silenced_until"].string.map { "silenced until \($0)" },
                incident["acknowledged"]["by"].string.map { "acknowledged by \($0)" },
            ]
            say(id, .marks, .all(Set(marks.compactMap(\.self).compactMap(Self.mark))))
        }
    }

    // MARK: - Words of an incident

    /// A mark, with its instant to the minute; nil for anything else.
    private static func mark(_ words: some StringProtocol) -> String? {
        let words = words.trimmingCharacters(in: .whitespaces)
        if let found = words.wholeMatch(of: /silenced until (.+)/) {
            return WrittenTime.read(found.1).map { "silenced until \($0.lowerBound.ISO8601Format().prefix(16))" }
        }
        if let found = words.wholeMatch(of: /[Aa]cknowledged by ([^:,]+?)(?: at .+|[:,].*)?/) {
            return "acknowledged by \(found.1)"
        }
        return words == "flapping" || words.hasPrefix("inhibited by ") ? words : nil
    }

    /// `cdn.stale firing since 7 h ago, wrong since 31 h ago · silenced until … · notified ops · incident
    /// ab9b5ae99bdb`, and the parts in between.
    private mutating func phrase(_ parts: [String], id known: String? = nil) -> (id: String, state: String)? {
        let named = parts.lazy.compactMap { $0.wholeMatch(of: /incident ([0-9a-f]{12})[0-9a-f]*/).map { String($0.1) } }
        guard let id = known ?? named.first else { return nil }
        say(id, .marks, .all(Set(parts.compactMap(Self.mark))))
        let channels = parts.lazy.compactMap { $0.wholeMatch(of: /notified (.+)/).map { $0.1 } }.first
        say(id, .notified, .all(Set((channels ?? "").split(separator: ", ").map(String.init))))
        var state = "pending"
        for part in parts {
            if let found = part.firstMatch(of: /(pending|firing|recovering) since (.+?)(?:, wrong since (.+))?$/) {
                state = String(found.1)
                since(id, state, found.2, found.3)
            }
        }
        say(id, .state, state)
        return (id, state)
    }

    /// If the beginning is left out, it is at most ten minutes before.
    private mutating func since(_ id: String, _ state: String, _ shown: Substring, _ wrong: Substring?) {
        // Its age may follow the instant.
        func instant(_ text: Substring) -> ClosedRange<Date>? { WrittenTime.read(text.prefix { $0 != "(" }) }
        if state == "pending" {
            say(id, .since, instant(shown).map(Said.within))
            return
        }
        say(id, .fired, instant(shown).map(Said.within))
        let began = wrong.flatMap(instant) ?? instant(shown).map { ($0.lowerBound - 600)...$0.upperBound }
        say(id, .since, began.map(Said.within))
    }

    /// `cdn.stale firing ab9b5ae99bdb (silenced until …, acknowledged by eva)`.
    private mutating func briefs(_ text: some StringProtocol) -> [(id: String, state: String)] {
        let brief = /([a-z]+\.[a-z]+) (pending|firing|recovering) ([0-9a-f]{12})(?: \((.*?)\))?/
        return String(text).matches(of: brief).map { found in
            let id = String(found.3)
            say(id, .kind, found.1)
            say(id, .state, found.2)
            let notes = (found.4 ?? "").split(separator: ", ")
            say(id, .marks, .all(Set(notes.compactMap(Self.mark))))
            return (id, String(found.2))
        }
    }

    // MARK: - The command line

    private static let levels = [
        "FAILING": "failing", "WARNING": "warning", "UNKNOWN": "unknown", "OK": "ok", "CRITICAL": "failing",
    ]

    /// `links.example.com  FAILING  Links open the website, not the app.`
    private static func head(_ line: Substring) -> (level: String?, name: String, words: Substring)? {
        line.wholeMatch(of: /(\S+)  +(FAILING|WARNING|UNKNOWN|WAITING|OK)  +(.*)/).map {
            (levels[String($0.2)], String($0.1), $0.3)
        }
    }

    private mutating func readCommands() {
        reading("status.txt") { $0.status($1) }
        reading("status-short.txt") { reader, text in
            for line in text.split(separator: "\n") {
                if let found = line.wholeMatch(of: /([a-z]+\.[a-z]+)  (\w+ since .+)/) {
                    reader.kind(found.1, of: reader.phrase(Self.parts(found.2)))
                }
                guard let (level, name, words) = Self.head(line) else { continue }
                reader.say(name, .level, level)
                reader.say(name, reader.briefs(words))
            }
        }
        reading("status.nagios.txt") { $0.plugin($1) }
        reading("incidents.txt") { reader, text in
            let head = /([0-9a-f]{12})  (error|warning|note)  ([a-z]+\.[a-z]+)(?: of \S+)?  (.+)/
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            for (line, next) in zip(lines, lines.dropFirst() + [""]) {
                guard let found = line.wholeMatch(of: head) else { continue }
                let id = String(found.1)
                reader.say(id, .severity, found.2)
                reader.say(id, .kind, found.3)
                if found.4.hasPrefix("resolved") {
                    reader.say(id, .since, at: found.4.firstMatch(of: /\ since (.+? UTC)/)?.1)
                } else {
                    _ = reader.phrase(Self.parts(found.4), id: id)
                    if let effect = next.wholeMatch(of: /\ +now   (.+)/) { reader.say(id, .effect, effect.1) }
                }
            }
        }
        reading("history.txt") { reader, text in
            let row =
                /\ \ (\d{4}-\d\d-\d\d \d\d:\d\d)  (error|warning|note)  ([a-z]+\.[a-z]+)  (.+?)  ([0-9a-f]{12})(.*)/
            for line in text.split(separator: "\n") {
                guard let found = line.wholeMatch(of: row) else { continue }
                let id = String(found.5)
                reader.say(id, .since, at: found.1)
                reader.say(id, .severity, found.2)
                reader.say(id, .kind, found.3)
                guard !found.4.hasPrefix("resolved") else { continue }
                let notes = found.6.split(separator: "  ").map(String.init)
                reader.say(id, .marks, .all(Set(notes.compactMap(Self.mark))))
                reader.say(id, .state, found.4)
            }
        }
    }

    private static func parts(_ text: some StringProtocol) -> [String] {
        String(text).split(separator: " · ").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    private mutating func kind(_ kind: Substring, of incident: (id: String, state: String)?) {
        if let incident { say(incident.id, .kind, kind) }
    }

    /// The overview: paragraphs for a domain, for several with one cause, and for shared incidents; then a line for
    /// each calm domain.
    private mutating func status(_ text: String) {
        var open: [String: [(id: String, state: String)]] = [:]
        for paragraph in text.split(separator: "\n\n") {
            let lines = paragraph.split(separator: "\n")
            if let (_, name, effect) = Self.head(lines[0]), name.wholeMatch(of: /[a-z]+\.[a-z]+/) != nil {
                let incident = phrase(Self.parts(lines.last ?? ""))
                kind(name[...], of: incident)
                if let incident { say(incident.id, .effect, effect) }
                continue
            }
            let group = lines[0].wholeMatch(of: /\d+ domains  (FAILING|WARNING|UNKNOWN)  (As \S+: )?(.*)/)
            var name = ""
            for line in lines {
                var rest = line
                if let (level, found, words) = Self.head(line) {
                    name = found
                    say(name, .level, level)
                    open[name, default: []] += []
                    // A healthy domain has a line without an effect.
                    if let level, level != "ok" { say(name, .effect, words) }
                } else if let group, let found = line.wholeMatch(of: /\ {4}(\S+)  +(.*)/), found.1.contains(".") {
                    name = String(found.1)
                    rest = found.2
                    open[name, default: []] += []
                    say(name, .level, Self.levels[String(group.1)])
                    if group.2 == nil { say(name, .effect, group.3) }
                }
                let start = #/(?:^|· ) *([a-z]+\.[a-z]+) (?:pending|firing|recovering) since /#
                let starts = rest.matches(of: start)
                for (index, found) in starts.enumerated() {
                    let end = index + 1 < starts.count ? starts[index + 1].range.lowerBound : rest.endIndex
                    guard let incident = phrase(Self.parts(rest[found.range.lowerBound..<end])) else { continue }
                    kind(found.1, of: incident)
                    open[name, default: []].append(incident)
                }
            }
        }
        for (name, incidents) in open { say(name, incidents) }
    }

    /// One line per domain, or all domains on the first line.
    private mutating func plugin(_ text: String) {
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("exit code") }
        guard let first = lines.first?.split(separator: "|")[0] else { return }
        for found in first.matches(of: /([a-z]+\.[a-z]+ \w+ [0-9a-f]{12}(?: \([^)]*\))?): ([^;|]+)/) {
            guard let incident = briefs(found.1).first else { continue }
            say(incident.id, .effect, found.2)
        }
        var entries = lines.dropFirst().compactMap { line in
            line.wholeMatch(of: /(OK|WARNING|CRITICAL|UNKNOWN): (\S+): (.*)/).map { ($0.2, $0.1, $0.3) }
        }
        if entries.isEmpty, let found = first.wholeMatch(of: /AASA (\w+) - (?:.*; )?(\S+\.example\.com): (.*)/) {
            let isAlone = first.hasPrefix("AASA \(found.1) - \(found.2)")
            entries = [(found.2, isAlone ? found.1 : "", found.3)]
        }
        for (name, level, words) in entries {
            say(
                String(name), .level,
                Self.levels[String(level)].flatMap { words.hasPrefix("The first check") ? nil : $0 })
            say(String(name), briefs(words))
            guard let effect = said.value(String(name), .effect, on: "api-domains.json") else { continue }
            // The effect ends with a full stop, as other sentences do, so its end is not clear.
            if case .text(let known) = effect {
                say(String(name), .effect, words.hasPrefix(known) ? known : String(words))
            }
        }
    }

    // MARK: - Pages

    private static let tones = [
        "fail": "failing", "warn": "warning", "soft": "unknown", "ok": "ok", "prog": "ok",
    ]
    private static let severities = ["fail": "error", "warn": "warning"]

    private mutating func readPages() {
        reading("page-domains.html") { reader, page in
            // If somebody must act, the row says what phones do, and who was notified of the incidents. Its colour
            // follows the effect, not the level.
            for row in Self.pieces(page, from: #"<li id="d-"#, to: #"<div id="single"#) {
                guard let head = row.firstMatch(of: /^([^"]+)" class="\w+-edge"/) else { continue }
                let name = String(head.1)
                if let effect = row.firstMatch(of: /<strong class="\w+">([^\n]+)/) {
                    reader.say(name, .effect, Self.words(effect.1))
                }
                let ids = row.matches(of: /name="incident" value="([0-9a-f]{12})/).map { String($0.1) }
                let channels = row.firstMatch(of: /notified␣\s*<bdi>([^\n]+)/).map { Self.words($0.1) } ?? ""
                for id in ids {
                    reader.say(id, .notified, .all(Set(channels.split(separator: ", ").map(String.init))))
                }
            }
        }
        reading("page-domain.html") { reader, page in
            let name = StageState.domain
            reader.say(
                name, .level, page.firstMatch(of: /<p class="badge (\w+)">/).flatMap { Self.tones[String($0.1)] })
            if let title = page.firstMatch(of: /<h2 class="effect">([\s\S]*?)<(?:p class="why"|div class="steps")/) {
                let paths = page.firstMatch(of: /<bdi class="paths">([^\n]+)/).map { ": \(Self.words($0.1))" }
                reader.say(name, .effect, Self.words(title.1) + (paths ?? "."))
            }
            var open: [(id: String, state: String)] = []
            for head in Self.pieces(page, from: #"<div class="incident">"#, to: #"<p class="fine">"#) {
                guard let found = head.firstMatch(of: /\/incidents\/([0-9a-f]{12})[^>]*>\s*<b class="(\w+)">([a-z.]+)/)
                else {
                    continue
                }
                let (id, text) = (String(found.1), Self.words(head))
                let state = text.firstMatch(of: /(firing|recovering|pending)/).map { String($0.1) } ?? ""
                open.append((id, state))
                reader.say(id, .kind, found.3)
                reader.say(id, .state, state)
                reader.say(id, .severity, Self.severities[String(found.2)])
                reader.say(
                    id, .fired, at: text.firstMatch(of: /(?:firing|recovering) since ((?:\d+ \w+ )?\d\d:\d\d)/)?.1)
                reader.say(id, .since, at: text.firstMatch(of: /(?:wrong|·) since ((?:\d+ \w+ )?\d\d:\d\d)/)?.1)
                reader.say(id, .marks, .all(Set(Self.parts(text).compactMap(Self.mark))))
            }
            reader.say(name, open)
        }
        reading("page-incident.html") { reader, page in
            let facts = page.matches(of: /<dt>([^\n]+)\s*<dd>([\s\S]*?)(?=<div>|<section|<form|$)/).map {
                (Self.words($0.1), Self.words($0.2))
            }
            let fact = Dictionary(facts) { first, _ in first }
            guard let id = fact["Identifier"].map(Self.short) else { return }
            let state = (fact["State"] ?? "").prefix { $0.isLetter }
            reader.say(id, .state, state)
            reader.say(id, .kind, page.firstMatch(of: /<\/svg>␣([a-z]+\.[a-z]+)/)?.1)
            reader.say(id, .severity, fact["Severity"])
            reader.say(id, .since, at: fact["Trouble since"])
            reader.say(id, .fired, at: fact["Confirmed"])
            guard state != "resolved" else { return }
            reader.say(id, .effect, fact["What phones do"])
            let marks = Self.parts(fact["Notifications"] ?? "") + [fact["Acknowledged"] ?? ""]
            reader.say(id, .marks, .all(Set(marks.compactMap(Self.mark))))
        }
        reading("page-incidents.html") { reader, page in
            for row in Self.pieces(page, from: #"<tr role="row" id="i-"#, to: "<p class=\"pager\">") {
                guard let head = row.firstMatch(of: /^([0-9a-f]{12})[^"]*"(?: class="(\w+)")?/) else { continue }
                let (id, text) = (String(head.1), Self.words(row))
                reader.say(id, .severity, Self.severities[String(head.2 ?? "")])
                let kind = row.firstMatch(of: /<a href="\/incidents\/[0-9a-f]+"[^>]*>([a-z]+\.[a-z]+)/)
                reader.say(id, .kind, kind?.1)
                reader.say(id, .since, at: text.firstMatch(of: /\ since ((?:\d+ \w+ )?\d\d:\d\d)/)?.1)
                guard text.contains("since ") else { continue }
                let acknowledged = text.firstMatch(of: /Acknowledged by [^,]+/).map { Self.words($0.0) }
                let notes = row.matches(of: /<bdi>([^\n<]+)/).map { Self.words($0.1) } + [acknowledged ?? ""]
                reader.say(id, .marks, .all(Set(notes.flatMap(Self.parts).compactMap(Self.mark))))
                let notified = notes.compactMap { $0.wholeMatch(of: /notified (.+)/) }.first?.1
                reader.say(id, .notified, .all(Set((notified ?? "").split(separator: ", ").map(String.init))))
            }
        }
        reading("badge.svg") { reader, image in
            let fills = image.matches(of: /fill="(#\w+)"/).map { String($0.1) }
            guard fills.count > 1, !image.contains("not checked") else { return }
            let colours = [
                "#b3211b": "failing", "#855000": "warning", "#175cae": "ok", "#1c6e3e": "ok", "#565f6b": "unknown",
            ]
            reader.say(StageState.domain, .level, colours[fills[1]])
        }
    }

    /// The text after each `start`, up to the next one or to `end`.
    private static func pieces(_ text: some StringProtocol, from start: String, to end: String?) -> [String] {
        String(text).components(separatedBy: start).dropFirst().map { piece in
            end.flatMap { piece.firstRange(of: $0) }.map { String(piece[..<$0.lowerBound]) } ?? piece
        }
    }

    /// The text without tags.
    private static func words(_ html: some StringProtocol) -> String {
        let entities = [("&#39;", "'"), ("&quot;", "\""), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")]
        let text = String(html).replacing(/<[^>]*>/, with: " ").replacing("␣", with: " ")
        return entities.reduce(text) { $0.replacing($1.0, with: $1.1) }.replacing(/\s+/, with: " ")
            .trimmingCharacters(in: .whitespaces)
    }

    // MARK: - Metrics

    private mutating func readNumbers() {
        reading("metrics.txt") { reader, text in
            let open = text.matches(of: /aasa_incidents_open\{kind="([^"]+)",severity="(\w+)"\} (\d+)/)
            reader.say("all", .counts, .all(Set(open.filter { $0.3 != "0" }.map { "\($0.1) \($0.2) \($0.3)" })))
            let domains = text.matches(of: /aasa_domains\{state="(\w+)"\} (\d+)/)
            reader.say("all", .domains, .all(Set(domains.filter { $0.2 != "0" }.map { "\($0.1) \($0.2)" })))
        }
    }

    // MARK: - Messages

    /// The last message of each incident: its marks and state were true when it was sent.
    private mutating func readMessages() throws {
        try reading("webhook.txt") { reader, text in
            var last: [String: JSONValue] = [:]
            for message in Self.bodies(text) {
                let data = try JSONValue(message)["data"]
                for incident in [data["incident"]] + data["incidents"].elements {
                    last[incident["id"].string ?? ""] = data["incident"].present == nil ? .absent : data
                }
            }
            for (id, data) in last where !id.isEmpty && data["incident"]["resolved_at"] == .null {
                let (id, incident) = (Self.short(id), data["incident"])
                reader.say(id, .kind, incident["kind"].string)
                reader.say(id, .severity, incident["severity"].string)
                reader.say(id, .since, at: incident["since"].string)
                reader.say(id, .fired, at: incident["fired_at"].string)
                reader.say(id, .effect, data["effect"].string)
            }
        }
        try reading("slack.txt") { reader, text in
            var last: [String: String] = [:]
            for message in Self.bodies(text) {
                let ids = message.matches(of: /incident ([0-9a-f]{32})/).map { String($0.1) }
                if ids.count == 1, let id = ids.first { last[id] = message }
            }
            for (id, message) in last {
                let (id, json) = (Self.short(id), try JSONValue(message))
                let foot = /since (\d{4}-\d\d-\d\d \d\d:\d\d UTC)[^"]* · (error|warning|note) · ([a-z]+\.[a-z]+)"/
                // RESOLVED has no severity.
                guard let found = message.firstMatch(of: foot) else { continue }
                reader.say(id, .since, at: found.1)
                reader.say(id, .severity, found.2)
                reader.say(id, .kind, found.3)
                // What phones do follows the domain, and is repeated if the text is longer.
                let body = json["attachments"][0]["blocks"][0]["text"]["text"].string ?? "*"
                let brief = json["text"].string?.firstMatch(of: /: (.+?)\*?$/).map {
                    "\($0.1.prefix(1).uppercased())\($0.1.dropFirst())."
                }
                reader.say(id, .effect, body.hasPrefix("*") ? brief : body)
            }
        }
    }

    private static func bodies(_ text: String) -> [String] {
        text.components(separatedBy: "\n\nPOST ").compactMap { message in
            message.firstRange(of: "\n\n").map { String(message[$0.upperBound...]) }
        }
    }
}
