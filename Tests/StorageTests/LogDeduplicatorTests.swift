import Storage
import Testing

extension StorageSuite {
    @Test("a lasting problem is logged once, each new problem again, and its end once")
    func logDeduplicator() {
        let log = LogDeduplicator()
        #expect(!log.isOver())
        #expect(log.isNews("away") && !log.isNews("away"))
        #expect(log.isNews("slow") && !log.isNews("slow") && log.isNews("away"))
        #expect(log.isOver() && !log.isOver())
        #expect(log.isNews("away"))
    }
}
