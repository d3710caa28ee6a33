import Logging
import Testing

@testable import Daemon

extension DaemonSuite {
    @Suite struct JournalTests {
        @Test("each log level has its syslog priority")
        func priorities() {
            #expect(Logger.Level.allCases.map(Journal.priority) == ["<7>", "<7>", "<6>", "<5>", "<4>", "<3>", "<2>"])
        }
    }
}
