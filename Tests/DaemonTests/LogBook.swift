import Logging
import Synchronization

/// Keeps what is logged.
final class LogBook: Sendable {
    private let written = Mutex<[(message: String, record: String)]>([])

    var lines: [String] { written.withLock { $0.map(\.message) } }
    /// Each with its level and its metadata: `notice incident fired [domain=a.test, kind=cdn.stale]`.
    var records: [String] { written.withLock { $0.map(\.record) } }
    var logger: Logger { Logger(label: "book") { _ in Handler(book: self) } }

    private struct Handler: LogHandler {
        let book: LogBook
        var metadata = Logger.Metadata()
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let pairs = (event.metadata ?? [:]).map { "\($0.key)=\($0.value)" }.sorted().joined(separator: ", ")
            let message = event.message.description
            book.written.withLock { $0.append((message, "\(event.level.rawValue) \(message) [\(pairs)]")) }
        }
    }
}
