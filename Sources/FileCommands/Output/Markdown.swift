import Evidence
import Facts
import Foundation

/// Foreign text within Markdown, on one line and without effect.
package enum Markdown {
    /// Escapes each character that could begin markup, and `&` and `<` against HTML.
    package static func text(_ text: String) -> String {
        let result = text.displayable.escaped { scalar in
            switch scalar {
            case "\\", "`", "*", "_", "{", "}", "[", "]", "(", ")", "#", "+", "!", "|", "~", ">": "\\\(scalar)"
            case "&": "&amp;"
            case "<": "&lt;"
            // Prevents a mention.
            case "@": "@\u{2060}"
            case _ where scalar.properties.isWhitespace && Character(scalar).isNewline: " "
            default: nil
            }
        }
        // Prevents an automatic link.
        return result.replacing("://", with: ":\u{2060}//").replacing("www.", with: "www\u{2060}.")
    }

    /// The target of a link; only for our own URLs.
    package static func link(_ url: String) -> String {
        url.replacing("(", with: "%28").replacing(")", with: "%29").replacing(" ", with: "%20")
    }
}
