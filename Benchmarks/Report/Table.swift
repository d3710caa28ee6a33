import Foundation

/// The samples of a scene, a line a contender; the first is what the others are compared with.
struct Table {
    let samples: [[Sample]]

    var text: String {
        let reference = Spread((samples.first ?? []).map(\.fetchesPerCPUSecond)).median
        let lines = [Self.heads] + samples.compactMap { Self.cells($0, reference: reference) }
        let widths = Self.heads.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        return lines.map { line in
            zip(line, widths).enumerated().map { column, cell in
                let padding = String(repeating: " ", count: cell.1 - cell.0.count)
                return column == 0 ? cell.0 + padding : padding + cell.0
            }.joined(separator: "  ")
        }.joined(separator: "\n")
    }

    private static let heads = [
        "contender", "fetches", "connections", "fetches/CPU s", "ratio", "CPU ms/fetch", "fetches/s",
    ]

    private static func cells(_ samples: [Sample], reference: Double) -> [String]? {
        guard let first = samples.first else { return nil }
        let perCPU = Spread(samples.map(\.fetchesPerCPUSecond))
        return [
            first.name, "\(first.fetches)", "\(first.connections)", text(perCPU, digits: 0),
            number(perCPU.median / reference, digits: 1) + "x",
            text(Spread(samples.map(\.cpuMillisecondsPerFetch)), digits: 3),
            text(Spread(samples.map(\.fetchesPerSecond)), digits: 0),
        ]
    }

    private static func text(_ spread: Spread, digits: Int) -> String {
        "\(number(spread.median, digits: digits)) (\(number(spread.least, digits: digits))-\(number(spread.greatest, digits: digits)))"
    }

    private static func number(_ value: Double, digits: Int) -> String {
        String(format: "%.\(digits)f", locale: Locale(identifier: "en_US_POSIX"), value)
    }
}
