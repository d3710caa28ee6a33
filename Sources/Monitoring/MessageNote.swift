// The operator's own line in each message.

import Evidence
import Facts

/// Such as `Runbook: https://wiki.example.net/{kind}`. A placeholder stands for a value of the incident.
package struct MessageNote: Equatable, Sendable, CustomStringConvertible {
    /// As it is configured.
    package let description: String
    private let parts: [Part]

    private enum Part: Equatable {
        case text(String)
        case kind, severity, domain
        case label(String)
    }

    /// In characters: it must leave room for the message in a chat.
    private static let longest = 500

    /// `template`: one line with `{kind}`, `{domain}`, `{severity}` and `{labels.NAME}`.
    /// - Throws: `NoteFault` for another placeholder, and for a text that is empty, too long or not one line.
    package init(_ template: String) throws(NoteFault) {
        guard !template.isEmpty, template.count <= Self.longest, template.displayable == template else {
            throw NoteFault(words: "must be one line of 1 to \(Self.longest) characters")
        }
        description = template
        var parts: [Part] = []
        var rest = Substring(template)
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            if open > rest.startIndex { parts.append(.text(String(rest[..<open]))) }
            parts.append(try Self.part(rest[rest.index(after: open)..<close]))
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
        self.parts = parts
    }

    private static func part(_ name: Substring) throws(NoteFault) -> Part {
        switch name {
        case "kind": return .kind
        case "severity": return .severity
        case "domain": return .domain
        case _ where name.hasPrefix("labels.") && name.count > 7: return .label(String(name.dropFirst(7)))
        default:
            throw NoteFault(
                words: "has the unknown placeholder '{\(name)}'; known: {kind}, {domain}, {severity}, {labels.NAME}")
        }
    }

    /// The line for one incident; nil if it has no value for a placeholder: a global incident has no domain, and a
    /// domain may lack a label.
    package func text(of incident: Incident, labels: [String: String]) -> String? {
        var text = ""
        for part in parts {
            let value: String? =
                switch part {
                case .text(let words): words
                case .kind: incident.kind.rawValue
                case .severity: incident.severity.rawValue
                case .domain: incident.domain?.name
                case .label(let name): labels[name]
                }
            guard let value else { return nil }
            text += value
        }
        return text
    }
}

/// Why a text is not a valid note. The words follow the key. Of the text they quote at most a placeholder.
package struct NoteFault: Error, Equatable {
    package let words: String
}
