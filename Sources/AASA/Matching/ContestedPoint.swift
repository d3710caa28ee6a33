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
        }
    }
}

extension MatchResult {
    /// The points on which sources do not agree and that make a difference for this URL and file: another reading would
    /// give another answer, or another app. Worked out when asked for.
    public var contested: [ContestedPoint] { ContestedReadings(links, url).points }
}
