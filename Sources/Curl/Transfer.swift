// One running transfer: its handle, the memory lent to libcurl, and the answer so far.

import CCurl
import Facts
import Foundation

/// Confined to the driver's thread. It is the callbacks' context and outlives its handle's time in the multi handle.
final class Transfer {
    let request: TransferRequest
    let settings: NetworkSettings
    private let ticket: CancellationToken
    let easy: EasyHandle
    var sink: AnswerSink
    var tlsVersion: String?
    var refusedAddress = false
    /// Mail only: the dialogue so far, and the part of the message still to send.
    var dialogue = MailDialogue()
    var unsent = Data()
    /// Lists that libcurl keeps pointers to.
    private var lists: [StringList] = []
    private let errorBuffer: UnsafeMutablePointer<CChar>

    /// - Throws: what is wrong with the request, before anything is sent.
    init(_ request: TransferRequest, settings: NetworkSettings, ticket: CancellationToken) throws(CurlError) {
        self.request = request
        self.ticket = ticket
        self.settings = settings.with(proxy: request.proxy)
        sink = AnswerSink(limits: request.limits)
        easy = try EasyHandle()
        errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        try easy.configure(for: self)
    }

    /// The last mail command was sent, or the task was cancelled. libcurl would block the driver's thread to wait for
    /// the server's reply, and the thread would not see a cancellation.
    var isLeaving: Bool { request.mail != nil && (dialogue.isOver || ticket.isCancelled) }

    deinit {
        // The handle is freed after this, with its last reference, so it must not keep the buffer.
        try? easy.set(CURLOPT_ERRORBUFFER, pointer: nil)
        errorBuffer.deallocate()
    }

    /// The callbacks' context and the error buffer. Valid as long as this object.
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

    /// The result, once libcurl reports the end of the transfer. Call it before the handle leaves its multi handle.
    func result(_ code: CURLcode) -> TransferResult {
        sink.dropInformational()
        let error = error(code)
        return TransferResult(
            status: sink.status, headers: request.mail == nil ? sink.headers : [], headEnded: sink.headEnded,
            body: sink.body,
            isCapped: sink.bodyOverLimit, wireBytes: easy.offset(CURLINFO_SIZE_DOWNLOAD_T), error: error,
            connection: connection(error),
            isReused: easy.long(CURLINFO_NUM_CONNECTS) == 0 && easy.offset(CURLINFO_PRETRANSFER_TIME_T) > 0,
            mail: request.mail == nil ? nil : dialogue)
    }

    /// Derived from the steps for which libcurl has a time. libcurl (7.87 and later) sets the TCP time only together
    /// with the time of the TLS handshake, but the peer's address as soon as TCP is connected.
    var phase: Failure.Phase {
        if easy.offset(CURLINFO_STARTTRANSFER_TIME_T) > 0 || sink.status != nil { return .receiving }
        if easy.offset(CURLINFO_PRETRANSFER_TIME_T) > 0 { return .waiting }
        if address != nil {
            // An HTTP proxy that has not opened the tunnel counts as connecting.
            let awaitsTunnel =
                settings.proxy?.lowercased().hasPrefix("http") == true && easy.long(CURLINFO_HTTP_CONNECTCODE) == 0
            return awaitsTunnel ? .connecting : .handshaking
        }
        return easy.offset(CURLINFO_NAMELOOKUP_TIME_T) > 0 ? .connecting : .resolving
    }

    private func connection(_ error: CurlError?) -> Connection {
        let lookUp = milliseconds(CURLINFO_NAMELOOKUP_TIME_T)
        return Connection(
            address: address, port: address.map { _ in easy.long(CURLINFO_PRIMARY_PORT) }, httpVersion: httpVersion,
            tls: tls(error),
            timings: Timings(
                // libcurl looks up only a proxy's name, and also counts the wait before its first step.
                dns: settings.proxy == nil ? lookUp.map { _ in 0 } : lookUp,
                connect: milliseconds(CURLINFO_CONNECT_TIME_T),
                tls: milliseconds(CURLINFO_APPCONNECT_TIME_T), firstByte: milliseconds(CURLINFO_STARTTRANSFER_TIME_T),
                total: milliseconds(CURLINFO_TOTAL_TIME_T) ?? 0),
            viaProxy: settings.proxy != nil)
    }

    /// The address of the TCP connection: the proxy's, if there is one.
    var address: String? { easy.string(CURLINFO_PRIMARY_IP) }

    /// nil without TLS, and if the handshake failed before the certificate was checked.
    private func tls(_ error: CurlError?) -> TLSFacts? {
        // OpenSSL's number: 0 for success or no TLS, 1 if the handshake ended without a result.
        let verdict = easy.long(CURLINFO_SSL_VERIFYRESULT)
        if let failure = error?.failure, failure.kind == .certificate {
            return TLSFacts(
                version: tlsVersion, chain: [], trusted: false,
                problem: CertificateProblem(verifyResult: verdict, message: failure.detail), detail: failure.detail)
        }
        let chain = easy.certificateLines.map { CertificateFacts(lines: $0) }
        return tlsVersion == nil && chain.isEmpty
            ? nil : TLSFacts(version: tlsVersion, chain: chain, trusted: verdict == 0)
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

    private func milliseconds(_ info: CURLINFO) -> Double? {
        let microseconds = easy.offset(info)
        return microseconds > 0 ? Double(microseconds) / 1000 : nil
    }
}

/// Collects an answer within its limits, for libcurl's header and body callbacks. Does not call libcurl.
struct AnswerSink {
    private(set) var status: Int?
    private(set) var headers: [HeaderField] = []
    private(set) var body = Data()
    private(set) var bodyStarted = false
    /// Whether the last header block is complete.
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

    /// Takes one whole line, including status lines and trailers.
    /// - Returns: false to stop the transfer.
    mutating func takeHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
        // All blocks count together: a peer can send informational blocks forever.
        headerBytes += line.count
        guard headerBytes <= headerLimit else {
            headersOverLimit = true
            return false
        }
        // Trailers count towards the limit, but are dropped.
        guard !bodyStarted else { return true }
        let text = String(decoding: line, as: UTF8.self)
        if text.hasPrefix("HTTP/") {
            headers = []
            headEnded = false
            status = Self.status(ofStatusLine: text)
        } else if text == "\r\n" || text == "\n" {
            headEnded = true
        } else if let colon = text.firstIndex(of: ":") {
            let value = text[text.index(after: colon)...].withoutBlanks
            headers.append(HeaderField(name: String(text[..<colon]), value: value))
        } else if text.first == " " || text.first == "\t", let last = headers.indices.last {
            // Obsolete line folding: the value continues.
            headers[last].value += " " + text[...].withoutBlanks
        }
        return true
    }

    /// Takes a piece of the decoded body.
    /// - Returns: false to stop the transfer.
    mutating func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bodyStarted = true
        let room = bodyLimit - body.count
        body.append(contentsOf: bytes.prefix(room))
        bodyOverLimit = bytes.count > room
        return !bodyOverLimit
    }

    /// Takes the size of the body on the wire. Compressed data that decodes to nothing would otherwise reach no limit.
    /// - Returns: false to stop the transfer.
    mutating func noteWireBytes(_ count: Int) -> Bool {
        let (limit, overflow) = bodyLimit.addingReportingOverflow(65_536)
        if !overflow, count > limit { bodyOverLimit = true }
        return !bodyOverLimit
    }

    /// Drops an answer that is only informational.
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
