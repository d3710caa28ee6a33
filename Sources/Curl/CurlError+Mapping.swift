// From libcurl's CURLcode, the operating system's errno and the words of the error buffer to a `CurlError.Code`. The words
// are needed where one CURLcode covers what a reader must tell apart (35 is reset, old TLS and plain text alike).

import CCurl
import Glibc

/// What `CurlError.Code` is decided from.
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
            code: kind, phase: Self.phase(of: signs, kind), message: signs.message, curlCode: Int(signs.code.rawValue))
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
