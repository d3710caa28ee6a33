// The request of one transfer, as plain values. `EasyHandle+Configure.swift` turns it into libcurl options.

import Facts
import Foundation

/// One HTTP request, one TLS handshake, or one mail.
package struct TransferRequest: Sendable {
    /// Absolute. A URL with a user or a password is refused.
    package var url: String
    package var method: String
    /// Every method but GET needs a body, even an empty one.
    package var body: Data?
    /// Sent over SMTP; HTTP fields such as headers and user agent are then ignored.
    package var mail: Mail?
    /// Sent verbatim; a name or value with a line break or NUL is refused.
    package var headers: [(name: String, value: String)]
    package var userAgent: String
    /// If false, HTTP requests use `https` only.
    package var allowPlainHTTP: Bool
    /// Reuses an idle connection of an earlier request with this flag, and keeps the connection open. If false: a new
    /// name lookup, a new connection and a full handshake; only the parsed trust store is shared.
    package var keepsConnection: Bool
    package var limits: TransferLimits
    /// Requests gzip and decodes the body. If false, the body stays as sent.
    package var acceptGzip = true
    package var purpose: Purpose
    package var family: AddressFamily
    package var addressPolicy: AddressPolicy
    /// The IP address to connect to, instead of the URL's name (one edge of a CDN, one record of an origin). TLS and
    /// HTTP still use the name. The port is the URL's, or that of the driver's matching `connectTo` rule.
    package var address: String?
    /// Replaces the driver's own proxy, to probe from another location. May hold a password.
    package var proxy: String?
    /// The result of the driver's lookup, in `--resolve` format.
    var lookedUp: [String] = []

    package init(
        url: String, method: String = "GET", body: Data? = nil, mail: Mail? = nil,
        headers: [(name: String, value: String)] = [], userAgent: String, allowPlainHTTP: Bool = false,
        keepsConnection: Bool = false, limits: TransferLimits = TransferLimits(), purpose: Purpose = .transfer,
        family: AddressFamily = .any, addressPolicy: AddressPolicy = .any, address: String? = nil
    ) {
        self.url = url
        self.method = method
        self.body = body
        self.mail = mail
        self.headers = headers
        self.userAgent = userAgent
        self.allowPlainHTTP = allowPlainHTTP
        self.keepsConnection = keepsConnection
        self.limits = limits
        self.purpose = purpose
        self.family = family
        self.addressPolicy = addressPolicy
        self.address = address
    }

    package enum Purpose: Sendable {
        case transfer
        /// Connects, completes the handshake and closes.
        case handshake
        /// The same without verifying chain and name: reads the certificates of a refused chain. No request is ever
        /// sent to an unverified peer.
        case unverifiedHandshake
    }

    package enum AddressFamily: Int, Sendable {
        case any, v4 = 4, v6 = 6

        /// 4 or 6; nil for both.
        package var number: Int? { self == .any ? nil : rawValue }

        /// Whether the family includes an address without brackets.
        package func accepts(_ address: String) -> Bool {
            number.map { $0 == HostAddress.family(of: address) } ?? true
        }
    }

    package enum AddressPolicy: Sendable {
        case any
        /// Refuses to connect to an address that is not public (`Failure.Kind.privateAddress`). The check runs when the
        /// socket opens, so a second, different DNS answer cannot bypass it. Behind a proxy only an address literal in
        /// the URL is checked, because the proxy resolves and connects.
        case publicOnly
        /// Refuses only the metadata addresses of clouds: for a receiver that its operator chose.
        case noMetadata

        /// `address` is nil for a family other than IP.
        func allows(_ address: HostAddress?) -> Bool {
            switch self {
            case .any: true
            case .publicOnly: address?.scope == .public
            case .noMetadata: address?.isMetadata != true
            }
        }

        /// The URL's host without brackets, if it is an address that this policy refuses. nil for an allowed address,
        /// and for a name, which is checked once it is resolved.
        package func refusedLiteral(_ host: String) -> String? {
            let literal = host.filter { $0 != "[" && $0 != "]" }
            guard let address = HostAddress(literal), !allows(address) else { return nil }
            return literal
        }
    }
}

/// Limits of time and size. Times start with the transfer, not while it waits for a free slot.
package struct TransferLimits: Sendable {
    /// Name lookup, TCP and TLS together.
    package var connectTimeout: Duration
    package var totalTimeout: Duration
    /// All header blocks and trailers together. libcurl 7.88 itself refuses a single line over 100 KiB.
    package var headerBytes: Int
    /// Limit of the decoded body. Beyond it the transfer stops and `TransferResult.isCapped` is set.
    package var bodyBytes: Int

    package init(
        connectTimeout: Duration = .seconds(10), totalTimeout: Duration = .seconds(30), headerBytes: Int = 65_536,
        bodyBytes: Int = 1_048_576
    ) {
        self.connectTimeout = connectTimeout
        self.totalTimeout = totalTimeout
        self.headerBytes = headerBytes
        self.bodyBytes = bodyBytes
    }
}
