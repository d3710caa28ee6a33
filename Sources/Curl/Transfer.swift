// One transfer under way: its handle, what libcurl was lent for as long, and what it answered so far.

import CCurl
import Foundation

/// Confined to the driver's thread. The callbacks' context; outlives its handle's stay in the multi handle.
final class Transfer {
    let request: TransferRequest
    let settings: NetworkSettings
    private let ticket: Ticket
    let easy: EasyHandle
    var sink: AnswerSink
    var tlsVersion: String?
    var refusedAddress = false
    /// Of mail: what was said so far, and what of the message is yet to be sent.
    var dialogue = MailDialogue()
    var unsent = Data()
    /// Lists that libcurl keeps pointers to.
    private var lists: [StringList] = []
    private let errorBuffer: UnsafeMutablePointer<CChar>

    /// - Throws: what is wrong with the request, before anything is sent.
    init(_ request: TransferRequest, settings: NetworkSettings, ticket: Ticket) throws(CurlError) {
        self.request = request
        self.ticket = ticket
        self.settings = settings.with(proxy: request.proxy)
        sink = AnswerSink(limits: request.limits)
        easy = try EasyHandle()
        errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        try easy.configure(for: self)
    }

    /// A mail server was sent the last command, or nobody wants its answer any more. libcurl would wait for that on the driver's
    /// thread, which meanwhile sees no cancellation.
    var isLeaving: Bool { request.method.mail != nil && (dialogue.isOver || ticket.isCancelled) }

    deinit {
        // The handle is freed after this, with the last reference to it; it must not know the buffer any more.
        try? easy.set(CURLOPT_ERRORBUFFER, pointer: nil)
        errorBuffer.deallocate()
    }

    /// What the handle is given as context and for messages. Valid as long as this object.
    var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
    var errorText: UnsafeMutableRawPointer { UnsafeMutableRawPointer(errorBuffer) }

    static func of(_ context: UnsafeMutableRawPointer) -> Transfer {
        Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    }

    func keep(_ entries: [String]) throws(CurlError) -> StringList {
        let list = try StringList(entries)
        lists.append(list)
        return list
    }

    /// The result, once libcurl said that the transfer is over, with which code. Before the handle leaves its multi handle.
    func result(_ code: CURLcode) -> TransferResult {
        sink.dropInformational()
        let reached = phase
        var result = TransferResult(
            status: sink.status, headers: sink.headers, headEnded: sink.headEnded, body: sink.body,
            bodyEnd: sink.bodyOverLimit ? .capped : .complete, wireBytes: easy.offset(CURLINFO_SIZE_DOWNLOAD_T),
            facts: facts)
        if request.method.mail != nil {
            // Replies of a mail server are no headers.
            result.headers = []
            result.mail = dialogue
        }
        // The end of the connection is the end of an answer without length to libcurl, even in the middle of its headers.
        if code == CURLE_OK, sink.status != nil, !sink.headEnded {
            result.error = CurlError(
                code: .truncated, phase: .receiving, message: "the connection ended in the middle of the headers")
        }
        guard code != CURLE_OK, !(sink.bodyOverLimit && !sink.headersOverLimit) else { return result }
        result.error = CurlError(
            FailureSigns(
                code: code, osError: easy.long(CURLINFO_OS_ERRNO), proxyError: easy.long(CURLINFO_PROXY_ERROR),
                connectStatus: easy.long(CURLINFO_HTTP_CONNECTCODE),
                message: message(code), phase: reached, hasStatus: sink.status != nil,
                viaProxy: settings.proxy != nil, isConnected: easy.string(CURLINFO_PRIMARY_IP) != nil,
                refusedAddress: refusedAddress,
                headersOverLimit: sink.headersOverLimit, bodyStarted: sink.bodyStarted,
                isMail: request.method.mail != nil))
        return result
    }

    private func message(_ code: CURLcode) -> String {
        if sink.headersOverLimit { return "the headers are longer than \(request.limits.headerBytes) bytes" }
        let said = String(cString: errorBuffer)
        return said.isEmpty ? String(cString: curl_easy_strerror(code)) : said
    }

    /// From the steps that libcurl has put a time to. TCP's is put down only together with that of the TLS handshake
    /// (libcurl 7.87 and later), but the peer's address is there as soon as TCP is connected.
    private var phase: CurlError.Phase {
        if easy.offset(CURLINFO_STARTTRANSFER_TIME_T) > 0 || sink.status != nil { return .receiving }
        if easy.offset(CURLINFO_PRETRANSFER_TIME_T) > 0 { return .waiting }
        if easy.string(CURLINFO_PRIMARY_IP) != nil {
            // An HTTP proxy that has not said yes is still connecting, for us.
            let awaitsTunnel =
                settings.proxy?.lowercased().hasPrefix("http") == true && easy.long(CURLINFO_HTTP_CONNECTCODE) == 0
            return awaitsTunnel ? .connecting : .handshaking
        }
        return easy.offset(CURLINFO_NAMELOOKUP_TIME_T) > 0 ? .connecting : .resolving
    }

    private var facts: ConnectionFacts {
        ConnectionFacts(
            remoteAddress: easy.string(CURLINFO_PRIMARY_IP),
            remotePort: easy.string(CURLINFO_PRIMARY_IP).map { _ in easy.long(CURLINFO_PRIMARY_PORT) },
            httpVersion: httpVersion, tlsVersion: tlsVersion,
            chain: easy.certificateLines.map { CertificateText(lines: $0) },
            verifyResult: easy.long(CURLINFO_SSL_VERIFYRESULT),
            timings: ConnectionFacts.Timings(
                dns: duration(CURLINFO_NAMELOOKUP_TIME_T), connect: duration(CURLINFO_CONNECT_TIME_T),
                tls: duration(CURLINFO_APPCONNECT_TIME_T), firstByte: duration(CURLINFO_STARTTRANSFER_TIME_T),
                total: duration(CURLINFO_TOTAL_TIME_T) ?? .zero),
            reusedConnection: easy.long(CURLINFO_NUM_CONNECTS) == 0 && easy.offset(CURLINFO_PRETRANSFER_TIME_T) > 0,
            viaProxy: settings.proxy != nil)
    }

    private var httpVersion: String? {
        guard sink.status != nil else { return nil }
        return switch easy.long(CURLINFO_HTTP_VERSION) {
        case Int(CURL_HTTP_VERSION_1_0): "1.0"
        case Int(CURL_HTTP_VERSION_1_1): "1.1"
        case Int(CURL_HTTP_VERSION_2_0): "2"
        case Int(CURL_HTTP_VERSION_3): "3"
        default: nil
        }
    }

    private func duration(_ info: CURLINFO) -> Duration? {
        let microseconds = easy.offset(info)
        return microseconds > 0 ? .microseconds(microseconds) : nil
    }
}

/// What arrives of an answer, kept within its limits: libcurl's header and body callbacks end here. No libcurl in it.
struct AnswerSink {
    private(set) var status: Int?
    private(set) var headers: [TransferResult.Header] = []
    private(set) var body = Data()
    private(set) var bodyStarted = false
    /// Whether the last block of headers came to its end.
    private(set) var headEnded = false
    private(set) var headersOverLimit = false
    private(set) var bodyOverLimit = false

    private let headerLimit: Int
    private let bodyLimit: Int
    private var headerBytes = 0

    init(limits: TransferLimits) {
        headerLimit = max(0, limits.headerBytes)
        bodyLimit = max(0, limits.bodyBytes)
    }

    /// One whole line, status lines and trailers included.
    /// - Returns: false to stop the transfer.
    mutating func takeHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
        // All blocks count together: a peer may send informational ones for ever.
        headerBytes += line.count
        guard headerBytes <= headerLimit else {
            headersOverLimit = true
            return false
        }
        // Trailers count, and are dropped.
        guard !bodyStarted else { return true }
        let text = String(decoding: line, as: UTF8.self)
        if text.hasPrefix("HTTP/") {
            headers = []
            headEnded = false
            status = Self.status(ofStatusLine: text)
        } else if text == "\r\n" || text == "\n" {
            headEnded = true
        } else if let colon = text.firstIndex(of: ":") {
            let name = text[..<colon].lowercased()
            let value = text[text.index(after: colon)...].trimmingCharacters(in: .whitespacesAndNewlines)
            headers.append(TransferResult.Header(name: name, value: value))
        } else if text.first == " " || text.first == "\t", let last = headers.indices.last {
            // Obsolete line folding: the value goes on.
            headers[last].value += " " + text.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        return true
    }

    /// A piece of the decoded body.
    /// - Returns: false to stop the transfer.
    mutating func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bodyStarted = true
        let room = bodyLimit - body.count
        body.append(contentsOf: bytes.prefix(room))
        bodyOverLimit = bytes.count > room
        return !bodyOverLimit
    }

    /// Bytes of the body so far as sent. Compressed data that decodes to nothing would otherwise never reach a limit.
    /// - Returns: false to stop the transfer.
    mutating func noteWireBytes(_ count: Int) -> Bool {
        let (limit, overflow) = bodyLimit.addingReportingOverflow(65_536)
        if !overflow, count > limit { bodyOverLimit = true }
        return !bodyOverLimit
    }

    /// Forgets an answer that was informational only.
    mutating func dropInformational() {
        guard let status, status < 200 else { return }
        self.status = nil
        headers = []
        headEnded = false
    }

    private static func status(ofStatusLine line: String) -> Int? {
        let parts = line.split(whereSeparator: \.isWhitespace)
        guard parts.count > 1, let status = Int(parts[1]), (100...999).contains(status) else { return nil }
        return status
    }
}
