// All of libcurl's options for a transfer. Each option that is not obvious has its reason.

import CCurl
import Facts
import Foundation

extension EasyHandle {
    /// - Throws: `.badURL`, `.badHeader`, `.outOfMemory`, `.privateAddress` for a refused address literal, `.other` for
    ///   an option that this libcurl does not know.
    func configure(for transfer: Transfer) throws(CurlError) {
        let request = transfer.request
        try set(CURLOPT_ERRORBUFFER, pointer: transfer.errorText)
        try set(CURLOPT_PRIVATE, pointer: transfer.context)
        try setProcess()
        try setTarget(request, transfer)
        try setLimits(request.limits)
        try setConnection(request)
        try setTrust(request, transfer.settings)
        try setProxy(transfer.settings.proxy)
        try setMessage(request, transfer)
        try setCallbacks(transfer)
    }

    private func setProcess() throws(CurlError) {
        // Timeouts by SIGALRM work only in single-threaded programs.
        try set(CURLOPT_NOSIGNAL, true)
        // libcurl resolves names in a thread that cannot be interrupted. Without this option, a transfer that ends
        // early (timeout, cancel) joins that thread, and a dead name server would block all other transfers. With it
        // the thread ends by itself.
        try set(CURLOPT_QUICK_EXIT, 1)
    }

    private func setTarget(_ request: TransferRequest, _ transfer: Transfer) throws(CurlError) {
        guard !request.url.utf8.contains(0), let parts = CurlURL.components(request.url) else {
            throw CurlError(code: .badURL, phase: .resolving, message: "the URL cannot be parsed")
        }
        try set(CURLOPT_URL, request.url)
        try set(CURLOPT_PROTOCOLS_STR, Self.protocols(of: request))
        try set(CURLOPT_DISALLOW_USERNAME_IN_URL, true)
        // The caller decides about redirects: Apple follows none.
        try set(CURLOPT_FOLLOWLOCATION, false)
        try set(CURLOPT_NETRC, 0)
        let family =
            switch request.family {
            case .any: CURL_IPRESOLVE_WHATEVER
            case .v4: CURL_IPRESOLVE_V4
            case .v6: CURL_IPRESOLVE_V6
            }
        try set(CURLOPT_IPRESOLVE, Int(family))
        if transfer.settings.proxy != nil, let literal = request.addressPolicy.refusedLiteral(parts.host) {
            throw CurlError(
                code: CurlError.Code(.privateAddress), phase: .connecting,
                message: request.addressPolicy == .publicOnly
                    ? "\(literal) is not a public address" : "\(literal) is a metadata address of a cloud")
        }
        try setRoutes(request, host: parts.host, port: parts.port, transfer)
    }

    private static func protocols(of request: TransferRequest) -> String {
        if request.mail != nil { return "smtp,smtps" }
        return request.allowPlainHTTP ? "http,https" : "https"
    }

    private func setRoutes(_ request: TransferRequest, host: String, port: Int, _ transfer: Transfer) throws(CurlError)
    {
        var connectTo = transfer.settings.connectTo
        if let address = request.address {
            guard HostAddress(address) != nil else {
                throw CurlError(code: .badURL, phase: .resolving, message: "'\(address)' is not an IP address")
            }
            let target = transfer.settings.connectTarget(host: host, port: port)?.port ?? port
            connectTo = ["::" + HostAddress.inURL(address) + ":\(target)"]
        }
        if !connectTo.isEmpty { try set(CURLOPT_CONNECT_TO, transfer.keep(connectTo)) }
        let resolve = transfer.settings.resolve + request.lookedUp
        if !resolve.isEmpty { try set(CURLOPT_RESOLVE, transfer.keep(resolve)) }
    }

    private func setLimits(_ limits: TransferLimits) throws(CurlError) {
        try set(CURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(limits.connectTimeout))
        try set(CURLOPT_TIMEOUT_MS, Self.milliseconds(limits.totalTimeout))
    }

    /// libcurl takes 0 as "no limit", so the range is 1 ms to one day.
    static func milliseconds(_ duration: Duration) -> Int {
        let bounded = min(max(duration, .milliseconds(1)), .seconds(86_400))
        let (seconds, attoseconds) = bounded.components
        return Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
    }

    private func setConnection(_ request: TransferRequest) throws(CurlError) {
        guard !request.keepsConnection else { return }
        try set(CURLOPT_FRESH_CONNECT, true)
        try set(CURLOPT_FORBID_REUSE, true)
        // A resumed session skips the certificate.
        try set(CURLOPT_SSL_SESSIONID_CACHE, false)
    }

    private func setTrust(_ request: TransferRequest, _ settings: NetworkSettings) throws(CurlError) {
        let unverified = request.purpose == .unverifiedHandshake
        try set(CURLOPT_SSL_VERIFYPEER, !unverified)
        try set(CURLOPT_SSL_VERIFYHOST, unverified ? 0 : 2)
        if settings.caFile == nil, let folder = settings.caFolder {
            try set(CURLOPT_CAINFO, nil as String?)
            try set(CURLOPT_CAPATH, folder)
        } else {
            if let file = settings.caFile ?? TrustStore.distributionBundle { try set(CURLOPT_CAINFO, file) }
            // libcurl caches the parsed trust store in the multi handle only if no CA path is set, and Debian builds
            // one in. With both, each connection parses the whole bundle: 18 ms of CPU.
            try set(CURLOPT_CAPATH, nil as String?)
        }
        // Seconds. A changed trust store takes effect after a day, or at a restart.
        try set(CURLOPT_CA_CACHE_TIMEOUT, 86_400)
        try set(CURLOPT_CERTINFO, true)
        // Set explicitly: some OpenSSL configurations still allow older versions, which fail later and for other
        // reasons.
        try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        // The newest HTTP version that both support; 1.1 on plain HTTP.
        try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    }

    private func setProxy(_ proxy: String?) throws(CurlError) {
        // An empty string, unlike nil, keeps libcurl from reading http_proxy, all_proxy and no_proxy.
        try set(CURLOPT_PROXY, proxy ?? "")
        try set(CURLOPT_NOPROXY, "")
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
        if proxy?.lowercased().hasPrefix("http") == true { try set(CURLOPT_HTTPPROXYTUNNEL, true) }
    }

    private func setMessage(_ request: TransferRequest, _ transfer: Transfer) throws(CurlError) {
        if let mail = request.mail { return try setMail(mail, transfer) }
        try set(CURLOPT_USERAGENT, request.userAgent.filter { !$0.isNewline && $0 != "\0" })
        if request.acceptGzip { try set(CURLOPT_ACCEPT_ENCODING, "gzip") }
        var lines: [String] = []
        for header in request.headers { lines.append(try Self.line(header)) }
        if request.purpose != .transfer {
            try set(CURLOPT_CONNECT_ONLY, 1)
        } else if let body = request.body {
            try set(CURLOPT_POST, true)
            if request.method != "POST" { try set(CURLOPT_CUSTOMREQUEST, request.method) }
            try set(CURLOPT_POSTFIELDSIZE_LARGE, offset: body.count)
            try setBody(body)
            // Do not wait for "100 Continue", which many receivers never send.
            lines.append("Expect:")
        }
        if !lines.isEmpty { try set(CURLOPT_HTTPHEADER, transfer.keep(lines)) }
    }

    private func setBody(_ body: Data) throws(CurlError) {
        // An empty buffer has no address, and libcurl would then read the body from standard input.
        let outcome: Result<Void, CurlError> = Array(body + [0]).withUnsafeBytes { bytes in
            do throws(CurlError) {
                try set(CURLOPT_COPYPOSTFIELDS, bytes: bytes.baseAddress)
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try outcome.get()
    }

    private static func line(_ header: (name: String, value: String)) throws(CurlError) -> String {
        let isToken =
            !header.name.isEmpty && header.name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: ":") }
        guard isToken, !header.value.utf8.contains(where: { [0, 10, 13].contains($0) }) else {
            throw CurlError(
                code: .badHeader, phase: .resolving,
                message: "a request header has a name or value that HTTP does not allow")
        }
        // "Name:" removes a header; a trailing semicolon sends an empty value.
        return header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)"
    }
}

/// Options for mail only. libcurl escapes leading dots and ends the message.
extension EasyHandle {
    func setMail(_ mail: Mail, _ transfer: Transfer) throws(CurlError) {
        // Ignored for an `smtps` URL.
        let tls = mail.requiresTLS ? CURLUSESSL_ALL : CURLUSESSL_TRY
        try set(CURLOPT_USE_SSL, Int(tls.rawValue))
        if let login = mail.login {
            try set(CURLOPT_USERNAME, login.username)
            try set(CURLOPT_PASSWORD, login.password)
        }
        try set(CURLOPT_MAIL_FROM, mail.sender)
        try set(CURLOPT_MAIL_RCPT, transfer.keep(mail.recipients))
        try allowRefusedRecipients()
        try set(CURLOPT_UPLOAD, true)
        transfer.unsent = mail.message
        let context = transfer.context
        try set(
            CURLOPT_READFUNCTION,
            data: { buffer, size, count, context in
                guard let buffer, let context else { return 0 }
                let transfer = Transfer.of(context)
                let piece = transfer.unsent.prefix(size * count)
                piece.withUnsafeBytes { bytes in
                    UnsafeMutableRawBufferPointer(start: buffer, count: size * count).copyMemory(from: bytes)
                }
                transfer.unsent = transfer.unsent.dropFirst(piece.count)
                return piece.count
            })
        try set(CURLOPT_READDATA, pointer: context)
        // The header callback gets the replies too, but not the commands.
        try set(
            CURLOPT_DEBUGFUNCTION,
            debug: { _, kind, data, size, context in
                guard let data, let context else { return 0 }
                let bytes = UnsafeRawBufferPointer(start: data, count: size)
                switch kind {
                case CURLINFO_HEADER_OUT: Transfer.of(context).dialogue.take(command: bytes)
                case CURLINFO_HEADER_IN: Transfer.of(context).dialogue.take(line: bytes)
                default: break
                }
                return 0
            })
        try set(CURLOPT_DEBUGDATA, pointer: context)
        try set(CURLOPT_VERBOSE, true)
    }
}
