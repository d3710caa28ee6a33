import Facts
import Foundation

/// The outcome of one transfer. A failure is a value, so the data received before it is kept.
package struct TransferResult: Sendable, Equatable {
    /// Status of the last header block; nil if none arrived, or only informational ones (1xx).
    package internal(set) var status: Int?
    /// The last header block in the order received, without surrounding white space; bytes that are not UTF-8 are
    /// replaced. Excludes informational blocks, a proxy's answer to CONNECT, and trailers.
    package internal(set) var headers: [HeaderField] = []
    /// Whether the headers are complete. If not, `status` and `headers` are the beginning of an unfinished answer.
    package internal(set) var headEnded = true
    package internal(set) var body = Data()
    /// Whether the body was longer than `TransferLimits.bodyBytes`; `body` is then its beginning.
    package internal(set) var isCapped = false
    /// Bytes of the body on the wire, before decoding.
    package internal(set) var wireBytes = 0
    /// nil if nothing went wrong; a capped body is not an error.
    package internal(set) var error: CurlError?
    /// As far as the connection got. The address is the proxy's, if there is one. The chain is empty if it was refused
    /// (read it with `.unverifiedHandshake`) and on a reused connection.
    package internal(set) var connection = Connection(timings: Timings(total: 0))
    package internal(set) var isReused = false
    /// The addresses that this machine's resolver gave for the host. Empty if a rule or a proxy decides instead.
    package internal(set) var resolved: [String] = []
    /// The dialogue with a mail server; nil for HTTP.
    package internal(set) var mail: MailDialogue?

    /// The first value of a header; `name` is case-insensitive.
    package func header(_ name: String) -> String? {
        let wanted = name.lowercased()
        return headers.first { $0.name == wanted }?.value
    }

    package var failure: Failure? { error?.failure }

    package var duration: Duration { .milliseconds(connection.timings.total) }
}
