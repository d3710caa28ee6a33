// The markup of the propagation chart: the changes, a line for each place, and the time axis; then the same as a table.

import Evidence
import Monitoring

extension PropagationChart {
    var html: HTML {
        let head = marks.map { mark -> HTML in
            let dx = mark.anchor == "end" ? -4 : 4
            return """
                <line class="mark-line" x1="\(mark.x)" x2="\(mark.x)" y1="0" y2="32"/>\
                <text class="strong" x="\(mark.x)" dx="\(dx)" y="11" text-anchor="\(mark.anchor)">\(mark.title)\
                \(#"<tspan class="wide"> deployed</tspan>"#, if: !mark.title.isEmpty)</text>\
                <text class="when" x="\(mark.x)" dx="\(dx)" y="25" text-anchor="\(mark.anchor)">\(mark.text)</text>
                """
        }
        let late = limit.map {
            #"<text class="late" x="\#($0.x)" y="25" text-anchor="\#($0.anchor)">\#($0.title)</text>"# as HTML
        }
        return """
            <section id="propagation" class="propagation">
            <div class="heading"><h2>Which version each place serves</h2>\
            \(present.map { #" <span class="soft"><b class="now">\#($0)</b> is the origin’s file</span>"# })\
            <ul class="switch">\(windows.map { "<li>\($0)</li>" })</ul></div>
            <div class="lanes" role="group" aria-label="\(text)">
            \(Self.above(head, late), if: !head.isEmpty || late != nil)\
            \(lanes.enumerated().map { lanes($0.element, $0.offset) })\
            \(axis)
            </div>
            <details id="propagation-table"><summary>Legend and table</summary>
            <ul class="legend">\(legend.map(Self.key))\(Self.fixedKeys)</ul>
            \(bandText.map { #"<p class="fine">\#($0).</p>"# })
            \(HTML.table(["Place", "Serves", "First seen"], rows.map(Self.row)))</details>
            </section>
            """
    }

    private static func above(_ marks: [HTML], _ limit: HTML?) -> HTML {
        """
        <div class="lane head"><span></span><svg width="100%" height="32" aria-hidden="true">\(marks)\(limit)</svg>\
        <span></span></div>

        """
    }

    // MARK: - The legend

    private static func key(_ entry: Legend) -> HTML {
        key(
            #"<rect class="\#(entry.kind)" width="18" height="12"\#(fill(entry.pattern))/>"#, "<b>\(entry.name)</b> ",
            "\(entry.text)")
    }

    private static let fixedKeys: [HTML] = [
        key(#"<line class="mute" x1="0" x2="18" y1="6" y2="6"/>"#, "", "no answer"),
        key(#"<rect class="behind" y="5" width="18" height="2"/>"#, "", "behind"),
        key(#"<rect class="behind late" y="4" width="18" height="4"/>"#, "", "behind for too long"),
    ]

    private static func key(_ swatch: HTML, _ name: HTML, _ text: HTML) -> HTML {
        """
        <li><svg class="swatch" width="18" height="12" aria-hidden="true">\(swatch)</svg> \(name)\
        <span class="soft">\(text)</span></li>
        """
    }

    /// nil: the style fills it with a colour.
    private static func fill(_ pattern: String?) -> HTML {
        pattern.map { #" fill="\#($0)""# } ?? ""
    }

    // MARK: - A place

    /// One lane, or several similar ones folded into one line.
    private func lanes(_ lanes: [Lane], _ place: Int) -> HTML {
        guard lanes.count > 1, let slowest = lanes.last else {
            return "\(lanes.map { "<div class=\"lane\(" origin", if: $0.isOrigin)\">\(strip($0, name($0)))</div>\n" })"
        }
        let several: HTML = """
            <span class="place"><b>\(lanes.count) edges</b> <span class="show">show</span></span>
            """
        return """
            <details class="fold" id="fold-\(place)"><summary class="lane">\(strip(slowest, several))</summary>
            \(lanes.map { "<div class=\"lane\">\(strip($0, name($0)))</div>\n" })</details>

            """
    }

    private func name(_ lane: Lane) -> HTML {
        #"<span class="place"><b>\#(lane.name)</b> <span class="code">\#(lane.detail)</span></span>"#
    }

    private func strip(_ lane: Lane, _ name: HTML) -> HTML {
        let segments = lane.segments.map { segment -> HTML in
            let label = segment.label.map {
                #"<text class="on \#(segment.kind)\#(" wide", if: segment.isShort)" x="\#(segment.x)" dx="5" y="15.5">\#($0)</text>"#
                    as HTML
            }
            return """
                <rect class="seg \(segment.kind)" x="\(segment.x)" y="3" width="\(segment.width)" height="17"\
                \(Self.fill(segment.pattern))><title>\(segment.title)</title></rect>\(label)
                """
        }
        let mutes = lane.mutes.map {
            #"<line class="mute" x1="\#($0.from)" x2="\#($0.to)" y1="11.5" y2="11.5"/>"# as HTML
        }
        let lags = lane.lags.map { lag -> HTML in
            lag.isLate
                ? #"<rect class="behind late" x="\#(lag.x)" y="21" width="\#(lag.width)" height="4"/>"#
                : #"<rect class="behind" x="\#(lag.x)" y="22" width="\#(lag.width)" height="2"/>"#
        }
        return """
            \(name)\
            <svg width="100%" height="26" aria-hidden="true">\(behind)\(segments)\(mutes)\(lags)\(before)</svg>\
            <span class="verdict \(lane.tone)">\(lane.mark.map { "\(HTML.mark($0)) " })\(lane.status)</span>
            """
    }

    /// What each lane draws first: the usual time and the grid.
    private var behind: HTML {
        let band = band.map { #"<rect class="band" x="\#($0.x)" y="0" width="\#($0.width)" height="26"/>"# as HTML }
        return "\(band)\(ticks.map { Self.line("grid", $0.x) })"
    }

    /// What each lane draws last.
    private var before: HTML {
        """
        \(marks.map { Self.line("mark-line", $0.x) })\(limit.map { Self.line("limit-line", $0.x) })\
        \(Self.line("now-line", now))
        """
    }

    private static func line(_ kind: HTML, _ x: String) -> HTML {
        #"<line class="\#(kind)" x1="\#(x)" x2="\#(x)" y1="0" y2="26"/>"#
    }

    // MARK: - The time, and the table

    private var axis: HTML {
        let texts = ticks.map { #"<text x="\#($0.x)" y="12" text-anchor="middle">\#($0.text)</text>"# as HTML }
        let off = pauses.map {
            #"<text x="\#($0.x)" y="27" text-anchor="\#($0.anchor)">\#($0.title)</text>"# as HTML
        }
        return """
            <div class="lane axis"><span></span><svg width="100%" height="\(pauses.isEmpty ? 16 : 32)" aria-hidden="true">\(texts)\
            <text class="strong" x="\(now)" y="12" text-anchor="end">now</text>\(off)</svg><span></span></div>
            """
    }

    private static func row(_ row: Row) -> HTML {
        """
        <tr role="row"><th role="rowheader" scope="row"><bdi>\(row.place)</bdi></th>\
        <td role="cell">\(row.serves)</td><td role="cell">\(row.since)</td></tr>

        """
    }
}
