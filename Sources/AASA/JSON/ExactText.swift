// Names and keys as devices and JSON compare them: byte by byte. To Swift's String two spellings of one accented letter are
// equal, and a Kelvin sign is a K; and to tell that two are not takes it the square of the marks on one letter.

/// A text that is equal to none but the same bytes.
struct ExactText: Hashable, Sendable, ExpressibleByStringLiteral {
    let text: String

    init(_ text: String) { self.text = text }

    init(stringLiteral text: String) { self.text = text }

    static func == (left: ExactText, right: ExactText) -> Bool { left.text.isExactly(right.text) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension StringProtocol {
    /// Whether the bytes are the same.
    package func isExactly(_ other: some StringProtocol) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }
}

extension Sequence where Element == String {
    /// Whether one of them has the same bytes.
    package func containsExactly(_ text: String) -> Bool { contains { $0.isExactly(text) } }

    /// Without repetition, in order.
    package var uniqued: [String] {
        var seen: Set<ExactText> = []
        return filter { seen.insert(ExactText($0)).inserted }
    }
}
