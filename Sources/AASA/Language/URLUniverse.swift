// The URLs that there are, as the matcher sees them: a path as `PathNormalization` leaves it, query and fragment, and only
// characters that may stand in a URL, with `%` before two hexadecimal digits alone. Patterns are compared over these.

enum URLPhase: Int {
    case path, query, fragment
}

/// What of the text so far restricts the text to come.
enum UniversePlace: Int32 {
    case start
    case afterSlash
    case afterStar
    case afterOther
    /// One digit of an escape is missing, or two.
    case inEscape
    case afterPercent

    /// Whether the part may end here.
    func mayEnd(_ phase: URLPhase) -> Bool {
        switch self {
        case .start: phase != .path
        case .afterSlash, .afterStar: true
        case .afterOther: phase != .path
        case .inEscape, .afterPercent: false
        }
    }

    /// The place after one more character; nil where no URL goes on so. `isStarPlain` tells that an asterisk is to the
    /// patterns as any letter: it is interesting at the end of a path alone, where it stands for the final slash.
    func step(_ byte: UInt8, _ phase: URLPhase, isStarPlain: Bool) -> UniversePlace? {
        switch self {
        case .afterPercent: return ByteSet.hexDigits.contains(byte) ? .inEscape : nil
        case .inEscape: return ByteSet.hexDigits.contains(byte) ? .afterOther : nil
        case .start where phase == .path: return byte == UInt8(ascii: "/") ? .afterSlash : nil
        case .afterSlash where phase == .path && byte == UInt8(ascii: "/"): return nil
        case .afterStar where isStarPlain || byte == UInt8(ascii: "*"): return nil
        default: break
        }
        if byte == UInt8(ascii: "%") { return .afterPercent }
        guard phase == .path else { return .afterOther }
        switch byte {
        case UInt8(ascii: "/"): return .afterSlash
        case UInt8(ascii: "*"): return .afterStar
        default: return .afterOther
        }
    }
}

extension MatchableURL {
    /// Whether it is one of the URLs that patterns are compared over; others hold a `%` that begins no escape.
    var isInUniverse: Bool {
        [(URLPhase.path, path), (.query, query), (.fragment, fragment)].allSatisfy { phase, text in
            var place = UniversePlace.start
            for byte in text.utf8 {
                guard let next = place.step(byte, phase, isStarPlain: false) else { return false }
                place = next
            }
            return place.mayEnd(phase)
        }
    }
}
