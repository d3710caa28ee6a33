// Finds the form of a report, and reads the forms of text: `swcutil show`, and lines of a log.

import AASA
import Evidence
import Foundation

/// What the user passed.
package enum DeviceText: Equatable, Sendable {
    case report(DeviceReport)
    case log(DeviceLog)

    /// - Throws: `ReportFault` for bytes in none of the forms; its description follows the name of the file.
    package init(_ bytes: ReportBytes) throws(ReportFault) {
        let text = try Self.clean(bytes.bytes)
        var report: DeviceReport
        switch text.utf8.first {
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            report = try ShowJSON.read(text) ?? ShowText.read(text)
        default: report = ShowText.read(text)
        }
        guard report.entries.isEmpty, !report.isVerbose else {
            if let member = bytes.member {
                // sysdiagnose_2023.08.24_10-09-00+0000_iPhone-OS_iPhone_20G75
                let words = Set(member.path.split { "/_".contains($0) })
                let device = ["iPhone", "iPad", "Mac"].first { words.contains(Substring($0)) }
                report.origin = .init(writtenAt: member.writtenAt, device: device)
            }
            self = .report(report)
            return
        }
        let log = LogText.read(text)
        guard !log.events.isEmpty else {
            throw ReportFault(
                "has no entry of swcutil show and no line of swcd's log; pass a sysdiagnose_*.tar.gz, the "
                    + "swcutil_show.txt in it, or the output of: sudo swcutil show --verbose")
        }
        self = .log(log)
    }

    /// A device's report has about 30,000. Even a short line costs some steps.
    private static let maximumLines = 100_000

    /// The text without terminal colours, carriage returns and leading white space.
    private static func clean(_ bytes: [UInt8]) throws(ReportFault) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        var lines = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case 0: throw ReportFault("is binary data, not text or a sysdiagnose (.tar.gz)")
            // https://en.wikipedia.org/wiki/ANSI_escape_code#CSI
            case 0x1B where index < bytes.count && bytes[index] == UInt8(ascii: "["):
                index += 1
                while index < bytes.count, !(0x40...0x7E).contains(bytes[index]), bytes[index] != 0x0A { index += 1 }
                if index < bytes.count, bytes[index] != 0x0A { index += 1 }
            case 0x0D where index < bytes.count && bytes[index] == 0x0A: continue
            case 0x0A, 0x0D:
                lines += 1
                result.append(0x0A)
            default: result.append(byte)
            }
            guard lines <= maximumLines else {
                throw ReportFault("has more than \(maximumLines.grouped) lines; a device's report has about 30,000")
            }
        }
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x0A || $0 == 0x09 }
        let start = result.firstIndex { !isBlank($0) } ?? result.endIndex
        return String(decoding: result[start...], as: UTF8.self)
    }
}

/// `swcutil show`: lines `Key: value`, entries between lines of `-`, sections after lines of `=`.
enum ShowText {
    /// In characters.
    private static let longestSetting = 1_000

    private enum Section { case head, database, network, settings, other }

    static func read(_ text: String) -> DeviceReport {
        var report = DeviceReport()
        var section = Section.head
        var entry = EntryReader()
        var app: String?
        for line in text.utf8.split(separator: 0x0A).map(Substring.init) {
            if let title = title(line) {
                entry.finish(into: &report)
                section = Self.section(title)
                if section == .settings { report.isVerbose = true }
                continue
            }
            switch section {
            case .network: report.asking.formUnion(domains(line))
            case .settings:
                if line.hasPrefix("{") { app = Self.app(of: line) }
                if let app, let choice = choice(line.prefix(longestSetting)) { report.choices[app] = choice }
            case .other: continue
            case .head, .database:
                if isRule(line) {
                    entry.finish(into: &report)
                } else if section == .head, line.hasPrefix("Developer Mode:") {
                    report.isDeveloperModeOn = line.hasSuffix("1") ? true : line.hasSuffix("0") ? false : nil
                } else {
                    entry.read(line, into: &report)
                }
            }
        }
        entry.finish(into: &report)
        return report
    }

    /// The title in a line such as `===== DATABASE =====`.
    private static func title(_ line: Substring) -> String? {
        guard line.hasPrefix("====") else { return nil }
        return line.trimmingCharacters(in: CharacterSet(charactersIn: "= ")).uppercased()
    }

    private static func section(_ title: String) -> Section {
        switch title {
        case "DATABASE": .database
        case "NETWORK": .network
        case "SETTINGS": .settings
        default: .other
        }
    }

    private static func isRule(_ line: Substring) -> Bool {
        line.utf8.count >= 20 && line.utf8.allSatisfy { $0 == 0x2D }
    }

    /// `a.example (cdn discretionary 12s), b.example (cdn 3s)`
    private static func domains(_ line: Substring) -> [Domain] {
        line.split(separator: ",").compactMap { $0.split(separator: " ").first }.compactMap { Domain(device: $0) }
    }

    /// The app of `{ s = applinks, a = APPID, d = (null) }`; nil for another service.
    private static func app(of specifier: Substring) -> String? {
        let text = String(specifier.prefix(longestSetting))
        guard text.contains("s = applinks") else { return nil }
        return text.firstMatch(of: /a = ([^,}\s]+)/).map { String($0.1) }
    }

    /// `"com.apple.LaunchServices.enabled" = 1;` below it.
    private static func choice(_ line: Substring) -> Bool? {
        guard let key = line.range(of: "com.apple.LaunchServices.enabled") else { return nil }
        switch line[key.upperBound...].first(where: { !"\"= ".contains($0) }) {
        case "0": return false
        case "1": return true
        default: return nil
        }
    }
}

/// Collects the lines of one entry.
struct EntryReader {
    private var fields: [(key: String, value: String)] = []

    /// A key in one form for all sources: lower-case letters and digits.
    static func key(_ text: some StringProtocol) -> String { text.lowercased().filter { $0.isLetter || $0.isNumber } }

    private static let known: Set<String> = [
        "service", "appid", "appversion", "apppi", "domain", "patterns", "variables", "relativeorder", "userapproval",
        "sitefmwkapproval", "flags", "lastchecked", "nextcheck", "error", "retries",
    ]

    mutating func read(_ line: Substring, into report: inout DeviceReport) {
        guard let colon = line.prefix(40).firstIndex(of: ":"), case let key = Self.key(line[..<colon]),
            Self.known.contains(key) || isUnknownKey(line, upTo: colon)
        else {
            // The line continues a value, unless it is before the first entry.
            if !fields.isEmpty { fields[fields.count - 1].value += " " + line.trimmingCharacters(in: .whitespaces) }
            return
        }
        if key == "service", fields.contains(where: { $0.key == "service" }) { finish(into: &report) }
        // Skip the head of a report.
        guard key == "service" || !fields.isEmpty else { return }
        fields.append((key, line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)))
    }

    /// Values are aligned: several spaces, or nothing, follow a key. Errors contain single words with a colon.
    private func isUnknownKey(_ line: Substring, upTo colon: Substring.Index) -> Bool {
        let rest = line[line.index(after: colon)...]
        return line.first?.isUppercase == true && (rest.isEmpty || rest.hasPrefix("  "))
    }

    mutating func add(_ key: String, _ value: String) { fields.append((Self.key(key), value)) }

    mutating func finish(into report: inout DeviceReport) {
        defer { fields = [] }
        var entry = DeviceEntry()
        for (key, value) in fields where !value.isEmpty && value != "(null)" {
            switch key {
            case "service": entry.service = value
            case "appid": entry.appID = value
            case "domain": entry.writtenDomain = value
            case "patterns": entry.patterns = value
            case "variables": entry.variables = value
            case "userapproval": entry.userApproval = .init(value)
            case "sitefmwkapproval": entry.siteApproval = .init(value)
            case "flags":
                entry.flags = Set(value.split { !$0.isLetter }.map(String.init))
            case "lastchecked": entry.lastChecked = Date(device: value)
            case "nextcheck": entry.nextCheck = Date(device: value)
            case "error": entry.error = DeviceError(value)
            case "retries": entry.retries = Int(value)
            default: continue
            }
            if ["appversion", "apppi", "patterns", "variables"].contains(key) { report.isVerbose = true }
        }
        guard !entry.service.isEmpty, !entry.appID.isEmpty, !entry.writtenDomain.isEmpty else { return }
        report.entries.append(entry)
    }
}

/// The same data as forensic tools write it: `{"db": [{"Service": …}]}`, or a line for each entry with keys such as
/// `app_id`, which newer versions put under `data`.
/// https://github.com/EC-DIGIT-CSIRC/sysdiagnose
enum ShowJSON {
    /// nil if the text is not JSON.
    /// - Throws: `ReportFault` for other JSON.
    static func read(_ text: String) throws(ReportFault) -> DeviceReport? {
        var report = DeviceReport()
        if let document = try? JSONDocument(parsing: Array(text.utf8)) {
            add(document.root, to: &report)
        } else {
            for line in text.utf8.split(separator: 0x0A) where line.first == UInt8(ascii: "{") {
                // The SETTINGS of a report without an entry also begin like this.
                guard let document = try? JSONDocument(parsing: Array(line)) else { return nil }
                add(document.root, to: &report)
            }
        }
        guard !report.entries.isEmpty || !report.choices.isEmpty || report.isVerbose else {
            throw ReportFault("is JSON without an entry of swcutil show, such as {\"db\": [{\"Service\": …}]}")
        }
        return report
    }

    private static func add(_ node: JSONNode, to report: inout DeviceReport) {
        for element in node.elements ?? [] { add(element, to: &report) }
        let node = node["data"] ?? node
        guard let members = node.members else { return }
        if let entries = node["db"]?.elements {
            // This form has no values for SETTINGS.
            for entry in entries { add(entry, to: &report) }
            if let headers = node["headers"] { head(headers, into: &report) }
            return
        }
        switch node["section"]?.string {
        case "headers": head(node, into: &report)
        case "network":
            if let domain = node["domain"]?.string.flatMap({ Domain(device: Substring($0)) }) {
                report.asking.insert(domain)
            }
        case "settings":
            let chosen = node["settings"]?.members?.first { $0.key.hasSuffix("enabled") }
            if node["s"]?.string == "applinks", let app = node["a"]?.string, let chosen {
                report.choices[app] = value(chosen.value) == "1"
            }
        default:
            var entry = EntryReader()
            for member in members { entry.add(member.key, value(member.value)) }
            entry.finish(into: &report)
        }
    }

    private static func head(_ node: JSONNode, into report: inout DeviceReport) {
        let mode = node.members?.first { EntryReader.key($0.key) == "developermode" }
        if let mode { report.isDeveloperModeOn = value(mode.value) == "1" }
    }

    /// The tools write each value as text.
    private static func value(_ node: JSONNode) -> String { node.string ?? "" }
}

/// The output of `log show --predicate 'process == "swcd"'`, what Console.app copies, or a single line.
enum LogText {
    /// Further lines repeat the same for other times.
    private static let maximumEvents = 2_000
    /// The longest line, in characters.
    private static let longestLine = 2_000

    static func read(_ text: String) -> DeviceLog {
        var log = DeviceLog()
        for line in text.utf8.split(separator: 0x0A).map(Substring.init) {
            guard log.events.count < maximumEvents else { break }
            if let event = event(String(line.prefix(longestLine))) { log.events.append(event) }
        }
        return log
    }

    private static func event(_ line: String) -> DeviceEvent? {
        let kind: DeviceEvent.Kind
        if line.contains("the CDN told us to stop") {
            kind = .failed(stopped(line))
        } else if let added = line.firstMatch(of: /Added service '([^']+)', appID '([^']+)'/) {
            kind = .added(service: String(added.1), appID: String(added.2))
        } else if line.contains("SWCErrorDomain") || line.contains(/SWCERR\d/) {
            kind = .failed(DeviceError(line))
        } else {
            return nil
        }
        let instant = line.prefixMatch(of: /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,9})?[+-]\d{4}/)
        return DeviceEvent(kind: kind, domain: domain(line), at: instant.flatMap { Date(device: String($0.0)) })
    }

    /// With Apple's reason, or with an error code if the line has no reason.
    private static func stopped(_ line: String) -> DeviceError {
        let error = DeviceError(line)
        return error.apple == nil ? DeviceError("SWCErrorDomain 7") : error
    }

    /// `domain: example.com,`, `domain 'example.com'`, `d = example.com`, or the URL of the file.
    private static func domain(_ line: String) -> Domain? {
        let forms: [Regex<(Substring, Substring)>] = [
            /\bdomain:? '?([^\s',}]+)/, /\bd = ([^\s,}]+)/, /\/a\/v1\/([^\s'"\/?]+)/,
            /https:\/\/([^\s'"\/?]+)\/\.well-known/,
        ]
        return forms.lazy.compactMap { line.firstMatch(of: $0) }
            .compactMap { Domain(device: $0.1) }.first
    }
}
