// What arrives of an answer, kept within its limits: libcurl's header and body callbacks end here. No libcurl in it.

import Foundation

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
