// Text from a watched site goes to terminals, logs and chats. It must not be able to move a cursor or turn text around.

extension String {
    /// The text with control characters, bidirectional overrides and other invisible steering replaced by `�`.
    package var displayable: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: "\u{FFFD}"
                    default: scalar
                    }
                }))
    }

    /// Text of a server's as a part of a sentence: cleaned, and short enough that the sentence is still read to its end.
    package var inSentence: String { displayable.shortened(to: 100) }

    /// The text cut to `limit` characters, with an ellipsis where something was cut. A character that carries marks without
    /// end counts by its scalars: the result is never longer than four times the limit in those.
    package func shortened(to limit: Int) -> String {
        let cut = count <= limit ? self : prefix(max(0, limit - 1)) + "…"
        let scalars = cut.unicodeScalars
        return scalars.count <= 4 * limit ? cut : String(scalars.prefix(max(0, 4 * limit - 1))) + "…"
    }
}
