// What one transfer asks for. Plain values; the options that libcurl gets are in `EasyHandle+Configure.swift`.

import Facts
import Foundation

/// One HTTP request, one TLS handshake, or one mail.
package struct TransferRequest: Sendable {
    /// Absolute. A URL with a user or a password is refused.
    package var url: String
    /// As HTTP names it.
    package var method: String
    /// Goes with every method but GET, if only as an empty one.
    package var body: Data?
    /// Goes over SMTP: nothing that is about HTTP counts then, such as headers and user agent.
    package var mail: Mail?
    /// Sent as they are; a name or value with a line break or NUL is refused.
    package var headers: [(name: String, value: String)]
    package var userAgent: String
    /// Without it only `https` is spoken, whatever the URL says.
    package var allowPlainHTTP: Bool
    /// Takes an idle connection of an earlier such transfer where there is one, and keeps it afterwards. Without: a new name look-up,
    /// a new connection and a full handshake; nothing is shared but the parsed trust store.
    package var keepsConnection: Bool
    package var limits: TransferLimits
    /// Asks for gzip and decodes what comes. Without it the body is left as sent.
    package var acceptGzip = true
    package var purpose: Purpose
    package var family: AddressFamily
    package var addressPolicy: AddressPolicy
    /// An IP address to connect to whatever the URL's name resolves to (one edge of a CDN, one record of an origin). The
    /// name stays that of the URL in TLS and HTTP; the port is the URL's, or that of the driver's matching `connectTo` rule.
    package var address: String?
    /// In place of the driver's own proxy: another place to look from. May hold a password.
    package var proxy: String?
    /// What the driver has looked up, as libcurl takes it.
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
        /// Connects, shakes hands and closes.
        case handshake
        /// The same, neither chain nor name verified: for the certificates of a server whose chain was refused. No request is
        /// ever sent to an unverified peer.
        case unverifiedHandshake
    }

    package enum AddressFamily: Int, Sendable {
        case any, v4 = 4, v6 = 6

        /// 4 or 6; nil for both.
        package var number: Int? { self == .any ? nil : rawValue }

        /// Whether an address, without brackets, is of the family.
        package func accepts(_ address: String) -> Bool {
            number.map { $0 == HostAddress.family(of: address) } ?? true
        }
    }

    package enum AddressPolicy: Sendable {
        case any
        /// Refuses to open a socket to an address that is not public (`Failure.Kind.privateAddress`), at the moment of
        /// connecting, so that a name that resolves to something else the second time gains nothing. Behind a proxy only
        /// an address literal in the URL can be judged, as it is the proxy that resolves and connects.
        case publicOnly
        /// As `publicOnly`, for a receiver that its operator chose: only the metadata addresses of clouds are refused.
        case noMetadata

        /// `address`: nil for one of another family than IP.
        func allows(_ address: HostAddress?) -> Bool {
            switch self {
            case .any: true
            case .publicOnly: address?.scope == .public
            case .noMetadata: address?.isMetadata != true
            }
        }

        /// The address that a URL's host is, without brackets, where this policy refuses it; nil for a name, which is judged
        /// once it is resolved, and for an address that is allowed.
        package func refusedLiteral(_ host: String) -> String? {
            let literal = host.filter { $0 != "[" && $0 != "]" }
            guard let address = HostAddress(literal), !allows(address) else { return nil }
            return literal
        }
    }
}

/// How long and how much. Times start when the transfer starts, not while it waits for a free place.
package struct TransferLimits: Sendable {
    /// Name look-up, TCP and TLS together.
    package var connectTimeout: Duration
    package var totalTimeout: Duration
    /// All header blocks and trailers together. libcurl 7.88 itself refuses a single line over 100 KiB.
    package var headerBytes: Int
    /// Of the body, decoded. Past it the transfer stops and the body is `.capped`.
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
