import Storage
import Testing

extension StorageSuite {
    @Test("trouble that stays is logged once, other trouble again, and so is its end")
    func logDeduplicator() {
        let log = LogDeduplicator()
        #expect(!log.isOver())
        #expect(log.isNews("away") && !log.isNews("away"))
        #expect(log.isNews("slow") && !log.isNews("slow") && log.isNews("away"))
        #expect(log.isOver() && !log.isOver())
        #expect(log.isNews("away"))
    }
}
