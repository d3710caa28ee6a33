// What a surface says about a domain or an incident, as values to compare with other surfaces.

import Foundation
import Stage

/// One property of a domain, of an incident, or of all incidents together.
enum Property: String, Comparable, Sendable {
    /// `ok`, `warning`, `failing`, `unknown`.
    case level
    /// What phones do now.
    case effect
    /// The ids of a domain's unresolved incidents; of the confirmed ones.
    case incidents, confirmed
    case kind, severity, state
    /// When the trouble began.
    case since
    /// When the incident was confirmed and people were notified.
    case fired
    /// Flapping, inhibited by, silenced until, acknowledged by.
    case marks
    /// The channels that accepted a message.
    case notified
    /// The number of open incidents by kind and severity, and of domains by state.
    case counts, domains

    static func < (one: Property, other: Property) -> Bool { one.rawValue < other.rawValue }
}

enum Said: Equatable, CustomStringConvertible {
    case text(String)
    case all(Set<String>)
    /// A surface may show minutes, or an age.
    case within(ClosedRange<Date>)

    var description: String {
        switch self {
        case .text(let text): "'\(text)'"
        case .all(let texts): texts.isEmpty ? "none" : texts.sorted().joined(separator: ", ")
        case .within(let range):
            "\(range.lowerBound.ISO8601Format()) to \(range.upperBound.ISO8601Format())"
        }
    }

    /// Whether both can be true.
    func agrees(with other: Said) -> Bool {
        if case (.within(let one), .within(let two)) = (self, other) { return one.overlaps(two) }
        return self == other
    }
}

/// Everything that the surfaces of one state say.
struct Statements {
    struct Key: Hashable {
        /// A domain, the beginning of an incident's id, or `all`.
        let subject: String
        let property: Property
    }

    private var said: [Key: [(surface: String, value: Said)]] = [:]

    mutating func add(_ surface: String, _ subject: String, _ property: Property, _ value: Said?) {
        guard let value else { return }
        said[Key(subject: subject, property: property), default: []].append((surface, value))
    }

    /// The properties of a subject that a surface shows.
    func properties(of subject: String, on surface: String) -> Set<Property> {
        Set(
            said.filter { $0.key.subject == subject && $0.value.contains { $0.surface == surface } }.map(\.key.property)
        )
    }

    func value(_ subject: String, _ property: Property, on surface: String) -> Said? {
        said[Key(subject: subject, property: property)]?.first { $0.surface == surface }?.value
    }

    /// A line for each property on which two surfaces disagree.
    var disagreements: [String] {
        said.sorted { ($0.key.subject, $0.key.property) < ($1.key.subject, $1.key.property) }
            .compactMap { key, values in
                let isOne = values.indices.allSatisfy { place in
                    values[..<place].allSatisfy { $0.value.agrees(with: values[place].value) }
                }
                guard !isOne else { return nil }
                let texts = Dictionary(grouping: values) { "\($0.value)" }.sorted { $0.key < $1.key }
                    .map { text, places in "\(text) (\(places.map(\.surface).joined(separator: ", ")))" }
                return "\(key.property) of \(key.subject): \(texts.joined(separator: "; "))"
            }
    }
}

/// Reads an instant as a surface writes it. All surfaces of a state are read at the same moment.
enum WrittenTime {
    private static let now = StageState.now
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// `2026-11-22T14:32:07Z`, `2026-11-22 14:32 UTC`, `22 Nov 14:32`, `14:32` of the same day, `2 h 5 min ago`, `just now`.
    static func read(_ text: some StringProtocol) -> ClosedRange<Date>? {
        let text = text.trimmingCharacters(in: .whitespaces).replacing(/\ UTC$/, with: "")
        if let exact = try? Date(text, strategy: .iso8601) { return exact...(exact + 0.999) }
        if let found = text.wholeMatch(of: /(\d{4}-\d\d-\d\d) (\d\d:\d\d)/) { return minute("\(found.1)T\(found.2)") }
        let today = String(now.ISO8601Format().prefix(10))
        if text.wholeMatch(of: /\d\d:\d\d/) != nil { return minute("\(today)T\(text)") }
        if let found = text.wholeMatch(of: /(\d{1,2}) ([A-Z][a-z]{2}) (\d\d:\d\d)/),
            let month = months.firstIndex(of: String(found.2)), let day = Int(found.1)
        {
            let date = "\(today.prefix(4))-\(padded(month + 1))-\(padded(day))"
            return minute("\(date)T\(found.3)")
        }
        return ago(text)
    }

    private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static func minute(_ text: String) -> ClosedRange<Date>? {
        (try? Date("\(text):00Z", strategy: .iso8601)).map { $0...($0 + 59.999) }
    }

    /// The smallest unit gives the precision: `7 h` is 7 h 0 min.
    private static func ago(_ text: String) -> ClosedRange<Date>? {
        if text == "just now" { return (now - 60)...now }
        guard let words = text.wholeMatch(of: /(.+) ago/)?.1 else { return nil }
        let units = ["s": (1.0, 60.0), "min": (60, 60), "h": (3600, 60), "d": (86400, 3600), "days": (86400, 86400)]
        var (seconds, exact) = (0.0, 60.0)
        let parts = words.split(separator: " ")
        for (number, unit) in zip(parts, parts.dropFirst()) {
            guard let number = Double(number), let (size, step) = units[String(unit)] else { continue }
            // After days, hours are the smaller unit.
            (seconds, exact) = (seconds + number * size, max(exact, step))
        }
        return (now - seconds - exact)...(now - seconds)
    }
}
