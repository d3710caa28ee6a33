import Logging
import Synchronization

/// Keeps all logged messages.
final class LogBook: Sendable {
    private let written = Mutex<[String]>([])

    var lines: [String] { written.withLock(\.self) }
    var logger: Logger { Logger(label: "book") { _ in Handler(book: self) } }

    private struct Handler: LogHandler {
        let book: LogBook
        var metadata = Logger.Metadata()
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { book.written.withLock { $0.append(event.message.description) } }
    }
}
