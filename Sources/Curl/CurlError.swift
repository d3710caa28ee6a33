// A transfer's failure: what kind, how far it had come, and libcurl's own words; and how libcurl's codes become these.

import CCurl
import Glibc

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

        /// The code's name, free of dynamic text.
        package var description: String { value.rawValue }
    }

    package let code: Code
    package let phase: Phase
    /// libcurl's sentence, control characters removed. It may name hosts, addresses and certificate subjects.
    package let message: String
    /// Of a name that has no address: what it is an alias of.
    package let alias: String?
    /// What a proxy answered that opened no tunnel.
    package let proxyStatus: Int?

    package init(code: Code, phase: Phase, message: String, alias: String? = nil, proxyStatus: Int? = nil) {
        self.alias = alias
        self.proxyStatus = proxyStatus
        self.code = code
        self.phase = phase
        self.message = String(
            String.UnicodeScalarView(message.unicodeScalars.filter { $0.properties.generalCategory != .control }))
    }

    package var description: String { "\(code) while \(phase.rawValue): \(message)" }
}

/// What `CurlError.Code` is decided from: libcurl's CURLcode, the operating system's errno and the words of the error buffer.
/// The words are needed where one CURLcode covers what a reader must tell apart (35 is reset, old TLS and plain text alike).
struct FailureSigns {
    var code: CURLcode
    var osError: Int = 0
    var proxyError: Int = 0
    /// What an HTTP proxy answered to CONNECT; 0: nothing.
    var connectStatus: Int = 0
    var message: String = ""
    var phase: CurlError.Phase = .resolving
    var hasStatus = false
    var viaProxy = false
    /// Whether the peer, which is the proxy where there is one, took the connection.
    var isConnected = false
    var refusedAddress = false
    var headersOverLimit = false
    var bodyStarted = false
    var isMail = false
}

extension CurlError {
    init(_ signs: FailureSigns) {
        let kind = Self.kind(of: signs)
        self.init(
            code: kind, phase: Self.phase(of: signs, kind), message: signs.message,
            proxyStatus: kind == .proxy && signs.connectStatus != 0 ? signs.connectStatus : nil)
    }

    private static func phase(of signs: FailureSigns, _ kind: Code) -> Phase {
        // libcurl takes the end of the connection for the first byte of an answer.
        if kind == .emptyReply { return .waiting }
        // What a proxy failed to do is connecting, for whom the connection is meant.
        let isOfProxy = kind == .proxy || signs.viaProxy && kind == .unreachable || signs.code == CURLE_PROXY
        return isOfProxy ? min(signs.phase, .connecting) : signs.phase
    }

    private static func kind(of signs: FailureSigns) -> Code {
        if signs.headersOverLimit { return .headersTooLarge }
        switch signs.code {
        case CURLE_COULDNT_RESOLVE_HOST: return .nameNotFound
        case CURLE_COULDNT_RESOLVE_PROXY: return .proxy
        case CURLE_PROXY: return proxyCode(signs)
        case CURLE_COULDNT_CONNECT: return connectCode(signs)
        // Where even the proxy took no connection, nobody was asked anything.
        case CURLE_OPERATION_TIMEDOUT: return signs.viaProxy && !signs.isConnected ? .proxy : .timedOut
        case CURLE_GOT_NOTHING: return .emptyReply
        case CURLE_PARTIAL_FILE: return .truncated
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR: return brokenCode(signs)
        case CURLE_HTTP2_STREAM: return signs.message.contains("PROTOCOL_ERROR") ? .malformedAnswer : .connectionReset
        case CURLE_HTTP2, CURLE_WEIRD_SERVER_REPLY: return .malformedAnswer
        // The scheme is not allowed, or what answered speaks no HTTP/1 ("Received HTTP/0.9 when not allowed").
        case CURLE_UNSUPPORTED_PROTOCOL: return signs.phase >= .waiting ? .malformedAnswer : .badURL
        case CURLE_USE_SSL_FAILED: return .noTLS
        case CURLE_LOGIN_DENIED: return signs.isMail ? .loginFailed : .badURL
        case CURLE_URL_MALFORMAT: return .badURL
        case CURLE_BAD_CONTENT_ENCODING: return .badEncoding
        case CURLE_FILESIZE_EXCEEDED: return .bodyTooLarge
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS: return .certificate
        case CURLE_SSL_CACERT_BADFILE: return .trustStore
        case CURLE_SSL_CONNECT_ERROR: return handshakeCode(signs)
        case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CLIENTCERT:
            return .tlsHandshake
        // libcurl 7.88 says so for a header line longer than its own limit of 100 KiB.
        case CURLE_OUT_OF_MEMORY:
            return signs.phase == .receiving && !signs.bodyStarted ? .headersTooLarge : .outOfMemory
        case CURLE_ABORTED_BY_CALLBACK: return .cancelled
        default: return .other
        }
    }

    private static func connectCode(_ signs: FailureSigns) -> Code {
        if signs.refusedAddress { return .addressRefused }
        if signs.viaProxy { return tunnelCode(signs) }
        return systemCode(signs.osError) ?? .unreachable
    }

    private static func systemCode(_ number: Int) -> Code? {
        switch Int32(truncatingIfNeeded: number) {
        case ECONNREFUSED: .connectionRefused
        case ECONNRESET, EPIPE, ECONNABORTED: .connectionReset
        case EHOSTUNREACH, ENETUNREACH, EADDRNOTAVAIL, ENETDOWN, EHOSTDOWN, EACCES, EPERM: .unreachable
        case ETIMEDOUT: .timedOut
        // This machine's want of files or memory says nothing about the peer.
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: .outOfMemory
        default: nil
        }
    }

    private static func handshakeCode(_ signs: FailureSigns) -> Code {
        // The handshake with an HTTPS proxy itself.
        if signs.viaProxy, signs.phase < .handshaking { return .proxy }
        let words = signs.message.lowercased()
        if words.contains("connection reset by peer") { return .connectionReset }
        let versionWords = [
            "unsupported protocol", "alert protocol version", "version too low", "no protocols available",
        ]
        if versionWords.contains(where: words.contains) { return .tlsVersion }
        if signs.osError == Int(ECONNRESET) { return .connectionReset }
        // A proxy that promises a tunnel before it has reached the host can only close it then.
        if signs.viaProxy, words.contains("ssl_error_syscall") || words.contains("unexpected eof") {
            return .unreachable
        }
        return .tlsHandshake
    }

    /// 55 and 56: a broken connection, told apart by the words of OpenSSL.
    private static func brokenCode(_ signs: FailureSigns) -> Code {
        let words = signs.message.lowercased()
        if signs.viaProxy, signs.phase < .waiting { return tunnelCode(signs) }
        // A client certificate that was asked for and not given is refused after a TLS 1.3 handshake.
        if words.contains(" alert ") { return .tlsHandshake }
        if words.contains("unexpected eof") { return signs.hasStatus ? .truncated : .emptyReply }
        return .connectionReset
    }

    /// What an HTTP proxy says of the host by these is that it could not be reached: RFC 9110, 15.6.3 to 15.6.5. All else is
    /// about the proxy itself.
    private static func tunnelCode(_ signs: FailureSigns) -> Code {
        [502, 503, 504].contains(signs.connectStatus) ? .unreachable : .proxy
    }

    /// What a SOCKS proxy said of the target: <https://curl.se/libcurl/c/CURLINFO_PROXY_ERROR.html>
    private static func proxyCode(_ signs: FailureSigns) -> Code {
        switch CURLproxycode(UInt32(truncatingIfNeeded: signs.proxyError)) {
        case CURLPX_REPLY_CONNECTION_REFUSED: .connectionRefused
        case CURLPX_REPLY_HOST_UNREACHABLE, CURLPX_REPLY_NETWORK_UNREACHABLE: .unreachable
        case CURLPX_REPLY_TTL_EXPIRED: .timedOut
        case CURLPX_RESOLVE_HOST: .nameNotFound
        default: .proxy
        }
    }
}
