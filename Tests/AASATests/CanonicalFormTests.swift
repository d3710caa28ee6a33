import AASA
import Testing

extension AASASuite {
    @Suite("Canonical form")
    struct CanonicalFormTests {
        @Test(
            "texts that differ in notation only have one form",
            arguments: [
                (#"{"a":1,"b":2}"#, "{ \"b\" : 2,\n\t\"a\" : 1 }\n"), (#""\u0041\/é""#, "\"A/\\u00e9\""),
                ("1", "1.0"), ("1", "1e0"), ("100", "1E+2"), ("0.1", "1e-1"), ("0.10", "0.1"), ("0", "-0.0"),
                ("0", "0e99"), ("-1.50", "-15e-1"), ("{}", "\u{FEFF}{}"), (#""\u001f""#, #""\u001F""#),
                ("12345678901234567890", "12345678901234567890.0"),
            ])
        func same(_ left: String, _ right: String) throws {
            #expect(try document(left).root.canonicalForm == document(right).root.canonicalForm)
        }

        @Test(
            "texts that differ in meaning have different forms",
            arguments: [
                ("[1,2]", "[2,1]"), (#"{"a":1}"#, #"{"a":"1"}"#), (#"{"a":null}"#, "{}"), ("true", "\"true\""),
                ("[]", "{}"), ("[[]]", "[]"), ("1", "-1"), ("1", "10"), (#"{"a":1,"a":2}"#, #"{"a":2,"a":1}"#),
                (#"{"a":1,"a":2}"#, #"{"a":2}"#), ("\"\u{E9}\"", "\"e\u{301}\""), (#""a\"b""#, #""ab""#),
                ("9007199254740993.0", "9007199254740992"), ("0.1", "0.10000000000000000001"),
                ("1e400", "2e400"), (#"{"a":{"b":1}}"#, #"{"a":{},"b":1}"#),
            ])
        func different(_ left: String, _ right: String) throws {
            #expect(try document(left).root.canonicalForm != document(right).root.canonicalForm)
        }

        @Test(
            "the canonical form is JSON of the same meaning",
            arguments: [
                #"{"b":[1.50,"x\n\u0001\"\\"],"a":{"é":null}}"#, "[1e5, 1e-5, -0, 1e99999999999999999999]",
                "\"\u{7F}\"",
            ])
        func readable(_ text: String) throws {
            let form = try document(text).root.canonicalForm
            #expect(try JSONDocument(parsing: form).root.canonicalForm == form)
        }
    }
}
