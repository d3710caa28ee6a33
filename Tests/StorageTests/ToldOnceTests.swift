import Storage
import Testing

extension StorageSuite {
    @Test("trouble that stays is news once, other trouble is news again, and so is its end")
    func toldOnce() {
        let told = ToldOnce()
        #expect(!told.isOver())
        #expect(told.isNews("away") && !told.isNews("away"))
        #expect(told.isNews("slow") && !told.isNews("slow") && told.isNews("away"))
        #expect(told.isOver() && !told.isOver())
        #expect(told.isNews("away"))
    }
}
