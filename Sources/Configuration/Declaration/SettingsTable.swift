// The tables of docs/configuration.md, made from the settings.

import Evidence
import Monitoring

enum SettingsTable {
    /// By the path of the section, such as `domains[].expect`, for all sections below.
    static func all(_ settings: [SettingFacts], in path: String = "") -> [String: String] {
        var tables = [path: table(settings)]
        for setting in settings where !setting.shape.settings.isEmpty && !setting.isInherited {
            let place = (path.isEmpty ? "" : path + ".") + setting.key + (setting.shape.isList ? "[]" : "")
            tables.merge(all(setting.shape.settings, in: place)) { first, _ in first }
        }
        return tables
    }

    static func table(_ settings: [SettingFacts]) -> String {
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
