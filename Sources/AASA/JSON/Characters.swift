// Characters that look like others, do not show, or steer what shows them: files and answers of strangers hold all three.

extension Unicode.Scalar {
    /// Quotation marks, dashes and dots that word processors put in place of those of ASCII.
    package var isTypographic: Bool {
        switch value {
        case 0xAB, 0xBB, 0x2010...0x2015, 0x2018...0x201F, 0x2026, 0x2032, 0x2033, 0x2039, 0x203A, 0x2212, 0xFF02,
            0xFF07:
            true
        default: false
        }
    }

    /// Blanks other than the plain one, and characters of no width.
    package var isInvisible: Bool {
        switch value {
        case 0xA0, 0xAD, 0x2000...0x200F, 0x2028...0x202F, 0x205F...0x2064, 0x2066...0x2069, 0x3000, 0xFEFF: true
        default: false
        }
    }

    /// Controls, bidirectional overrides and others that move a cursor or turn text around, and what has no shape of its own.
    package var isSteering: Bool {
        if value < 0x7F { return value < 0x20 }
        return switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: true
        default: false
        }
    }
}

extension Unicode.Scalar {
    /// Such as `U+2013 (en dash)`.
    var numberAndName: String {
        let digits = String(value, radix: 16, uppercase: true)
        let name = properties.name.map { " (\($0.lowercased()))" } ?? ""
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + name
    }

    /// As messages name it: one that cannot be seen, or is taken for another one, by its number.
    var visible: String {
        isTypographic || isInvisible ? numberAndName : self == " " ? "the blank" : Quoted.text(String(self))
    }
}

extension UInt8 {
    /// In ASCII.
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
