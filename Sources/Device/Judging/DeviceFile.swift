// A device's patterns in the form of a file, and how they differ in meaning from another file.

import AASA
import Evidence
import Foundation

extension DeviceEntry {
    /// What the device's patterns mean.
    package enum Rules: Sendable {
        case known(AppLinks)
        /// The report has none: it was made without `--verbose`.
        case absent
        /// They have an unknown form, or are too long.
        case unreadable
    }

    /// Patterns contain the same components as the file. Real ones have a few KB.
    private static let maximumPatterns = 1 << 20

    package var rules: Rules {
        guard let patterns else { return .absent }
        // The device also stores the paths of an older file as components.
        let list = "[\(patterns)]"
        guard list.utf8.count <= Self.maximumPatterns,
            let components = try? JSONDocument(parsing: Array(list.utf8)).root.elements,
            components.allSatisfy({ $0.members != nil })
        else { return .unreadable }
        let variables = variables.flatMap { text -> String? in
            let document = try? JSONDocument(parsing: Array(text.utf8))
            return document?.root.members == nil ? nil : text
        }
        let text = """
            {"applinks":{"details":[{"appIDs":[\(appID.writtenAsJSON)],"components":\(list)}],\
            "substitutionVariables":\(variables ?? "{}")}}
            """
        guard let links = try? AssociationFile(parsing: Array(text.utf8)).applinks else { return .unreadable }
        // Not if the report lacks the values of a variable.
        let isWhole = links.entries.allSatisfy { $0.rules.allSatisfy { !$0.hasFault } }
        return isWhole ? .known(links) : .unreadable
    }
}

extension URLRule {
    fileprivate var hasFault: Bool {
        let query: [Pattern] =
            switch query {
            case .any: []
            case .whole(let pattern): [pattern]
            case .items(let items): items.map(\.pattern)
            }
        return ([path, fragment].compactMap(\.self) + query).contains { $0.fault != nil }
    }
}

/// Which URLs behave differently on the device than with a file, compared as `diff` does.
package struct DeviceDifference: Equatable, Sendable {
    /// The changes from the device to the file that a phone shows.
    package private(set) var changes: [BehaviourChange]
    /// Rules beyond the listed ones.
    package let more: Int
    /// Whether all URLs were compared.
    package let isComplete: Bool

    /// The change of the URL in question; nil if it behaves the same.
    private(set) var asked: BehaviourChange?

    /// `asked`: a URL that comes first if it behaves differently.
    init(device: AppLinks, file: AppLinks?, app: String, asked: MatchableURL?) {
        let meter = WorkMeter(.standard)
        let own = file?.only(app)
        let behaviour = BehaviourDiff.compare(device, own, meter: meter)
        let known = behaviour.changes.filter(\.isSeenOnPhone)
        let rules = ChangedRules(device, own, besides: known, meter: meter)
        changes = known + rules.changes
        more = rules.more
        isComplete = behaviour.isComplete
        if let asked {
            let (from, to) = (device.behaviour(of: asked, for: app), own?.behaviour(of: asked, for: app) ?? .notMatched)
            let change = BehaviourChange(appID: app, from: from, to: to, example: asked.afterHost)
            if change.isSeenOnPhone {
                changes.removeAll { $0 == change }
                changes.insert(change, at: 0)
                self.asked = change
            }
        }
    }

    package var isEmpty: Bool { changes.isEmpty }

    /// URLs that only the file opens in the app, and URLs that only the device opens in the app.
    var missing: [String] { changes.filter { $0.to == .opens }.map(\.example) }
    var kept: [String] { changes.filter { $0.from == .opens }.map(\.example) }
}

extension MatchableURL {
    /// The text as written, from the path on.
    fileprivate var afterHost: String {
        guard let scheme = text.range(of: "://") else { return text }
        let rest = text[scheme.upperBound...]
        return rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? path
    }
}

/// What the device does with one URL, according to one entry.
package struct DeviceLink: Equatable, Sendable {
    package let url: String
    package let behaviour: LinkBehaviour
    /// The pattern that decides, as the report has it; nil if none matches.
    package let pattern: String?
    /// Its place among the patterns, from 0.
    package let index: Int?
    /// What Apple's copy, or the origin in an alternate mode, does with it for this app now; nil if not known.
    package let inFile: LinkBehaviour?

    init(_ url: MatchableURL, device: AppLinks, file: AppLinks?, app: String) {
        self.url = url.text
        let decided = device.match(url).deciding
        behaviour = device.behaviour(of: url, for: app)
        pattern = decided.map { $0.rule.written.displayable.shortened(to: 300) }
        index = decided.flatMap { Int($0.rule.pointer.split(separator: "/").last ?? "") }
        inFile = file?.behaviour(of: url, for: app)
    }
}
