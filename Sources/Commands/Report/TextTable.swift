/// Rows whose columns stand under each other. The last column takes what is left of the width, and breaks at blanks.
struct TextTable {
    var rows: [[String]]

    /// Less than this is no column to read text in; it then goes to a line of its own.
    private static let narrowest = 24

    func lines(indentation: Int, style: TextStyle) -> [String] {
        let columns = rows.map(\.count).max() ?? 0
        guard columns > 0 else { return [] }
        // A column that is empty throughout takes no room.
        let widths = (0..<columns - 1).map { column in
            rows.map { $0.indices.contains(column) ? $0[column].count : 0 }.max() ?? 0
        }
        let start = indentation + widths.reduce(0) { $0 + ($1 == 0 ? 0 : $1 + 2) }
        return rows.flatMap { row -> [String] in
            var line = String(repeating: " ", count: indentation)
            for (cell, width) in zip(row.dropLast(), widths) where width > 0 {
                line += cell + String(repeating: " ", count: width - cell.count + 2)
            }
            let last = row.last ?? ""
            guard start + Self.narrowest <= style.width else {
                while line.last == " " { line.removeLast() }
                return [line] + (last.isEmpty ? [] : style.wrapped(last, indentation: indentation + 2))
            }
            var broken = style.wrapped(last, indentation: start)
            broken[0] = line + broken[0].dropFirst(start)
            return broken
        }
    }
}
