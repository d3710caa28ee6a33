// What receivers got in a run, as text. `make replay` compares it with the files in Tests/SimulationTests/Recordings.

import Foundation

struct Recording {
    private(set) var text = ""
    /// The title of each message, by its body.
    private var titles: [Data: String] = [:]
    /// The last state sent to a channel without messages of its own.
    private var stated: [String: String] = [:]

    /// `stated`: the content of the body, for a channel that gets all firing incidents each minute; recorded only when
    /// it changes.
    mutating func note(_ passed: Int64, _ sender: String, _ body: Data, stating stated: String? = nil) {
        if let stated, self.stated.updateValue(stated, forKey: sender) == stated { return }
        let title = "\(EventLog.clock(passed)) \(sender)"
        text += "# \(title)\n"
        if let first = titles[body] {
            text += "the same as \(first)\n"
        } else {
            titles[body] = title
            text += Self.lines(body) + "\n"
        }
    }

    /// JSON with one line for each entry of its outer levels, which keeps differences short. Without the line breaks
    /// and the spaces after them, the bytes are unchanged.
    private static func lines(_ body: Data) -> String {
        var text: [UInt8] = []
        var depth = 0
        var isString = false
        var isEscaped = false
        func end() { text += [UInt8(ascii: "\n")] + Array(repeating: UInt8(ascii: " "), count: depth) }
        for byte in body {
            if isString {
                text.append(byte)
                if !isEscaped, byte == UInt8(ascii: "\"") { isString = false }
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                text.append(byte)
                if depth <= 2 { end() }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                text.append(byte)
            case UInt8(ascii: ","):
                text.append(byte)
                if depth <= 2 { end() }
            default:
                text.append(byte)
                isString = byte == UInt8(ascii: "\"")
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
