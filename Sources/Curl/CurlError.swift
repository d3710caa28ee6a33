// A transfer's failure: what kind, how far it had come, and libcurl's own words. How libcurl's codes become these is in
// `CurlError+Mapping.swift`.

/// Why a transfer failed. Codes are a struct, so that a new one breaks no caller.
package struct CurlError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The step that a transfer was in.
    package enum Phase: String, Sendable, Comparable, CaseIterable {
        case resolving, connecting, handshaking, waiting, receiving

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

        package static func < (left: Phase, right: Phase) -> Bool { left.rank < right.rank }
    }

    package struct Code: Sendable, Hashable, CustomStringConvertible {
        fileprivate enum Value: String {
            case nameNotFound = "name-not-found"
            case noAddress = "no-address"
            case noIPv4Address = "no-ipv4-address"
            case noIPv6Address = "no-ipv6-address"
            case serverFailure = "name-server-failure"
            case noNameServer = "no-name-server"
            case connectionRefused = "connection-refused"
            case unreachable
            case timedOut = "timed-out"
            case connectionReset = "connection-reset"
            case emptyReply = "empty-reply"
            case tlsHandshake = "tls-handshake"
            case tlsVersion = "tls-version"
            case certificate
            case noTLS = "no-tls"
            case loginFailed = "login-failed"
            case headersTooLarge = "headers-too-large"
            case bodyTooLarge = "body-too-large"
            case truncated
            case malformedAnswer = "malformed-answer"
            case badEncoding = "bad-encoding"
            case addressRefused = "address-refused"
            case proxy
            case trustStore = "trust-store"
            case badURL = "bad-url"
            case badHeader = "bad-header"
            case badSettings = "bad-settings"
            case outOfMemory = "out-of-memory"
            case cancelled
            case other
        }

        fileprivate let value: Value

        private init(_ value: Value) { self.value = value }

        /// No such name; behind a proxy, whatever keeps it from resolving the name.
        package static let nameNotFound = Code(.nameNotFound)
        /// The name exists and has no address.
        package static let noAddress = Code(.noAddress)
        /// The name has addresses, but none of the one family that was asked for.
        package static let noIPv4Address = Code(.noIPv4Address)
        package static let noIPv6Address = Code(.noIPv6Address)
        /// A name server answered that it could not find out.
        package static let serverFailure = Code(.serverFailure)
        /// No name server answered.
        package static let noNameServer = Code(.noNameServer)
        package static let connectionRefused = Code(.connectionRefused)
        /// No route to the host or its network.
        package static let unreachable = Code(.unreachable)
        /// A limit of the request passed; the phase tells in which step.
        package static let timedOut = Code(.timedOut)
        /// The peer broke the connection off, in whatever phase.
        package static let connectionReset = Code(.connectionReset)
        /// The peer closed without a byte of answer.
        package static let emptyReply = Code(.emptyReply)
        package static let tlsHandshake = Code(.tlsHandshake)
        /// No TLS version in common; older ones than 1.2 are not spoken.
        package static let tlsVersion = Code(.tlsVersion)
        /// The chain or the name was refused; see `TransferResult.verifyProblem`.
        package static let certificate = Code(.certificate)
        /// A mail server offers no TLS where it is needed.
        package static let noTLS = Code(.noTLS)
        /// A mail server refused the login, or has none that is known.
        package static let loginFailed = Code(.loginFailed)
        package static let headersTooLarge = Code(.headersTooLarge)
        /// The announced length is beyond what libcurl can count.
        package static let bodyTooLarge = Code(.bodyTooLarge)
        /// The body ended before its announced end.
        package static let truncated = Code(.truncated)
        /// Not HTTP, or broken HTTP.
        package static let malformedAnswer = Code(.malformedAnswer)
        /// The Content-Encoding is unknown or its data broken.
        package static let badEncoding = Code(.badEncoding)
        /// The address policy forbids the address.
        package static let addressRefused = Code(.addressRefused)
        /// The proxy could not be reached, or refused.
        package static let proxy = Code(.proxy)
        /// The file of trusted certificates could not be read.
        package static let trustStore = Code(.trustStore)
        package static let badURL = Code(.badURL)
        /// A request header with a line break or NUL.
        package static let badHeader = Code(.badHeader)
        /// The driver's `NetworkSettings` do not parse.
        package static let badSettings = Code(.badSettings)
        package static let outOfMemory = Code(.outOfMemory)
        package static let cancelled = Code(.cancelled)
        package static let other = Code(.other)

        /// The same as `CurlError.shortLabel`.
        package var description: String { value.rawValue }
    }

    package let code: Code
    package let phase: Phase
    /// libcurl's sentence, control characters removed. It may name hosts, addresses and certificate subjects.
    package let message: String
    /// The `CURLcode`, 0 where the error is not libcurl's.
    package let curlCode: Int
    /// Of a name that has no address: what it is an alias of.
    package let alias: String?

    package init(code: Code, phase: Phase, message: String, curlCode: Int = 0, alias: String? = nil) {
        self.alias = alias
        self.code = code
        self.phase = phase
        self.message = String(
            String.UnicodeScalarView(message.unicodeScalars.filter { $0.properties.generalCategory != .control }))
        self.curlCode = curlCode
    }

    /// The code's name, free of dynamic text: for metrics and JSON.
    package var shortLabel: String { code.description }

    package var description: String { "\(shortLabel) while \(phase.rawValue): \(message)" }
}
