import AASA
import Testing

extension AASASuite {
    @Suite("Spelling")
    struct SpellingTests {
        @Test(
            "the distance of two words is counted in typing errors",
            arguments: [
                ("interval", "interval", 0), ("interva1", "interval", 1), ("itnerval", "interval", 1),
                ("intervall", "interval", 1), ("intrvl", "interval", 2), ("", "ab", 2), ("kitten", "sitting", 3),
            ])
        func distance(left: String, right: String, expected: Int) {
            #expect(Spelling.distance(Array(left), Array(right)) == expected)
            #expect(Spelling.distance(Array(right), Array(left)) == expected)
        }

        @Test("the nearest word within two typing errors is suggested")
        func nearest() {
            let words = ["interval", "timeout", "log", "url"]
            #expect(Spelling.nearest(to: "Interval", among: words) == "interval")
            #expect(Spelling.nearest(to: "tiemotu", among: words) == "timeout")
            #expect(Spelling.nearest(to: "lgo", among: words) == "log")
            #expect(Spelling.nearest(to: "zzz", among: words) == nil)
            #expect(Spelling.nearest(to: "", among: words) == nil)
        }
    }
}
