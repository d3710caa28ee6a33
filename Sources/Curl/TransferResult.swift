import Foundation

/// What came of one transfer. A failure is a value here: whatever arrived before it is kept.
package struct TransferResult: Sendable, Equatable {
    package enum BodyEnd: Sendable {
        case complete
        /// The body was longer than `TransferLimits.bodyBytes`; `body` is its beginning.
        case capped
    }

    package struct Header: Sendable, Equatable {
        /// Lower case.
        package var name: String
        /// Without surrounding white space; bytes that are not UTF-8 are replaced.
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Of the last header block; nil where none arrived, or only informational ones (1xx).
    package var status: Int?
    /// The last header block in the order received. No informational block, no proxy's answer to CONNECT, no trailers.
    package var headers: [Header]
    /// Whether the headers came to their end. Where they did not, `status` and `headers` are the beginning of an answer
    /// that nobody finished.
    package var headEnded: Bool
    package var body: Data
    package var bodyEnd: BodyEnd
    /// Bytes of the body as they came over the wire, before decoding.
    package var wireBytes: Int
    /// nil when nothing went wrong; a capped body is not an error.
    package var error: CurlError?
    package var facts: ConnectionFacts
    /// What was said to a mail server, and what it replied; nil for HTTP.
    package var mail: MailDialogue?

    package init(
        status: Int? = nil, headers: [Header] = [], headEnded: Bool = true, body: Data = Data(),
        bodyEnd: BodyEnd = .complete, wireBytes: Int = 0, error: CurlError? = nil,
        facts: ConnectionFacts = ConnectionFacts()
    ) {
        self.status = status
        self.headers = headers
        self.headEnded = headEnded
        self.body = body
        self.bodyEnd = bodyEnd
        self.wireBytes = wireBytes
        self.error = error
        self.facts = facts
    }

    /// The first value of a header; `name` in any case.
    package func header(_ name: String) -> String? {
        let wanted = name.lowercased()
        return headers.first { $0.name == wanted }?.value
    }

    /// Why the certificate was refused; nil where `error` is about something else.
    package var verifyProblem: VerifyProblem? {
        error.flatMap { VerifyProblem(error: $0, verifyResult: facts.verifyResult) }
    }
}
