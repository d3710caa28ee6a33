import Facts
import Foundation

/// What came of one transfer. A failure is a value here: whatever arrived before it is kept.
package struct TransferResult: Sendable, Equatable {
    /// Of the last header block; nil where none arrived, or only informational ones (1xx).
    package internal(set) var status: Int?
    /// The last header block in the order received; values without surrounding white space, bytes that are not UTF-8 replaced.
    /// No informational block, no proxy's answer to CONNECT, no trailers.
    package internal(set) var headers: [HeaderField] = []
    /// Whether the headers came to their end. Where they did not, `status` and `headers` are the beginning of an answer
    /// that nobody finished.
    package internal(set) var headEnded = true
    package internal(set) var body = Data()
    /// Whether the body was longer than `TransferLimits.bodyBytes`; `body` is its beginning then.
    package internal(set) var isCapped = false
    /// Bytes of the body as they came over the wire, before decoding.
    package internal(set) var wireBytes = 0
    /// nil when nothing went wrong; a capped body is not an error.
    package internal(set) var error: CurlError?
    /// As far as it came. The address is that of the proxy where there is one. The chain is empty where it was refused (ask again
    /// with `.unverifiedHandshake`) and on a reused connection.
    package internal(set) var connection = Connection(timings: Timings(total: 0))
    package internal(set) var isReused = false
    /// The addresses that the resolver of this machine gave for the host; none where it was not asked, as the user's own rules or
    /// a proxy say where the host is.
    package internal(set) var resolved: [String] = []
    /// What was said to a mail server, and what it replied; nil for HTTP.
    package internal(set) var mail: MailDialogue?

    /// The first value of a header; `name` in any case.
    package func header(_ name: String) -> String? {
        let wanted = name.lowercased()
        return headers.first { $0.name == wanted }?.value
    }

    package var failure: Failure? { error?.failure }

    /// How long it took.
    package var duration: Duration { .milliseconds(connection.timings.total) }
}
