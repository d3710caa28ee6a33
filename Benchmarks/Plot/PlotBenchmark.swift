// Pictures of what `steady --record FILE` measured, for docs/performance.md.

import Foundation

struct PlotBenchmark {
    /// The record, and where the pictures go.
    let record: String
    let folder: String

    func run() throws {
        let lines = try String(contentsOfFile: record, encoding: .utf8).split(separator: "\n")
        let runs = try lines.map { line in
            guard let run = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Double] else {
                throw BenchFault("\(record) holds something else than numbers: \(line.prefix(80))")
            }
            return run
        }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let pictures: [(file: String, title: String, unit: Double, keys: [(key: String, name: String)])] = [
            (
                "memory", "Resident memory, MiB", 1_048_576,
                [("resident", "settled"), ("peak", "peak")]
            ),
            ("cpu", "CPU of a check, ms", 0.001, [("cpu", "the daemon"), ("bare", "bare loop at the same pace")]),
            (
                "lateness", "Lateness of a check, ms", 0.001,
                [("late_p50", "p50"), ("late_p99", "p99"), ("late_max", "max")]
            ),
            ("store", "Store, kB a domain; written, kB a check", 1000, [("store", "store"), ("written", "written")]),
            (
                "start", "Ready after a start, s", 1,
                [("ready", "as it was ended"), ("ready_year", "with a year of history")]
            ),
        ]
        for picture in pictures {
            let series = picture.keys.map { key, name in
                LinePlot.Series(
                    name: name,
                    points: runs.compactMap { run in
                        guard run["hanging"] == 0, run["full_every"] == 1, let x = run["domains"], let y = run[key]
                        else { return nil }
                        return (x, y / picture.unit)
                    })
            }
            let text = LinePlot(title: picture.title, series: series).svg
            try text.write(toFile: "\(folder)/\(picture.file).svg", atomically: true, encoding: .utf8)
        }
        Output.line("\(pictures.count) pictures in \(folder)")
    }
}
