import Evidence

/// The file that `domains_from` names: a domain on each line, or CSV whose header names the columns `domain`, `interval`,
/// `channels` and labels.
struct DomainListReader {
    let reading: Reading
    let defaults: CheckSettings
    /// The names of all channels.
    let channels: [ScalarText]
    /// The file's path, as messages call it.
    let path: String

    /// More faults than these are one fault that repeats.
    private static let maximumFaults = 20

    private enum Column { case domain, interval, channels, label(String) }

    /// Settings of an entry of `domains` that a column cannot have: one of these names is no label by accident.
    private static let settings = [
        "stale_after", "full_every", "timeout", "failure_threshold", "recovery_threshold", "certificate_warning",
        "mode",
        "labels", "ignore", "expect",
    ]

    /// All domains of the list but `known`: those of the configuration itself, whose settings there count. nil after telling what is wrong.
    func read(_ text: String, besides known: Set<Domain>) -> [WatchedDomain]? {
        var result: [WatchedDomain] = []
        var lines: [Domain: Int] = [:]
        var columns: [Column]?
        var faults = 0
        var number = 0
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            number += 1
            let content = line.trimmingSpaces
            if content.isEmpty || content.hasPrefix("#") { continue }
            do throws(ListFault) {
                let cells = try Self.cells(content)
                guard let heads = columns else {
                    columns = try header(cells, number)
                    // A plain list begins with its first domain.
                    if columns != nil { continue }
                    columns = [.domain]
                    try add(cells, [.domain], number)
                    continue
                }
                try add(cells, heads, number)
            } catch {
                faults += 1
                guard faults <= Self.maximumFaults else { continue }
                reading.error(
                    error.message, in: path, at: SourcePosition(line: number, column: error.column))
            }
        }
        if faults > Self.maximumFaults {
            reading.error(
                "\(faults - Self.maximumFaults) more lines have faults", in: path,
                at: SourcePosition(line: number, column: 1))
        }
        return faults == 0 ? result : nil

        func add(_ cells: [Cell], _ columns: [Column], _ line: Int) throws(ListFault) {
            guard cells.count <= columns.count else {
                throw ListFault(
                    column: cells[columns.count].column,
                    message: "the line has \(cells.count) columns, the first line of the list has \(columns.count)")
            }
            var domain: Domain?
            var checks = defaults
            var labels: [String: String] = [:]
            var routed: [String]?
            for (cell, column) in zip(cells, columns) where !cell.text.isEmpty {
                switch column {
                case .domain: domain = try Self.domain(cell)
                case .interval: checks.interval = try Self.interval(cell)
                case .channels: routed = try routes(cell)
                case .label(let name):
                    guard cell.text.count <= 256 else {
                        throw ListFault(
                            column: cell.column, message: "label '\(name)' is longer than 256 characters")
                    }
                    labels[name] = cell.text
                }
            }
            guard let domain else { throw ListFault(column: 1, message: "the line names no domain") }
            if let first = lines.updateValue(line, forKey: domain) {
                lines[domain] = first
                throw ListFault(
                    column: 1,
                    message: "domain '\(domain)' is listed twice; it is already given at line \(first)"
                )
            }
            if known.contains(domain) { return }
            result.append(WatchedDomain(domain: domain, checks: checks, labels: labels, channels: routed))
        }
    }

    /// nil where the first line is no header but a domain.
    private func header(_ cells: [Cell], _ line: Int) throws(ListFault) -> [Column]? {
        guard cells.contains(where: { $0.text == "domain" }) else {
            guard cells.count == 1 else {
                throw ListFault(
                    column: 1, message: "the first line of a CSV file names its columns, one of them 'domain'")
            }
            return nil
        }
        var names: Set<String> = []
        var columns: [Column] = []
        for cell in cells {
            guard names.insert(cell.text).inserted else {
                throw ListFault(column: cell.column, message: "column \(Quotation.of(cell.text)) is given twice")
            }
            switch cell.text {
            case "domain": columns.append(.domain)
            case "interval": columns.append(.interval)
            case "channels": columns.append(.channels)
            case let name where Self.settings.contains(name):
                throw ListFault(
                    column: cell.column,
                    message:
                        "column '\(name)' cannot be given in a list; give it in 'defaults', or the domain in 'domains'")
            default:
                guard LabelName.isValid(cell.text) else {
                    throw ListFault(
                        column: cell.column,
                        message: "\(Quotation.of(cell.text)) is no name of a label; \(LabelName.advice)")
                }
                let meant = Spelling.nearest(to: cell.text, among: ["domain", "interval", "channels", "channel"])
                if let meant {
                    let name = meant == "channel" ? "channels" : meant
                    reading.warning(
                        "column '\(cell.text)' is a label of this name; did you mean '\(name)'?", in: path,
                        at: SourcePosition(line: line, column: cell.column))
                }
                reading.note(label: cell.text)
                columns.append(.label(cell.text))
            }
        }
        return columns
    }

    /// Names of channels, with blanks or semicolons between them.
    private func routes(_ cell: Cell) throws(ListFault) -> [String] {
        let known = channels.map(\.value)
        var names: [String] = []
        for name in cell.text.split(whereSeparator: { $0 == ";" || $0 == " " || $0 == "," }).map(String.init) {
            guard known.contains(name) else {
                // A name that comes from a variable is not proposed.
                let shown = channels.filter { !$0.usesVariable }.map(\.value)
                let hint = Spelling.suggestion(for: name, among: shown)
                throw ListFault(
                    column: cell.column, message: "no channel is named \(Quotation.of(name))\(hint)")
            }
            if !names.contains(name) { names.append(name) }
        }
        return names
    }

    private static func domain(_ cell: Cell) throws(ListFault) -> Domain {
        do {
            return try Domain(cell.text)
        } catch {
            throw ListFault(
                column: cell.column, message: "\(Quotation.of(cell.text)) is not a domain: \(error.reason.displayable)")
        }
    }

    private static func interval(_ cell: Cell) throws(ListFault) -> Duration {
        guard let value = try? parseDuration(cell.text), value >= .seconds(0.1), value <= .seconds(3650 * 86_400) else {
            throw ListFault(
                column: cell.column,
                message: "expected a duration such as 5m for 'interval', found \(Quotation.of(cell.text))")
        }
        return value
    }

    private struct Cell {
        var text: String
        /// From 1.
        let column: Int
    }

    private struct ListFault: Error {
        let column: Int
        let message: String
    }

    /// The fields of one line: https://www.rfc-editor.org/rfc/rfc4180. One that is quoted ends on its line.
    private static func cells(_ line: Substring) throws(ListFault) -> [Cell] {
        var cells: [Cell] = []
        var rest = line[...]
        while true {
            let start = line.distance(from: line.startIndex, to: rest.startIndex) + 1
            rest = rest.drop { $0 == " " || $0 == "\t" }
            guard rest.first == "\"" else {
                let field = rest.prefix { $0 != "," }
                cells.append(Cell(text: String(field.trimmingSpaces), column: start))
                guard field.endIndex < rest.endIndex else { return cells }
                rest = rest[rest.index(after: field.endIndex)...]
                continue
            }
            rest = rest.dropFirst()
            var text = ""
            while true {
                let part = rest.prefix { $0 != "\"" }
                text += part
                guard part.endIndex < rest.endIndex else {
                    throw ListFault(column: start, message: "the quote is not closed on its line")
                }
                rest = rest[rest.index(after: part.endIndex)...]
                guard rest.first == "\"" else { break }
                text += "\""
                rest = rest.dropFirst()
            }
            cells.append(Cell(text: text, column: start))
            rest = rest.drop { $0 == " " || $0 == "\t" }
            guard let next = rest.first else { return cells }
            guard next == "," else {
                throw ListFault(column: start, message: "text after a closing quote; double a quote within a field")
            }
            rest = rest.dropFirst()
        }
    }
}

/// What a label may be called.
enum LabelName {
    static let advice = "use letters, digits and '_', '-', '.', '/'"

    static func isValid(_ name: String) -> Bool {
        (1...63).contains(name.count)
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_-./".contains($0)) }
    }
}

extension Substring {
    fileprivate var trimmingSpaces: Substring {
        func isSpace(_ character: Character) -> Bool {
            character == " " || character == "\t" || character == "\u{FEFF}"
        }
        var result = drop(while: isSpace)
        while let last = result.last, isSpace(last) { result.removeLast() }
        return result
    }
}
