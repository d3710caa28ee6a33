/// The samples of a scene, a line a contender; the first is what the others are compared with.
struct Table {
    let samples: [[Sample]]

    var text: String {
        let reference = Spread((samples.first ?? []).map(\.fetchesPerCPUSecond)).median
        var table = PlainTable(heads: Self.heads)
        for cells in samples.compactMap({ Self.cells($0, reference: reference) }) { table.add(cells) }
        return table.text
    }

    private static let heads = [
        "contender", "fetches", "connections", "fetches/CPU s", "ratio", "CPU ms/fetch", "fetches/s",
    ]

    private static func cells(_ samples: [Sample], reference: Double) -> [String]? {
        guard let first = samples.first else { return nil }
        let perCPU = Spread(samples.map(\.fetchesPerCPUSecond))
        return [
            first.name, "\(first.fetches)", "\(first.connections)", PlainTable.text(perCPU, digits: 0),
            PlainTable.number(perCPU.median / reference, digits: 1) + "x",
            PlainTable.text(Spread(samples.map(\.cpuMillisecondsPerFetch)), digits: 3),
            PlainTable.text(Spread(samples.map(\.fetchesPerSecond)), digits: 0),
        ]
    }
}
