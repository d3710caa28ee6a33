import AASA
import ArgumentParser
import Evidence

/// `aasa-monitor diff SOURCE SOURCE`: what differs in meaning, and which URLs change behaviour.
struct DiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Compare two files in meaning: what differs, and which URLs change behaviour.",
        discussion: """
            A SOURCE is a path, - for standard input, a domain (its origin is read), or cdn:DOMAIN (Apple's copy): \
            'aasa-monitor diff cdn:example.com example.com' tells what phones do not have yet. Exits with 1 where the two \
            differ in meaning, be it in a comment; formatting alone does not count. Exits with 65 where one of them or both are \
            not an association file, even where they are equal: devices then take nothing from it.
            """)

    @Argument(help: ArgumentHelp("The older file.", valueName: "old-source"), completion: .file())
    var old: String

    @Argument(help: ArgumentHelp("The newer file.", valueName: "new-source"), completion: .file())
    var new: String

    @Option(help: "text or json.")
    var format = Format.text

    @OptionGroup var color: ColorOption
    @OptionGroup var network: NetworkOptions
    @OptionGroup var configuration: ConfigurationOptions

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

    func run() async throws {
        let reader = SourceReader(network: network, configuration: configuration)
        let texts = try await reader.read([old, new])
        let areSameBytes = texts[0].bytes == texts[1].bytes
        let contents = try texts.map { text in try content(of: text, areSameBytes: areSameBytes) }
        for case .nothing(let reason)? in contents { Console.remark(reason) }
        let difference =
            areSameBytes
            ? FileDifference(ofEqualBytes: texts.map(\.name))
            : FileDifference(old: contents[0]?.file, new: contents[1]?.file, names: texts.map(\.name))
        show(difference)
        for case .nothing? in contents { throw MonitorExit.notAFile.code }
        if !areSameBytes, !difference.isEmpty { throw MonitorExit.found.code }
    }

    /// nil: it is not known what devices make of it, nor does it matter. Two equal texts do not differ, whatever they are.
    private func content(of text: SourceText, areSameBytes: Bool) throws -> SourceText.Content? {
        do {
            return try text.content()
        } catch let failure as CommandFailure where areSameBytes {
            Console.remark(failure.message)
            return nil
        }
    }

    private func show(_ difference: FileDifference) {
        switch format {
        case .text: Console.print(difference.text(style: .standardOutput))
        case .json: Console.print(difference.json.text(isPretty: true))
        }
    }
}

/// What `diff` says.
struct FileDifference {
    let names: [String]
    let areSameBytes: Bool
    /// Which of the two sources devices take nothing from.
    let isNothing: [Bool]
    let changes: AssociationComparison
    let behaviour: BehaviourComparison
    /// What changes on a phone: each URL with the app that gains or loses it. An exclusion and no match are the same there.
    let openings: [BehaviourChange]
    /// How many more there are than are listed: a file may name thousands of apps.
    let moreOpenings: Int
    let rules: ChangedRules
    /// What is to be known of the URLs of `openings`.
    let remarks: [String: Remarks]
    let services: [ServiceChange]
    let order: OrderComparison
    let otherReadings: OtherReadings

    init(old: AssociationFile?, new: AssociationFile?, names: [String]) {
        self.names = names
        areSameBytes = false
        isNothing = [old == nil, new == nil]
        if let old, let new {
            changes = AssociationDiff.compare(old.document, new.document)
        } else {
            changes = AssociationComparison(changes: [], total: 0)
        }
        behaviour = BehaviourDiff.compare(old?.applinks, new?.applinks)
        let known = behaviour.changes.filter(\.isSeenOnPhone)
        rules = ChangedRules(old?.applinks, new?.applinks, besides: known)
        let all = known + rules.changes
        openings = Array(all.prefix(Self.maximumOpenings))
        moreOpenings = all.count - openings.count
        var remarks: [String: Remarks] = [:]
        let meter = WorkMeter(.standard)
        for change in openings where remarks[change.example] == nil {
            remarks[change.example] = Remarks(on: change.example, old?.applinks, new?.applinks, meter)
        }
        self.remarks = remarks
        services = ServiceChange.all(from: old, to: new)
        order = OrderDiff.compare(old?.applinks, new?.applinks)
        otherReadings = OtherReadings(old?.applinks, new?.applinks, besides: behaviour)
    }

    /// Two files of the same bytes, which need not be read.
    init(ofEqualBytes names: [String]) {
        self.names = names
        areSameBytes = true
        isNothing = [false, false]
        changes = AssociationComparison(changes: [], total: 0)
        behaviour = .ofEqualFiles
        openings = []
        moreOpenings = 0
        rules = .ofEqualFiles
        remarks = [:]
        services = []
        order = .ofEqualFiles
        otherReadings = .ofEqualFiles
    }

    private static let maximumOpenings = 1_000
    /// Of a list of names in a line, and of services in the text.
    private static let maximumNames = 20

    /// Whether the two mean the same.
    var isEmpty: Bool { changes.isEmpty && !isNothing.contains(true) }

    func text(style: TextStyle) -> String {
        if areSameBytes { return "the two files are the same, byte for byte" }
        if isEmpty { return "the two files differ in formatting only; they mean the same" }
        var lines = ["\(style.bold("from")) \(names[0].displayable)  \(style.bold("to")) \(names[1].displayable)", ""]
        for (name, isNothing) in zip(names, isNothing) where isNothing {
            lines.append("  devices take nothing from \(name.displayable)")
        }
        lines += changes.changes.map { "  \(Self.mark($0.kind)) \($0.summary.displayable.shortened(to: 200))" }
        let unlisted = changes.total - changes.changes.count
        if unlisted > 0 { lines.append("  and \(unlisted.of("more change", "more changes"))") }
        lines.append("")
        if openings.isEmpty { lines.append(nothingChanges) }
        if !openings.isEmpty || !services.isEmpty { lines.append("what changes on a phone") }
        var example: String?
        let sorted = openings.sortedByExample
        for (index, change) in sorted.enumerated() {
            if change.example != example { lines.append("  \(style.bold(change.example.displayable))") }
            example = change.example
            lines.append(
                "      \(change.appID.displayable): \(Self.words(change.from)) before, \(Self.words(change.to)) now")
            guard index + 1 == sorted.count || sorted[index + 1].example != change.example else { continue }
            let gaining = sorted.filter { $0.example == change.example && $0.to == .opens }.map(\.appID)
            lines += remarks[change.example]?.lines(style, besides: gaining) ?? []
        }
        if moreOpenings > 0 { lines.append("  and \(moreOpenings.grouped) more apps and URLs") }
        lines += moreRules
        lines += services.prefix(50).map { "  \($0.words)" }
        if services.count > 50 { lines.append("  and \((services.count - 50).grouped) more apps of services") }
        lines += orderLines(style) + otherReadingLines(style)
        if !behaviour.isComplete {
            lines.append(
                "not decided to the end for \(Self.list(behaviour.incompleteApps)): the rules are too many or too complex to "
                    + "prove it; the examples shown are real")
        }
        return lines.joined(separator: "\n")
    }

    private static func list(_ names: [String]) -> String {
        let shown = names.prefix(maximumNames).map { $0.displayable.shortened(to: 200) }.joined(separator: ", ")
        return names.count > maximumNames ? "\(shown) and \((names.count - maximumNames).grouped) more" : shown
    }

    private var moreRules: [String] {
        let count = rules.more == 1 ? "1 more rule" : "\(rules.more) more rules"
        return switch (rules.more, rules.isComplete) {
        case (0, true): []
        case (0, false): ["  (too many rules changed to look for an example of each)"]
        case (_, true): ["  and \(count)"]
        case (_, false): ["  and at least \(count)"]
        }
    }

    /// Where no app gains or loses a URL, the order of the apps may still turn: only both proofs together say that all URLs
    /// open what they opened.
    private var nothingChanges: String {
        let isOrderKept = order.changes.isEmpty && order.isComplete
        let systems = otherReadings.contested.isEmpty ? "on iOS 13 and later" : "on iOS 13 and later, as read here"
        return switch (behaviour.isComplete, isOrderKept) {
        case (true, true): "no URL changes what it opens \(systems) (proven for all URLs)"
        case (true, false): "no app gains or loses a URL \(systems) (proven for all URLs)"
        case (false, _): "no URL was found that an app gains or loses"
        }
    }

    private func orderLines(_ style: TextStyle) -> [String] {
        guard !order.changes.isEmpty else { return [] }
        var lines = ["which of several apps is asked first, where all of them are installed"]
        for change in order.changes {
            let turned = change.turned
            let (before, after) = (turned.before.displayable, turned.after.displayable)
            lines.append("  \(style.bold(change.example.displayable))")
            lines.append(
                turned.place == 0
                    ? "      \(before) before, \(after) now"
                    : "      \(before) ahead of \(after) before, behind it now")
        }
        lines.append(
            "  (Apple documents that the first in the file is asked first; on iOS 15 the last was once reported to win)"
        )
        return lines
    }

    /// Where a proof ends: readings that Apple does not document, and systems that read less of the files.
    private func otherReadingLines(_ style: TextStyle) -> [String] {
        var lines: [String] = []
        func add(_ change: BehaviourChange) {
            lines.append("  \(style.bold(change.example.displayable))")
            lines.append(
                "      \(change.appID.displayable): \(Self.words(change.from)) before, \(Self.words(change.to)) now")
        }
        for point in ContestedPoint.allCases {
            let changes = otherReadings.contested.filter { $0.point == point }
            guard !changes.isEmpty else { continue }
            lines.append("what changes where a device reads the files in another way")
            for change in changes { add(change.change) }
            lines += style.wrapped("not documented by Apple: " + point.explanation, indentation: 6, hanging: 6)
        }
        if !otherReadings.olderSystems.isEmpty {
            lines.append(
                "what changes on iOS 12 and older, which read 'appID' and 'paths' alone and want an 'apps' list")
            for change in otherReadings.olderSystems { add(change) }
        }
        return lines
    }

    private static func json(_ change: BehaviourChange) -> [(String, OrderedJSON)] {
        [
            ("app", .string(change.appID)), ("from", .string(change.from.rawValue)),
            ("to", .string(change.to.rawValue)), ("example", .string(change.example)),
        ]
    }

    var json: OrderedJSON {
        .object([
            ("schema", .string("aasa-monitor/diff/v1")),
            ("sources", .array(names.map { .string($0) })),
            ("bytes_equal", .bool(areSameBytes)),
            ("meaning_equal", .bool(isEmpty)),
            (
                "changes",
                .array(
                    changes.changes.map {
                        .object([
                            ("kind", .string($0.kind.rawValue)), ("summary", .string($0.summary)),
                            ("pointer", .string($0.pointer)),
                        ])
                    })
            ),
            ("changes_total", .integer(changes.total)),
            (
                "behaviour",
                .array(
                    openings.map { change in
                        let remarks = remarks[change.example]
                        func app(_ id: String?) -> OrderedJSON { id.map(OrderedJSON.string) ?? .null }
                        return .object(
                            Self.json(change) + [
                                ("opened_before_by", app(remarks?.before)), ("opened_now_by", app(remarks?.after)),
                                ("contested", .array((remarks?.contested ?? []).map { .string($0.rawValue) })),
                            ])
                    })
            ),
            ("more_behaviour", .integer(moreOpenings)), ("more_rules", .integer(rules.more)),
            ("behaviour_complete", .bool(behaviour.isComplete)),
            (
                "services",
                .array(
                    services.map {
                        .object([
                            ("service", .string($0.service)), ("app", .string($0.app)), ("is_on", .bool($0.isOn)),
                        ])
                    })
            ),
            ("taken_by_devices", .array(isNothing.map { .bool(!$0) })),
            (
                "order",
                .array(
                    order.changes.map {
                        .object([
                            ("example", .string($0.example)), ("from", .array($0.before.map { .string($0) })),
                            ("to", .array($0.after.map { .string($0) })),
                        ])
                    })
            ),
            ("order_complete", .bool(order.isComplete)),
            (
                "other_readings",
                .array(
                    otherReadings.contested.map {
                        .object([("point", .string($0.point.rawValue))] + Self.json($0.change))
                    })
            ),
            ("ios_12", .array(otherReadings.olderSystems.map { .object(Self.json($0)) })),
        ])
    }

    private static func mark(_ kind: AssociationChange.Kind) -> String {
        switch kind {
        case .added: "+"
        case .removed: "-"
        case .changed: "~"
        case .moved: "↕"
        }
    }

    private static func words(_ behaviour: LinkBehaviour) -> String {
        switch behaviour {
        case .opens: "opened by the app"
        case .blocked: "excluded"
        case .notMatched: "not matched"
        }
    }
}

extension [BehaviourChange] {
    /// Those of one URL side by side, the URLs in the order of their first appearance.
    fileprivate var sortedByExample: [BehaviourChange] {
        var places: [String: Int] = [:]
        for change in self where places[change.example] == nil { places[change.example] = places.count }
        return enumerated().sorted {
            (places[$0.element.example] ?? 0, $0.offset) < (places[$1.element.example] ?? 0, $1.offset)
        }.map(\.element)
    }
}

// What `diff` says beside the rules: of an example, and of services.
extension FileDifference {
    /// What is to be known of an example before it is believed.
    struct Remarks {
        /// The points on which sources disagree.
        let contested: [ContestedPoint]
        /// What looks like a wildcard in the rules that decide, and is none: nobody visits such a URL.
        let literals: [String]
        /// The app that is asked first; nil where no app opens it.
        let before: String?
        let after: String?

        init(on example: String, _ old: AppLinks?, _ new: AppLinks?, _ meter: WorkMeter) {
            guard let url = MatchableURL(example) else {
                (contested, literals, before, after) = ([], [], nil, nil)
                return
            }
            guard !meter.isExhausted else {
                (contested, literals, before, after) = ([.notChecked], [], nil, nil)
                return
            }
            let (was, now) = (old?.match(url, meter: meter), new?.match(url, meter: meter))
            let results = [was, now].compactMap(\.self)
            let points = results.flatMap { $0.contested(meter: meter) }
            contested = ContestedPoint.allCases.filter(points.contains)
            let parts = results.flatMap(\.attempts).filter { $0.mismatch == nil }.compactMap(\.rule.literalNotation)
            literals = Array(Set(parts.map(\.written))).sorted()
            before = was?.opens
            after = now?.opens
        }

        /// `gaining`: the apps of which it is said already that they open it now.
        func lines(_ style: TextStyle, besides gaining: [String]) -> [String] {
            var lines: [String] = []
            // The first of two apps is gone: the second opens what it opened behind it.
            if let before, let after, before != after, !gaining.contains(after) {
                lines.append("      \(after.displayable): opens it now, in place of \(before.displayable)")
            }
            let literals = literals.map {
                "\($0.displayable.shortened(to: 80)) is no wildcard: devices compare it as it stands"
            }
            return lines
                + (literals + contested.map { "not documented by Apple: " + $0.explanation }).flatMap {
                    style.wrapped($0, indentation: 6, hanging: 6)
                }
        }
    }
}

/// An app that a service other than applinks names in one of the two files only.
struct ServiceChange {
    let service: String
    let app: String
    /// Whether the newer file names it.
    let isOn: Bool

    static func all(from old: AssociationFile?, to new: AssociationFile?) -> [ServiceChange] {
        func apps(_ file: AssociationFile?) -> [String: [String]] {
            Dictionary(
                (file?.services ?? []).filter(\.isKnown).map { ($0.name, $0.appIDs.filter { !AppID.isTemplate($0) }) },
                uniquingKeysWith: { $1 })
        }
        let (olds, news) = (apps(old), apps(new))
        return Set(olds.keys).union(news.keys).subtracting(["applinks"]).sorted().flatMap { service in
            let (before, after) = (olds[service] ?? [], news[service] ?? [])
            return Set(after).subtracting(before).sorted().map { ServiceChange(service: service, app: $0, isOn: true) }
                + Set(before).subtracting(after).sorted().map { ServiceChange(service: service, app: $0, isOn: false) }
        }
    }

    var words: String {
        let app = app.displayable.shortened(to: 200)
        return switch service {
        case "appclips":
            isOn
                ? "the App Clip \(app) can be opened by links now" : "the App Clip \(app) is opened by no link any more"
        case "webcredentials":
            isOn
                ? "\(app) can use the site's passwords and passkeys now"
                : "\(app) cannot use the site's passwords and passkeys any more"
        case "activitycontinuation":
            isOn ? "\(app) takes Handoff from the site now" : "\(app) takes no Handoff from the site any more"
        default: "service \(service): \(app) \(isOn ? "is associated now" : "is not associated any more")"
        }
    }
}
