import Logging
import Testing

@testable import Daemon

extension DaemonSuite {
    @Suite struct JournalTests {
        @Test("a level has the priority of syslog")
        func priorities() {
            #expect(Logger.Level.allCases.map(Journal.priority) == ["<7>", "<7>", "<6>", "<5>", "<4>", "<3>", "<2>"])
        }
    }
}
