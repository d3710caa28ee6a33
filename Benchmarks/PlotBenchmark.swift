// Draws the charts of docs/performance.md from the figures of `steady --record FILE`.

import Foundation

struct PlotBenchmark {
    let record: String?
    let folder: String

    private static let pictures: [(file: String, title: String, unit: Double, keys: [(key: String, name: String)])] = [
        ("memory", "Resident memory, MiB", 1_048_576, [("resident", "settled"), ("peak", "peak")]),
        ("cpu", "CPU of a check, ms", 0.001, [("cpu", "the daemon"), ("bare", "bare loop at the same pace")]),
        (
            "lateness", "Lateness of a check, ms", 0.001,
            [("late_p50", "p50"), ("late_p99", "p99"), ("late_max", "max")]
        ),
        ("store", "Store, kB a domain; written, kB a check", 1000, [("store", "store"), ("written", "written")]),
        (
            "start", "Ready after a start, s", 1,
            [("ready", "after the run"), ("ready_year", "with a year of history")]
        ),
    ]

    func run() throws {
        let lines = try String(contentsOfFile: record ?? "", encoding: .utf8).split(separator: "\n")
        let runs = try lines.map { line in
            guard let run = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Double] else {
                throw BenchFault("the record contains something other than figures: \(line.prefix(80))")
            }
            return run
        }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for picture in Self.pictures {
            let series = picture.keys.map { key, name in
                LinePlot.Series(
                    name: name,
                    points: runs.compactMap { run in
                        guard let x = run["domains"], let y = run[key], x > 0, y > 0 else { return nil }
                        return (x, y / picture.unit)
                    }.sorted { $0.x < $1.x })
            }
            try LinePlot(title: picture.title, series: series).svg
                .write(toFile: "\(folder)/\(picture.file).svg", atomically: true, encoding: .utf8)
        }
        Output.line("\(Self.pictures.count) pictures in \(folder)")
    }
}

/// A line chart over the number of domains, with logarithmic axes, readable on light and dark backgrounds.
private struct LinePlot {
    struct Series {
        let name: String
        let points: [(x: Double, y: Double)]
    }

    let title: String
    let series: [Series]

    private static let (width, height, left, right, top, bottom) = (600.0, 300.0, 56.0, 230.0, 36.0, 36.0)
    private static let colours = ["#2b6cb0", "#b7791f", "#97266d"]

    var svg: String {
        let (right, bottom) = (Self.width - Self.right, Self.height - Self.bottom)
        let all = series.flatMap(\.points)
        let (xs, ys) = (Self.decades(all.map(\.x)), Self.decades(all.map(\.y)))
        func x(_ value: Double) -> Double {
            Self.left + (log10(value) - xs.from) / (xs.to - xs.from) * (right - Self.left)
        }
        func y(_ value: Double) -> Double {
            bottom - (log10(value) - ys.from) / (ys.to - ys.from) * (bottom - Self.top)
        }
        var parts: [String] = []
        for power in Int(xs.from)...Int(xs.to) {
            let place = x(pow(10, Double(power)))
            parts.append(Self.line(place, Self.top, place, bottom))
            parts.append(Self.text(place, bottom + 18, "middle", Self.label(power)))
        }
        for power in Int(ys.from)...Int(ys.to) {
            let place = y(pow(10, Double(power)))
            parts.append(Self.line(Self.left, place, right, place))
            parts.append(Self.text(Self.left - 8, place + 4, "end", Self.label(power)))
        }
        for (index, line) in series.enumerated() {
            let colour = Self.colours[index % Self.colours.count]
            let path = line.points.map { "\(x($0.x).text(1)),\(y($0.y).text(1))" }.joined(separator: " ")
            parts.append(#"<polyline points="\#(path)" fill="none" stroke="\#(colour)" stroke-width="2"/>"#)
            for point in line.points {
                let title = "<title>\(line.name): \(point.y.text(point.y < 10 ? 2 : 0))</title>"
                parts.append(
                    #"<circle cx="\#(x(point.x).text(1))" cy="\#(y(point.y).text(1))" r="3.5" fill="\#(colour)">\#(title)</circle>"#
                )
            }
            let place = Self.top + 8 + Double(index) * 20
            parts.append(
                #"<rect x="\#(right + 14)" y="\#(place - 5)" width="14" height="4" fill="\#(colour)"/>"#)
            parts.append(Self.text(right + 34, place, "start", line.name))
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(Self.width)) \(Int(Self.height))" \
            font-family="system-ui, sans-serif" font-size="12" fill="#808891" role="img" aria-label="\(title)">
            \(Self.text(Self.left, 20, "start", title))
            \(parts.joined(separator: "\n"))
            \(Self.text(right + 26, bottom + 18, "start", "domains"))
            </svg>

            """
    }

    /// The powers of ten around all values.
    private static func decades(_ values: [Double]) -> (from: Double, to: Double) {
        let from = floor(log10(values.min() ?? 1))
        return (from, max(from + 1, ceil(log10(values.max() ?? 10))))
    }

    private static func label(_ power: Int) -> String { pow(10, Double(power)).text(max(0, -power)) }

    private static func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> String {
        #"<line x1="\#(x1.text(1))" y1="\#(y1.text(1))" x2="\#(x2.text(1))" y2="\#(y2.text(1))" stroke="slategray" stroke-opacity="0.35"/>"#
    }

    private static func text(_ x: Double, _ y: Double, _ anchor: String, _ words: String) -> String {
        #"<text x="\#(x.text(1))" y="\#(y.text(1))" text-anchor="\#(anchor)">\#(words)</text>"#
    }
}
