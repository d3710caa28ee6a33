// The builder of the pages.

import Evidence
import Foundation
import Report

/// A piece of markup.
///
/// Its literals are markup. An interpolated `String` is text and is escaped; an interpolated `HTML` is markup already.
/// So text from the network, the store or a form never becomes markup by mistake: that needs `HTML(unescaped:)`, and a
/// test lists its uses.
struct HTML: ExpressibleByStringInterpolation, Equatable, Sendable {
    private(set) var bytes: [UInt8]

    /// A `StaticString`, and never a `String`: only text in the source is a literal.
    init(stringLiteral literal: StaticString) { bytes = literal.withUTF8Buffer { Array($0) } }

    init(stringInterpolation: StringInterpolation) { bytes = stringInterpolation.bytes }

    /// For our own resources that are markup.
    init(unescaped markup: [UInt8]) { bytes = markup }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var bytes: [UInt8] = []

        init(literalCapacity: Int, interpolationCount: Int) {
            bytes.reserveCapacity(literalCapacity + interpolationCount * 24)
        }

        mutating func appendLiteral(_ literal: StaticString) {
            literal.withUTF8Buffer { bytes.append(contentsOf: $0) }
        }

        /// Text, between tags or between the double quotes of an attribute.
        ///
        /// It is escaped byte by byte, not by character: after a letter of the class Prepend (such as U+0D4E), or before a
        /// combining mark, a `<` is no longer equal to `"<"`. In UTF-8, these bytes occur nowhere else.
        mutating func appendInterpolation(_ text: String) {
            var text = text
            text.withUTF8 { utf8 in
                var start = 0
                for (place, byte) in utf8.enumerated() {
                    guard let entity = Self.entity(of: byte) else { continue }
                    bytes.append(contentsOf: utf8[start..<place])
                    entity.withUTF8Buffer { bytes.append(contentsOf: $0) }
                    start = place + 1
                }
                bytes.append(contentsOf: utf8[start...])
            }
        }

        mutating func appendInterpolation(_ number: some BinaryInteger) { appendInterpolation(String(number)) }

        mutating func appendInterpolation(_ html: HTML) { bytes.append(contentsOf: html.bytes) }

        mutating func appendInterpolation(_ html: HTML?) {
            if let html { appendInterpolation(html) }
        }

        mutating func appendInterpolation(_ pieces: [HTML]) {
            for piece in pieces { appendInterpolation(piece) }
        }

        /// Markup on a condition. `?:` between two literals would make a `String` of them.
        mutating func appendInterpolation(_ html: @autoclosure () -> HTML, if condition: Bool) {
            if condition { appendInterpolation(html()) }
        }

        private static func entity(of byte: UInt8) -> StaticString? {
            switch byte {
            case UInt8(ascii: "<"): "&lt;"
            case UInt8(ascii: ">"): "&gt;"
            case UInt8(ascii: "&"): "&amp;"
            case UInt8(ascii: "\""): "&quot;"
            case UInt8(ascii: "'"): "&#39;"
            // HTML allows no NUL: https://html.spec.whatwg.org/multipage/parsing.html#parse-error-unexpected-null-character
            case 0: "\u{FFFD}"
            default: nil
            }
        }
    }
}

// MARK: - Pieces that several pages have

extension HTML {
    /// A symbol of `marks.svg`.
    static func mark(_ name: String) -> HTML {
        ##"<svg class="mark" aria-hidden="true"><use href="#\##(name)"/></svg>"##
    }

    /// The same in the colour of a state.
    static func mark(_ name: String, _ tone: String) -> HTML {
        ##"<svg class="mark \##(tone)" aria-hidden="true"><use href="#\##(name)"/></svg>"##
    }

    /// An instant. The script adds the reader's local time. `text`: the instant in UTC.
    static func time(_ shown: Date, _ text: String) -> HTML { #"<time datetime="\#(shown.rfc3339)">\#(text)</time>"# }

    /// A domain in Unicode; its ASCII form as the title if the two differ.
    static func name(_ domain: Domain) -> HTML {
        let shown = domain.unicodeName
        return shown == domain.name
            ? "<bdi>\(shown)</bdi>" : #"<bdi title="\#(domain.name)">\#(shown.displayable)</bdi>"#
    }

    static func link(_ domain: Domain) -> HTML { #"<a href="/domains/\#(domain.name)">\#(name(domain))</a>"# }

    /// Facts in a line.
    static func list(_ parts: [HTML]) -> HTML {
        "\(parts.enumerated().map { place, part -> HTML in "\(" · ", if: place > 0)\(part)" })"
    }

    static func option(_ value: String, _ text: String, isChosen: Bool) -> HTML {
        #"<option value="\#(value)"\#(" selected", if: isChosen)>\#(text)</option>"#
    }

    /// One of several views that a page offers.
    static func choice(_ text: String, _ address: String, isChosen: Bool) -> HTML {
        #"<a href="\#(address)"\#(#" aria-current="true""#, if: isChosen)>\#(text)</a>"#
    }

    /// An instant, as short as the time of the page allows.
    static func time(_ shown: Date, _ time: ReportTime) -> HTML { Self.time(shown, time.clock(shown)) }

    static func hidden(_ name: String, _ value: String) -> HTML {
        #"<input type="hidden" name="\#(name)" value="\#(value)">"#
    }

    /// The roles restore the table semantics that a style with `display` removes.
    static func table(_ columns: [HTML], _ rows: [HTML], kind: HTML = "plain") -> HTML {
        """
        <table role="table" class="list \(kind)">\(columnHeads(columns))\
        <tbody role="rowgroup">\(rows)</tbody></table>
        """
    }

    static func columnHeads(_ columns: [HTML]) -> HTML {
        """
        <thead role="rowgroup"><tr role="row">\
        \(columns.map { #"<th role="columnheader" scope="col">\#($0)</th>"# })\
        </tr></thead>
        """
    }

    static func fact(_ name: String, _ text: String) -> HTML { fact(name, "<bdi>\(text)</bdi>" as HTML) }

    static func fact(_ name: String, _ markup: HTML) -> HTML { "<div><dt>\(name)</dt><dd>\(markup)</dd></div>" }

    /// The heading of a section, with a note and a link beside it.
    static func heading(_ title: String, _ note: String? = nil, _ aside: HTML? = nil) -> HTML {
        """
        <div class="heading"><h2>\(title)</h2>\(note.map { #" <span class="soft">\#($0)</span>"# })\(aside)</div>
        """
    }
}
