// Where sources contradict each other, or say nothing: which of the readings is taken here, and who says otherwise.

/// A point on which sources do not agree and that decides about a URL.
public enum ContestedPoint: String, Sendable, Hashable, CaseIterable {
    /// Several apps open the URL.
    case orderBetweenApps = "order-between-apps"
    /// `details` is an object: it has no order.
    case dictionaryOrder = "dictionary-order"
    /// Entries that name the same app say different things about the URL.
    case severalEntriesOfOneApp = "several-entries-of-one-app"
    /// An entry has `appID` beside an `appIDs` that does not name it.
    case appIDBesideAppIDs = "app-id-beside-app-ids"
    /// `percentEncoded` is false, and the URL holds an escape that normalisation would see.
    case decodingOrder = "decoding-order"
    /// The lists behind `$(lang)` and `$(region)`.
    case codeLists = "code-lists"
    /// A backslash in a pattern.
    case backslash
    /// More than 64 wildcards and variables.
    case wildcardLimit = "wildcard-limit"
    /// `defaults` above the older form `paths`.
    case defaultsForPaths = "defaults-for-paths"
    /// A key that stands twice in one object.
    case duplicateKey = "duplicate-key"
    /// The file is made so that reading it in the other ways costs too much.
    case notChecked = "not-checked"

    /// What is contested and what is done here: one or two sentences.
    public var explanation: String {
        switch self {
        case .orderBetweenApps:
            "several apps open this URL: Apple documents that the first in the file is asked first, on iOS 15 the last was "
                + "once reported to win; on a device only the apps that are installed count"
        case .dictionaryOrder:
            "'details' is an object, whose order is undefined: the order of the text is taken here, a device may take "
                + "another"
        case .severalEntriesOfOneApp:
            "entries that name the same app disagree about this URL, and how they play together is documented nowhere: the "
                + "first that decides is taken here; put all rules of an app into one entry"
        case .appIDBesideAppIDs:
            "an entry has 'appID' beside 'appIDs': Apple's binaries read 'appIDs' alone, as is done here; a third party "
                + "reports that both are read"
        case .decodingOrder:
            "the rule has 'percentEncoded' false and the URL holds an escaped separator: here the path is normalised and "
                + "the query split before they are decoded, which Apple does not document"
        case .codeLists:
            "the lists behind $(lang) and $(region) are not published: two-letter ISO codes in all upper or all lower "
                + "case are taken here, and a system may know others"
        case .backslash:
            "the pattern holds a backslash, which is special to Apple's matcher in no documented way: it is taken as a "
                + "plain character here"
        case .wildcardLimit:
            "the pattern holds more than 64 wildcards and variables: Apple's matcher gives up on nesting as deep as that, "
                + "and how it counts is not documented; it never matches here"
        case .defaultsForPaths:
            "'defaults' stand above 'paths': Apple documents them for components only, its binaries may apply them to "
                + "paths too; they are left out here"
        case .duplicateKey:
            "a key stands twice in one object, and which of the two a device reads is undefined: the last is taken here, "
                + "with the first the answer is another; keep one of them ('aasa-monitor lint' shows where)"
        case .notChecked:
            "the rules are too many or too large to be read again in all the ways on which sources do not agree: whether "
                + "another reading gives another answer is not known"
        }
    }
}

extension MatchResult {
    /// The points on which sources do not agree and that make a difference for this URL and file: another reading would
    /// give another answer, or another app. Worked out when asked for.
    public var contested: [ContestedPoint] { contested(meter: WorkMeter(.match)) }

    /// The same for work that several URLs share.
    package func contested(meter: WorkMeter) -> [ContestedPoint] { ContestedReadings(links, url, meter).points }
}

/// Reads a file once more in each contested way, and tells where the answer for a URL would be another.
struct ContestedReadings {
    private let links: AppLinks
    private let url: MatchableURL
    private let subject: MatchSubject
    private let behaviours: [LinkBehaviour]
    private let meter: WorkMeter

    init(_ links: AppLinks, _ url: MatchableURL, _ meter: WorkMeter) {
        self.links = links
        self.meter = meter
        self.url = url
        let subject = MatchSubject(url, meter: meter)
        self.subject = subject
        behaviours = links.entries.map { $0.behaviour(of: subject) }
    }

    var points: [ContestedPoint] {
        var points: [ContestedPoint] = []
        for point in ContestedPoint.allCases {
            let isDecisive = isDecisive(point)
            if meter.isExhausted { return points + [.notChecked] }
            if isDecisive { points.append(point) }
        }
        return points
    }

    private func isDecisive(_ point: ContestedPoint) -> Bool {
        switch point {
        case .orderBetweenApps: links.form != .dictionary && openingApps.count > 1
        case .dictionaryOrder: links.form == .dictionary && openingApps.count > 1
        case .severalEntriesOfOneApp: entriesDisagree
        case .appIDBesideAppIDs: zip(links.entries, behaviours).contains { $1 != .notMatched && $0.hasOtherAppID }
        case .decodingOrder: decidesByDecodingOrder
        case .codeLists, .backslash, .wildcardLimit, .defaultsForPaths: decidesByOtherRules(point)
        case .duplicateKey: decidesByDuplicateKey
        case .notChecked: false
        }
    }

    private var openingApps: Set<ExactText> {
        let claimed = zip(links.entries, behaviours).lazy.filter { $0.1 == .opens }.flatMap(\.0.appIDs)
        return Set(claimed.filter { !AppID.isTemplate($0) }.map(ExactText.init(_:)))
    }

    private var entriesDisagree: Bool {
        var known: [ExactText: LinkBehaviour] = [:]
        for (entry, behaviour) in zip(links.entries, behaviours) {
            for app in entry.appIDs where !AppID.isTemplate(app) {
                if known.updateValue(behaviour, forKey: ExactText(app)) ?? behaviour != behaviour { return true }
            }
        }
        return false
    }

    private var decidesByDecodingOrder: Bool {
        guard !url.isPlain else { return false }
        let decode = PercentCoding.decoding
        let query = decode(url.query)
        let other = MatchSubject(
            url,
            decoded: .init(
                path: PathNormalization.normalize(decode(url.path)), query: query, fragment: decode(url.fragment),
                items: MatchableURL.items(of: query).map { (String($0.name), String($0.value)) }),
            meter: meter)
        return zip(links.entries, behaviours).contains { $0.behaviour(of: other) != $1 }
    }

    private var decidesByDuplicateKey: Bool {
        guard let other = links.byFirstKeys else { return false }
        let (taken, contrary) = (links.match(url, meter: meter), AppLinks(other).match(url, meter: meter))
        return taken.opening.map(ExactText.init(_:)) != contrary.opening.map(ExactText.init(_:))
    }

    /// Whether the answer is another where the rules read otherwise.
    private func decidesByOtherRules(_ point: ContestedPoint) -> Bool {
        guard let reading = OtherReading(point, of: links) else { return false }
        return zip(links.entries, behaviours).contains { entry, behaviour in
            guard !meter.isExhausted, let reread = reading.rereading(of: entry) else { return false }
            for rule in entry.rules {
                if meter.isExhausted { return false }
                if (reread(rule) ?? rule).mismatch(subject) == nil { return behaviour != rule.behaviour }
            }
            return behaviour != .notMatched
        }
    }
}

/// The rules of a file in the other reading of a contested point.
struct OtherReading {
    private let links: AppLinks
    private let compiler: PatternCompiler
    /// Which patterns read otherwise; nil where `defaults` apply to paths.
    private let contested: Pattern.Contested?

    /// - Returns: nil where the point is not about how a rule reads.
    init?(_ point: ContestedPoint, of links: AppLinks) {
        self.links = links
        switch point {
        case .codeLists: (contested, compiler) = (.codes, PatternCompiler(links.variables.withAnyCodes))
        case .backslash:
            (contested, compiler) = (.backslash, PatternCompiler(links.variables, reading: .backslashEscapes))
        case .wildcardLimit:
            (contested, compiler) = (.tooComplex, PatternCompiler(links.variables, reading: .unlimited))
        case .defaultsForPaths: (contested, compiler) = (nil, PatternCompiler(links.variables))
        default: return nil
        }
    }

    /// How a rule of an entry reads, nil where it is the same; nil where all rules of the entry are.
    func rereading(of entry: AppLinks.Entry) -> ((URLRule) -> URLRule?)? {
        if let contested { return { $0.cost.contested.contains(contested) ? $0.reread(compiler) : nil } }
        guard entry.form == .paths else { return nil }
        let settings = links.settings(of: entry, compiler)
        return settings.isEmpty ? nil : { $0.asComponent(with: settings) }
    }
}

extension AppLinks.Entry {
    /// It has `appID` beside an `appIDs` that does not name it.
    var hasOtherAppID: Bool {
        guard node["appIDs"] != nil, let other = node["appID"]?.string else { return false }
        return !appIDs.containsExactly(other)
    }
}

extension URLRule {
    /// The same rule with its patterns read in another way.
    func reread(_ compiler: PatternCompiler) -> URLRule {
        func again(_ pattern: Pattern, isPath: Bool = false) -> Pattern {
            compiler.pattern(like: pattern, isPath: isPath)
        }
        let query: Query =
            switch self.query {
            case .any: .any
            case .whole(let pattern): .whole(again(pattern))
            case .items(let items): .items(compiler.items(like: items))
            }
        return URLRule(
            form: form, isExclusion: isExclusion, path: path.map { again($0, isPath: true) }, query: query,
            fragment: fragment.map { again($0) }, isCaseSensitive: isCaseSensitive, isPercentEncoded: isPercentEncoded,
            place: place, node: node)
    }

    /// A path as if it were a component to which defaults apply; an excluded one stays case-sensitive (observed).
    func asComponent(with defaults: RuleSettings) -> URLRule? {
        guard form == .path, path != nil else { return nil }
        var own = RuleSettings()
        own.path = .init(pattern: path)
        own.isExclusion = isExclusion
        if isExclusion { own.isCaseSensitive = true }
        return URLRule(component: node, own.over(defaults), place: place)
    }
}
