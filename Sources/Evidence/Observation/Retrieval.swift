// One attempt to read one copy of the file, from the first URL to the end of the body or the fault that stopped it.

import Facts

/// One attempt to read a copy of the file, including redirects.
package struct Retrieval: Codable, Equatable, Sendable {
    /// The first URL.
    package var url: String
    /// The redirects in order.
    package var redirects: [RedirectHop]
    /// Why the last redirect was not followed; nil if none was stopped.
    package var redirectStop: RedirectStop?
    package var outcome: Outcome
    /// The connection of the last request; nil if none was made.
    package var connection: Connection?
    /// The scope of the first address, if this machine's resolver gave the last host no public one. Also nil if the
    /// user's own rules or a proxy decide where the host is.
    package var ownScope: AddressScope?
    /// 4, 6: the families of the addresses that were tried without getting a connection; nil if unknown.
    package var triedFamilies: [Int]?
    /// Why this says nothing about the site: this machine or its network fails at the same step for others too.
    /// `Control` sets it from the whole observation each time that the observation is read.
    package internal(set) var ownFault: MonitorCause?

    package init(
        url: String, redirects: [RedirectHop] = [], redirectStop: RedirectStop? = nil, outcome: Outcome,
        connection: Connection? = nil
    ) {
        self.url = url
        self.redirects = redirects
        self.redirectStop = redirectStop
        self.outcome = outcome
        self.connection = connection
    }

    package enum Outcome: Codable, Equatable, Sendable {
        case answered(Answer)
        case failed(Failure)
    }

    private enum CodingKeys: String, CodingKey {
        case url, redirects, redirectStop, outcome, connection, ownScope, triedFamilies
    }

    package var answer: Answer? {
        if case .answered(let answer) = outcome { answer } else { nil }
    }

    package var failure: Failure? {
        if case .failed(let failure) = outcome { failure } else { nil }
    }
}

/// One redirect as the server sent it.
package struct RedirectHop: Codable, Equatable, Sendable {
    package var status: Int
    /// The URL that answered with the redirect.
    package var from: String
    /// The Location header, verbatim; nil if absent.
    package var location: String?
    /// The absolute URL of the target; nil if it cannot be parsed.
    package var target: String?

    package init(status: Int, from: String, location: String?, target: String?) {
        self.status = status
        self.from = from
        self.location = location
        self.target = target
    }
}

package enum RedirectStop: String, Codable, Sendable {
    /// The target is not HTTPS.
    case insecure
    /// The target was visited before.
    case loop
    /// The maximum number of redirects was reached.
    case tooMany = "too_many"
    /// No Location, or one that is not a URL.
    case unreadable
    /// The target's address is private or reserved while the first server's was public.
    case privateAddress = "private_address"
}

/// An HTTP answer. `body.end` says whether the body is complete.
package struct Answer: Codable, Equatable, Sendable {
    package var status: Int
    package var headers: [HeaderField]
    package var body: Body

    package init(status: Int, headers: [HeaderField], body: Body) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The first value of a header; `name` is in lower case.
    package func header(_ name: String) -> String? {
        headers.first { $0.name == name }?.value
    }

    /// Whether Content-Encoding names a compression that is registered or in use:
    /// https://www.iana.org/assignments/http-parameters/http-parameters.xhtml#content-coding
    package var claimsCompression: Bool {
        let names: Set<String> = [
            "gzip", "x-gzip", "deflate", "br", "zstd", "compress", "x-compress", "dcb", "dcz", "bzip2", "lzma", "xz",
        ]
        return (header("content-encoding") ?? "").lowercased().split { $0 == "," || $0.isWhitespace }
            .contains { names.contains(String($0)) }
    }

    package struct Body: Codable, Equatable, Sendable {
        /// nil if the body was not read to its end.
        package var hash: ContentHash?
        /// Bytes after decompression, as far as read.
        package var decodedBytes: Int
        /// Bytes on the wire, as far as read.
        package var wireBytes: Int
        package var end: End

        package init(hash: ContentHash?, decodedBytes: Int, wireBytes: Int, end: End) {
            self.hash = hash
            self.decodedBytes = decodedBytes
            self.wireBytes = wireBytes
            self.end = end
        }
    }

    package enum End: Codable, Equatable, Sendable {
        case complete
        /// Reading stopped at our own limit of this many decoded bytes.
        case capped(limit: Int)
        /// The connection ended, or time ran out, before the body did.
        case cutShort(Failure)
    }
}
