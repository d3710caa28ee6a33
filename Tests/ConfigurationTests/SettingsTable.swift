// Generates the tables of docs/reference/configuration.md from the settings.

import Evidence
import Monitoring

@testable import MonitorConfiguration

/// Between `<!-- settings of SECTION -->` and `<!-- end -->`.
enum SettingsTable {
    /// The tables by section name, such as `domains[].expect`.
    static var all: [String: String] {
        var tables = sections(ConfigurationFile.facts)
        tables["the file"] = tables.removeValue(forKey: "")
        tables["channels by type"] = channelTypes
        tables["single types"] = channelKeys
        return tables
    }

    private static func sections(_ settings: [SettingFacts], in path: String = "") -> [String: String] {
        var tables = [path: table(settings)]
        for setting in settings where !setting.shape.settings.isEmpty && !setting.isInherited {
            let place = (path.isEmpty ? "" : path + ".") + setting.key + (setting.shape.isList ? "[]" : "")
            tables.merge(sections(setting.shape.settings, in: place)) { first, _ in first }
        }
        return tables
    }

    private static func table(_ settings: [SettingFacts]) -> String {
        var rows = ["| key | type | default | meaning |", "|---|---|---|---|"]
        let firstInherited = settings.first(where: \.isInherited)?.key
        for setting in settings {
            if setting.isInherited {
                guard setting.key == firstInherited else { continue }
                rows.append("| the keys of `defaults` | | from `defaults` | for this domain only |")
            } else {
                let keys = setting.keys.map { "`\($0)`" }.joined(separator: ", or ")
                rows.append("| \(keys) | \(setting.shape.words) | \(setting.standardText) | \(setting.sentence) |")
            }
        }
        return rows.joined(separator: "\n")
    }
}

extension SettingFacts {
    fileprivate var standardText: String {
        switch standard {
        case _ where isRequired: "required"
        case nil, .null, .object: "none"
        case .array(let elements) where elements.isEmpty: "none"
        case .string(let text): "`\(text)`"
        case .number(let number) where number == number.rounded(): "`\(Int(number))`"
        case .some(let value): "`\(value.text(isPretty: false))`"
        }
    }
}

/// The keys that depend on a channel's type.
extension SettingsTable {
    private static var channelTypes: String {
        let rows = ChannelKind.allCases.map { kind in
            var (required, optional) = (names(kind, isRequired: true), names(kind, isRequired: false))
            // Slack has two alternatives.
            if kind == .slack { (required, optional) = ("\(optional); or \(required)", "") }
            return "| `\(kind.rawValue)` | \(required) | \(optional) |"
        }
        return (["| type | required | optional |", "|---|---|---|"] + rows).joined(separator: "\n")
    }

    private static func names(_ kind: ChannelKind, isRequired: Bool) -> String {
        kind.settings.map(\.facts).filter { $0.isRequired == isRequired }.map { "`\($0.key)`" }.joined(separator: ", ")
    }

    private static var channelKeys: String {
        var rows = ["| key | of | type | meaning |", "|---|---|---|---|"]
        for (_, owners) in ChannelSchema.all {
            for (words, alike) in ChannelSchema.byForm(owners) {
                let facts = alike[0].facts
                let keys = facts.keys.map { "`\($0)`" }.joined(separator: ", or ")
                let kinds = alike.map { "`\($0.kind.rawValue)`" }.joined(separator: ", ")
                rows.append("| \(keys) | \(kinds) | \(words) | \(facts.sentence) |")
            }
        }
        return rows.joined(separator: "\n")
    }
}
