import Foundation

/// What the server serves: an ordinary file of 1 KB.
enum ServedFile {
    static let bytes = 1024

    static var content: Data {
        let start = #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":["#
        let end = #"{"/":"/*"}]}]}}"#
        var rules = ""
        var number = 100
        while start.utf8.count + rules.utf8.count + end.utf8.count < bytes - 32 {
            rules += #"{"/":"/section/\#(number)/*"},"#
            number += 1
        }
        // White space at the end makes up the rest.
        let text = start + rules + end
        return Data((text + String(repeating: "\n", count: max(0, bytes - text.utf8.count))).utf8)
    }
}
