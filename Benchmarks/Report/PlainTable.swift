import Foundation

/// Lines of cells under their heads; the first column to the left, all others to the right.
struct PlainTable {
    private var lines: [[String]]

    init(heads: [String]) { lines = [heads] }

    mutating func add(_ cells: [String]) { lines.append(cells) }

    var text: String {
        let columns = lines.first?.indices ?? 0..<0
        let widths = columns.map { column in lines.map { $0[column].count }.max() ?? 0 }
        return lines.map { line in
            zip(line, widths).enumerated().map { column, cell in
                let padding = String(repeating: " ", count: cell.1 - cell.0.count)
                return column == 0 ? cell.0 + padding : padding + cell.0
            }.joined(separator: "  ")
        }.joined(separator: "\n")
    }

    static func text(_ spread: Spread, digits: Int) -> String {
        "\(number(spread.median, digits: digits)) (\(number(spread.least, digits: digits))-\(number(spread.greatest, digits: digits)))"
    }

    static func number(_ value: Double, digits: Int) -> String {
        value.isNaN ? "-" : String(format: "%.\(digits)f", locale: Locale(identifier: "en_US_POSIX"), value)
    }
}
