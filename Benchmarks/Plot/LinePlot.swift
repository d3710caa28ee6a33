import Foundation

/// Lines over the number of domains, both axes logarithmic; readable on light and on dark paper.
struct LinePlot {
    struct Series {
        let name: String
        let points: [(x: Double, y: Double)]
    }

    let title: String
    let series: [Series]

    private static let (width, height, left, right, top, bottom) = (600.0, 300.0, 56.0, 230.0, 36.0, 36.0)
    private static let colours = ["#2b6cb0", "#b7791f", "#97266d"]

    var svg: String {
        let all = series.flatMap(\.points).filter { $0.x > 0 && $0.y > 0 }
        let (xs, ys) = (Self.decades(all.map(\.x)), Self.decades(all.map(\.y)))
        func x(_ value: Double) -> Double {
            Self.left + (log10(value) - xs.from) / (xs.to - xs.from) * (Self.width - Self.left - Self.right)
        }
        func y(_ value: Double) -> Double {
            Self.height - Self.bottom - (log10(value) - ys.from) / (ys.to - ys.from)
                * (Self.height - Self.top - Self.bottom)
        }
        var parts: [String] = []
        for power in Int(xs.from)...Int(xs.to) {
            let place = x(pow(10, Double(power)))
            parts.append(Self.line(place, Self.top, place, Self.height - Self.bottom))
            parts.append(Self.text(place, Self.height - Self.bottom + 18, "middle", Self.label(power)))
        }
        for power in Int(ys.from)...Int(ys.to) {
            let place = y(pow(10, Double(power)))
            parts.append(Self.line(Self.left, place, Self.width - Self.right, place))
            parts.append(Self.text(Self.left - 8, place + 4, "end", Self.label(power)))
        }
        for (index, line) in series.enumerated() {
            let colour = Self.colours[index % Self.colours.count]
            let points = line.points.filter { $0.x > 0 && $0.y > 0 }.sorted { $0.x < $1.x }
            let path = points.map { "\(Self.number(x($0.x))),\(Self.number(y($0.y)))" }.joined(separator: " ")
            parts.append(#"<polyline points="\#(path)" fill="none" stroke="\#(colour)" stroke-width="2"/>"#)
            for point in points {
                let value = PlainTable.number(point.y, digits: point.y < 10 ? 2 : 0)
                parts.append(
                    #"<circle cx="\#(Self.number(x(point.x)))" cy="\#(Self.number(y(point.y)))" r="3.5" fill="\#(colour)"><title>\#(line.name): \#(value)</title></circle>"#
                )
            }
            let place = Self.top + 8 + Double(index) * 20
            let side = Self.width - Self.right + 14
            parts.append(
                #"<rect x="\#(side)" y="\#(place - 5)" width="14" height="4" fill="\#(colour)"/>"#)
            parts.append(Self.text(side + 20, place, "start", line.name))
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(Self.width)) \(Int(Self.height))" \
            font-family="system-ui, sans-serif" font-size="12" fill="#808891" role="img" aria-label="\(title)">
            \(Self.text(Self.left, 20, "start", title))
            \(parts.joined(separator: "\n"))
            \(Self.text(Self.width - Self.right + 26, Self.height - Self.bottom + 18, "start", "domains"))
            </svg>

            """
    }

    /// The powers of ten around all values.
    private static func decades(_ values: [Double]) -> (from: Double, to: Double) {
        let from = floor(log10(values.min() ?? 1))
        return (from, max(from + 1, ceil(log10(values.max() ?? 10))))
    }

    private static func label(_ power: Int) -> String {
        power < 0
            ? PlainTable.number(pow(10, Double(power)), digits: -power) : "1" + String(repeating: "0", count: power)
    }

    private static func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> String {
        #"<line x1="\#(number(x1))" y1="\#(number(y1))" x2="\#(number(x2))" y2="\#(number(y2))" stroke="slategray" stroke-opacity="0.35"/>"#
    }

    private static func text(_ x: Double, _ y: Double, _ anchor: String, _ words: String) -> String {
        #"<text x="\#(number(x))" y="\#(number(y))" text-anchor="\#(anchor)">\#(words)</text>"#
    }

    private static func number(_ value: Double) -> String { PlainTable.number(value, digits: 1) }
}
