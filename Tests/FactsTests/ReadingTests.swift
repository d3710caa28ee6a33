import Facts
import Foundation
import Testing

@Suite("Text from servers and libraries")
struct ReadingTests {
    @Test("an HTTP date is read to the second, in GMT")
    func date() {
        #expect(Date(http: "Sun, 06 Nov 1994 08:49:37 GMT") == Date(timeIntervalSince1970: 784_111_777))
        #expect(Date(http: "Sat, 29 Feb 2020 00:00:00 GMT") == Date(timeIntervalSince1970: 1_582_934_400))
        #expect(Date(http: "Sat, 31 Dec 2016 23:59:60 GMT") == Date(timeIntervalSince1970: 1_483_228_800))
    }

    @Test(
        "anything else is not a date",
        arguments: [
            "", "yesterday", "0", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
            "Sun, 06 Nov 1994 08:49:37 +0900", "Sun, 06 Nov 1994 08:49:xx:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
            "Sun, 31 Feb 2021 00:00:00 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, -6 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov +1994 08:49:37 GMT", "Sun, 06 Nov 99999999999999999999 08:49:37 GMT",
        ])
    func noDate(_ text: String) {
        #expect(Date(http: text) == nil)
    }

    @Test(
        "OpenSSL's dates are read",
        arguments: [("Nov  1 08:00:00 2026 GMT", 1_793_520_000.0), ("Jan 31 23:59:59 2030 GMT", 1_896_134_399.0)])
    func dates(_ text: String, _ seconds: Double) {
        #expect(Date(openSSL: text) == Date(timeIntervalSince1970: seconds))
    }

    @Test("an invalid date is refused", arguments: ["", "Nov 1", "Foo  1 08:00:00 2026 GMT", "Nov  1 08:00 2026 GMT"])
    func noDates(_ text: String) { #expect(Date(openSSL: text) == nil) }

    @Test(
        "spaces around a header's value are removed, others stay",
        arguments: [
            (" text/html\r\n", "text/html"), ("\t a  b \n", "a  b"), ("\u{a0}x\r\n", "\u{a0}x"), ("", ""),
            (" \r\n", ""),
        ])
    func blanks(text: String, expected: String) { #expect(text[...].withoutBlanks == expected) }
}
