// A transfer's failure: the fact, how others name it, and how libcurl's codes become these.

import CCurl
import Facts
import Glibc

/// Why a transfer failed.
package struct CurlError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A kind of failure; where it covers several things that are told apart here, which of them.
    package struct Code: Sendable, Equatable, CustomStringConvertible {
        package let kind: Failure.Kind
        /// As logs and deliveries name it, free of dynamic text.
        package let description: String

        private init(_ kind: Failure.Kind, _ name: String) {
            self.kind = kind
            description = name
        }

        package init(_ kind: Failure.Kind) {
            let name =
                switch kind {
                case .privateAddress: "address-refused"
                // Memory, files, threads.
                case .own: "out-of-memory"
                default: String(kind.rawValue.map { $0 == "_" ? "-" : $0 })
                }
            self.init(kind, name)
        }

        /// The peer closed without a byte of answer.
        package static let emptyReply = Code(.connectionReset, "empty-reply")
        /// A mail server offers no TLS where it is needed.
        package static let noTLS = Code(.malformedAnswer, "no-tls")
        /// A mail server refused the login, or has none that is known.
        package static let loginFailed = Code(.malformedAnswer, "login-failed")
        /// The announced length is beyond what libcurl can count.
        static let bodyTooLarge = Code(.malformedAnswer, "body-too-large")
        /// The file of trusted certificates could not be read.
        static let trustStore = Code(.own, "trust-store")
        static let badURL = Code(.malformedAnswer, "bad-url")
        /// A request header with a line break or NUL.
        static let badHeader = Code(.own, "bad-header")
        /// The driver's `NetworkSettings` do not parse.
        static let badSettings = Code(.own, "bad-settings")
        static let outOfMemory = Code(.own)
        static let cancelled = Code(.own, "cancelled")
        static let other = Code(.malformedAnswer, "other")
    }

    package let code: Code
    package let failure: Failure

    /// `message`: libcurl's sentence. It may name hosts, addresses and certificate subjects.
    init(code: Code, phase: Failure.Phase, message: String, proxyStatus: Int? = nil) {
        self.code = code
        let plain = message.unicodeScalars.filter { $0.properties.generalCategory != .control }
        failure = Failure(
            kind: code.kind, phase: phase, detail: String(String.UnicodeScalarView(plain)), proxyStatus: proxyStatus)
    }

    init(_ failure: Failure) {
        code = Code(failure.kind)
        self.failure = failure
    }

    package var description: String { "\(code) while \(failure.phase.rawValue): \(failure.detail)" }
}

/// What `CurlError.Code` is decided from: libcurl's CURLcode, the operating system's errno and the words of the error buffer.
/// The words are needed where one CURLcode covers what a reader must tell apart (35 is reset, old TLS and plain text alike).
struct FailureSigns {
    let code: CURLcode
    let osError: Int
    let proxyError: Int
    /// What an HTTP proxy answered to CONNECT; 0: nothing.
    let connectStatus: Int
    let message: String
    let phase: Failure.Phase
    let hasStatus: Bool
    let viaProxy: Bool
    /// Whether the peer, which is the proxy where there is one, took the connection.
    let isConnected: Bool
    let refusedAddress: Bool
    let headersOverLimit: Bool
    let bodyStarted: Bool
    let isMail: Bool
}

extension CurlError {
    init(_ signs: FailureSigns) {
        let code = Self.code(of: signs)
        self.init(
            code: code, phase: Self.phase(of: signs, code), message: signs.message,
            proxyStatus: code.kind == .proxy && signs.connectStatus != 0 ? signs.connectStatus : nil)
    }

    private static func phase(of signs: FailureSigns, _ code: Code) -> Failure.Phase {
        // libcurl takes the end of the connection for the first byte of an answer.
        if code == .emptyReply { return .waiting }
        // What a proxy failed to do is connecting, for whom the connection is meant.
        let isOfProxy =
            code.kind == .proxy || signs.viaProxy && code.kind == .unreachable || signs.code == CURLE_PROXY
        return isOfProxy ? min(signs.phase, .connecting) : signs.phase
    }

    private static func code(of signs: FailureSigns) -> Code {
        if signs.headersOverLimit { return Code(.headersTooLarge) }
        switch signs.code {
        case CURLE_COULDNT_RESOLVE_HOST: return Code(.nameNotFound)
        case CURLE_COULDNT_RESOLVE_PROXY: return Code(.proxy)
        case CURLE_PROXY: return Code(proxyKind(signs))
        case CURLE_COULDNT_CONNECT: return Code(connectKind(signs))
        // Where even the proxy took no connection, nobody was asked anything.
        case CURLE_OPERATION_TIMEDOUT: return Code(signs.viaProxy && !signs.isConnected ? .proxy : .timedOut)
        case CURLE_GOT_NOTHING: return .emptyReply
        case CURLE_PARTIAL_FILE: return Code(.truncated)
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR: return brokenCode(signs)
        case CURLE_HTTP2_STREAM:
            return Code(signs.message.contains("PROTOCOL_ERROR") ? .malformedAnswer : .connectionReset)
        case CURLE_HTTP2, CURLE_WEIRD_SERVER_REPLY: return Code(.malformedAnswer)
        // The scheme is not allowed, or what answered speaks no HTTP/1 ("Received HTTP/0.9 when not allowed").
        case CURLE_UNSUPPORTED_PROTOCOL: return signs.phase >= .waiting ? Code(.malformedAnswer) : .badURL
        case CURLE_USE_SSL_FAILED: return .noTLS
        case CURLE_LOGIN_DENIED: return signs.isMail ? .loginFailed : .badURL
        case CURLE_URL_MALFORMAT: return .badURL
        case CURLE_BAD_CONTENT_ENCODING: return Code(.badEncoding)
        case CURLE_FILESIZE_EXCEEDED: return .bodyTooLarge
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
            return Code(.certificate)
        case CURLE_SSL_CACERT_BADFILE: return .trustStore
        case CURLE_SSL_CONNECT_ERROR: return Code(handshakeKind(signs))
        case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CLIENTCERT:
            return Code(.tlsHandshake)
        // libcurl 7.88 says so for a header line longer than its own limit of 100 KiB.
        case CURLE_OUT_OF_MEMORY:
            return Code(signs.phase == .receiving && !signs.bodyStarted ? .headersTooLarge : .own)
        case CURLE_ABORTED_BY_CALLBACK: return .cancelled
        default: return .other
        }
    }

    private static func connectKind(_ signs: FailureSigns) -> Failure.Kind {
        if signs.refusedAddress { return .privateAddress }
        if signs.viaProxy { return tunnelKind(signs) }
        return systemKind(signs.osError) ?? .unreachable
    }

    private static func systemKind(_ number: Int) -> Failure.Kind? {
        switch Int32(truncatingIfNeeded: number) {
        case ECONNREFUSED: .connectionRefused
        case ECONNRESET, EPIPE, ECONNABORTED: .connectionReset
        case EHOSTUNREACH, ENETUNREACH, EADDRNOTAVAIL, ENETDOWN, EHOSTDOWN, EACCES, EPERM: .unreachable
        case ETIMEDOUT: .timedOut
        // This machine's want of files or memory says nothing about the peer.
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: .own
        default: nil
        }
    }

    private static func handshakeKind(_ signs: FailureSigns) -> Failure.Kind {
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
        if signs.viaProxy, signs.phase < .waiting { return Code(tunnelKind(signs)) }
        // A client certificate that was asked for and not given is refused after a TLS 1.3 handshake.
        if words.contains(" alert ") { return Code(.tlsHandshake) }
        if words.contains("unexpected eof") { return signs.hasStatus ? Code(.truncated) : .emptyReply }
        return Code(.connectionReset)
    }

    /// What an HTTP proxy says of the host by these is that it could not be reached: RFC 9110, 15.6.3 to 15.6.5. All else is
    /// about the proxy itself.
    private static func tunnelKind(_ signs: FailureSigns) -> Failure.Kind {
        [502, 503, 504].contains(signs.connectStatus) ? .unreachable : .proxy
    }

    /// What a SOCKS proxy said of the target: <https://curl.se/libcurl/c/CURLINFO_PROXY_ERROR.html>
    private static func proxyKind(_ signs: FailureSigns) -> Failure.Kind {
        switch CURLproxycode(UInt32(truncatingIfNeeded: signs.proxyError)) {
        case CURLPX_REPLY_CONNECTION_REFUSED: .connectionRefused
        case CURLPX_REPLY_HOST_UNREACHABLE, CURLPX_REPLY_NETWORK_UNREACHABLE: .unreachable
        case CURLPX_REPLY_TTL_EXPIRED: .timedOut
        case CURLPX_RESOLVE_HOST: .nameNotFound
        default: .proxy
        }
    }
}
