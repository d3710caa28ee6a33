extension JSONParser {
    /// Reads a string from its opening quote to past its closing one.
    mutating func parseString() throws(JSONSyntaxError) -> String {
        index += 1
        let start = index
        // Nearly all strings hold no escape: they are taken in one piece.
        while index < bytes.count, bytes[index] != UInt8(ascii: "\""), bytes[index] != UInt8(ascii: "\\"),
            bytes[index] >= 0x20
        { index += 1 }
        if current == UInt8(ascii: "\"") {
            let string = try validated(bytes[start..<index], at: start)
            index += 1
            return string
        }
        var decoded = Array(bytes[start..<index])
        while let byte = current {
            switch byte {
            case UInt8(ascii: "\""):
                let string = try validated(decoded[...], at: start)
                index += 1
                return string
            case UInt8(ascii: "\\"):
                try parseEscape(into: &decoded)
            case 0..<0x20:
                throw fault("a control character inside a string must be escaped", causeInString(from: start))
            default:
                decoded.append(byte)
                index += 1
            }
        }
        throw fault(
            "expected the closing quote of a string, found the end of the file", causeInString(from: start))
    }

    private mutating func validated(_ slice: ArraySlice<UInt8>, at start: Int) throws(JSONSyntaxError) -> String {
        guard let string = String(validating: slice, as: UTF8.self) else {
            index = start
            throw fault("a string holds bytes that are no UTF-8", .invalidUTF8)
        }
        return string
    }

    private mutating func parseEscape(into decoded: inout [UInt8]) throws(JSONSyntaxError) {
        let start = index
        index += 1
        guard let letter = current else {
            throw fault("expected an escape sequence, found the end of the file", .cutShort)
        }
        index += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): decoded.append(letter)
        case UInt8(ascii: "b"): decoded.append(0x08)
        case UInt8(ascii: "f"): decoded.append(0x0C)
        case UInt8(ascii: "n"): decoded.append(0x0A)
        case UInt8(ascii: "r"): decoded.append(0x0D)
        case UInt8(ascii: "t"): decoded.append(0x09)
        case UInt8(ascii: "u"):
            var scalar = try parseHexUnit(from: start)
            if (0xD800..<0xDC00).contains(scalar), bytes[index...].starts(with: [0x5C, 0x75]) {
                index += 2
                let low = try parseHexUnit(from: start)
                if (0xDC00..<0xE000).contains(low) {
                    scalar = 0x10000 + ((scalar - 0xD800) << 10) + (low - 0xDC00)
                }
            }
            guard let character = Unicode.Scalar(scalar) else {
                index = start
                throw fault("an escape sequence names half of a surrogate pair", nil as LocatedCause?)
            }
            decoded.append(contentsOf: UTF8.encode(character) ?? UTF8.encodedReplacementCharacter)
        default:
            index = start + 1
            let (found, sign) = (describeCurrent(), word().prefix(1))
            index = start
            throw fault(
                "JSON knows no escape of \(found)", sign.isEmpty ? nil : .unknownEscape(Quoted.escaped(String(sign))))
        }
    }

    private mutating func parseHexUnit(from start: Int) throws(JSONSyntaxError) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = current, let digit = Character(UnicodeScalar(byte)).hexDigitValue, byte < 0x80 else {
                let cause: JSONSyntaxError.Cause? = current == nil ? .cutShort : nil
                index = start
                throw fault("expected four hexadecimal digits after '\\u'", cause)
            }
            unit = unit << 4 | UInt32(digit)
            index += 1
        }
        return unit
    }

    /// Reads a number and keeps it as written.
    mutating func parseNumber() throws(JSONSyntaxError) -> String {
        let start = index
        if current == UInt8(ascii: "-") { index += 1 }
        if current == UInt8(ascii: "0") {
            index += 1
        } else {
            try skipDigits()
        }
        if current == UInt8(ascii: ".") {
            index += 1
            try skipDigits()
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            index += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { index += 1 }
            try skipDigits()
        }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func skipDigits() throws(JSONSyntaxError) {
        let start = index
        while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
        guard index > start else { throw fault("expected a digit, found \(describeCurrent())", causeInNumber()) }
    }
}
