// The error of a transfer: its failure, its name in logs, and the mapping from libcurl's codes.

import CCurl
import Facts
import Glibc

package struct CurlError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A kind of failure. A finer name distinguishes cases of the same kind.
    package struct Code: Sendable, Equatable, CustomStringConvertible {
        package let kind: Failure.Kind
        /// The name in logs and deliveries, without dynamic text.
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
        /// A mail server does not offer the required TLS.
        package static let noTLS = Code(.malformedAnswer, "no-tls")
        /// A mail server refused the login, or offers no known method.
        package static let loginFailed = Code(.malformedAnswer, "login-failed")
        /// The announced length exceeds what libcurl can count.
        static let bodyTooLarge = Code(.malformedAnswer, "body-too-large")
        /// The file of trusted certificates cannot be read.
        static let trustStore = Code(.own, "trust-store")
        static let badURL = Code(.malformedAnswer, "bad-url")
        /// A request header with an invalid name, a line break or a NUL.
        static let badHeader = Code(.own, "bad-header")
        /// The driver's `NetworkSettings` do not parse.
        static let badSettings = Code(.own, "bad-settings")
        static let outOfMemory = Code(.own)
        static let cancelled = Code(.own, "cancelled")
        static let other = Code(.malformedAnswer, "other")
    }

    package let code: Code
    package let failure: Failure

    /// `message` is libcurl's. It may name hosts, addresses and certificate subjects.
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

// MARK: - From libcurl

extension Transfer {
    private typealias Code = CurlError.Code

    /// What went wrong, if anything. One libcurl code covers cases that a reader must distinguish (35 is a reset, old
    /// TLS or plain text), so errno and the text of the error buffer count as well.
    func error(_ code: CURLcode) -> CurlError? {
        if code == CURLE_OK {
            // To libcurl the end of the connection ends an answer without length, even in the middle of its headers.
            guard sink.status != nil, !sink.headEnded else { return nil }
            return CurlError(
                code: Code(.truncated), phase: .receiving, message: "the connection ended in the middle of the headers")
        }
        if sink.bodyOverLimit, !sink.headersOverLimit { return nil }
        let message = message(code)
        let own = self.code(of: code, message)
        var reached = phase
        if own == .emptyReply {
            // libcurl counts the end of the connection as the first byte of an answer.
            reached = .waiting
        } else if own.kind == .proxy || isByProxy && own.kind == .unreachable || code == CURLE_PROXY {
            // A failure at the proxy counts as connecting to the host.
            reached = min(reached, .connecting)
        }
        let status = own.kind == .proxy && connectStatus != 0 ? connectStatus : nil
        return CurlError(code: own, phase: reached, message: message, proxyStatus: status)
    }

    private func message(_ code: CURLcode) -> String {
        if sink.headersOverLimit { return "the headers are longer than \(request.limits.headerBytes) bytes" }
        let said = String(cString: errorText.assumingMemoryBound(to: CChar.self))
        return said.isEmpty ? String(cString: curl_easy_strerror(code)) : said
    }

    private var isByProxy: Bool { settings.proxy != nil }

    private var osError: Int { easy.long(CURLINFO_OS_ERRNO) }

    /// The HTTP proxy's status for CONNECT; 0 if none.
    private var connectStatus: Int { easy.long(CURLINFO_HTTP_CONNECTCODE) }

    private func code(of code: CURLcode, _ message: String) -> Code {
        if sink.headersOverLimit { return Code(.headersTooLarge) }
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: return Code(.nameNotFound)
        case CURLE_COULDNT_RESOLVE_PROXY: return Code(.proxy)
        case CURLE_PROXY: return Code(proxyKind())
        case CURLE_COULDNT_CONNECT: return Code(connectKind())
        // If the proxy accepted no connection, the host was never contacted.
        case CURLE_OPERATION_TIMEDOUT: return Code(isByProxy && address == nil ? .proxy : .timedOut)
        case CURLE_GOT_NOTHING: return .emptyReply
        case CURLE_PARTIAL_FILE: return Code(.truncated)
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR: return brokenCode(message)
        case CURLE_HTTP2_STREAM:
            return Code(message.contains("PROTOCOL_ERROR") ? .malformedAnswer : .connectionReset)
        case CURLE_HTTP2, CURLE_WEIRD_SERVER_REPLY: return Code(.malformedAnswer)
        // The scheme is not allowed, or the peer does not speak HTTP/1 ("Received HTTP/0.9 when not allowed").
        case CURLE_UNSUPPORTED_PROTOCOL: return phase >= .waiting ? Code(.malformedAnswer) : .badURL
        case CURLE_USE_SSL_FAILED: return .noTLS
        case CURLE_LOGIN_DENIED: return request.mail != nil ? .loginFailed : .badURL
        case CURLE_URL_MALFORMAT: return .badURL
        case CURLE_BAD_CONTENT_ENCODING: return Code(.badEncoding)
        case CURLE_FILESIZE_EXCEEDED: return .bodyTooLarge
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
            return Code(.certificate)
        case CURLE_SSL_CACERT_BADFILE: return .trustStore
        case CURLE_SSL_CONNECT_ERROR: return Code(handshakeKind(message))
        case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CLIENTCERT:
            return Code(.tlsHandshake)
        // libcurl 7.88 returns this for a header line over its own limit of 100 KiB.
        case CURLE_OUT_OF_MEMORY:
            return Code(phase == .receiving && !sink.bodyStarted ? .headersTooLarge : .own)
        case CURLE_ABORTED_BY_CALLBACK: return .cancelled
        default: return .other
        }
    }

    private func connectKind() -> Failure.Kind {
        if refusedAddress { return .privateAddress }
        if isByProxy { return tunnelKind() }
        return systemKind(osError) ?? .unreachable
    }

    private func systemKind(_ number: Int) -> Failure.Kind? {
        switch Int32(truncatingIfNeeded: number) {
        case ECONNREFUSED: .connectionRefused
        case ECONNRESET, EPIPE, ECONNABORTED: .connectionReset
        case EHOSTUNREACH, ENETUNREACH, EADDRNOTAVAIL, ENETDOWN, EHOSTDOWN, EACCES, EPERM: .unreachable
        case ETIMEDOUT: .timedOut
        // A lack of files or memory on this machine says nothing about the peer.
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: .own
        default: nil
        }
    }

    private func handshakeKind(_ message: String) -> Failure.Kind {
        // The handshake with an HTTPS proxy itself.
        if isByProxy, phase < .handshaking { return .proxy }
        let words = message.lowercased()
        if words.contains("connection reset by peer") { return .connectionReset }
        let versionWords = [
            "unsupported protocol", "alert protocol version", "version too low", "no protocols available",
        ]
        if versionWords.contains(where: words.contains) { return .tlsVersion }
        if osError == Int(ECONNRESET) { return .connectionReset }
        // A proxy that accepts a tunnel before it reaches the host can only close the tunnel later.
        if isByProxy, words.contains("ssl_error_syscall") || words.contains("unexpected eof") {
            return .unreachable
        }
        return .tlsHandshake
    }

    /// 55 and 56: a broken connection. OpenSSL's text distinguishes the cases.
    private func brokenCode(_ message: String) -> Code {
        if isByProxy, phase < .waiting { return Code(tunnelKind()) }
        let words = message.lowercased()
        // In TLS 1.3 the server refuses a missing client certificate after the handshake.
        if words.contains(" alert ") { return Code(.tlsHandshake) }
        if words.contains("unexpected eof") { return sink.status != nil ? Code(.truncated) : .emptyReply }
        return Code(.connectionReset)
    }

    /// With these statuses an HTTP proxy reports that it could not reach the host: RFC 9110, 15.6.3 to 15.6.5. Any
    /// other is about the proxy itself.
    private func tunnelKind() -> Failure.Kind {
        [502, 503, 504].contains(connectStatus) ? .unreachable : .proxy
    }

    /// A SOCKS proxy's reply about the target: <https://curl.se/libcurl/c/CURLINFO_PROXY_ERROR.html>
    private func proxyKind() -> Failure.Kind {
        switch CURLproxycode(UInt32(truncatingIfNeeded: easy.long(CURLINFO_PROXY_ERROR))) {
        case CURLPX_REPLY_CONNECTION_REFUSED: .connectionRefused
        case CURLPX_REPLY_HOST_UNREACHABLE, CURLPX_REPLY_NETWORK_UNREACHABLE: .unreachable
        case CURLPX_REPLY_TTL_EXPIRED: .timedOut
        case CURLPX_RESOLVE_HOST: .nameNotFound
        default: .proxy
        }
    }
}
