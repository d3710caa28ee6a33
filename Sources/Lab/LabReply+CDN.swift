import Foundation

extension LabReply {
    /// A cached response, as an edge sends it.
    init(
        _ copy: LabCDNCopy, of host: String, age: Int64, maxAge: Int64?, id: String, edgeHeaders: [(String, String)]
    ) {
        let now = Date()
        let common = [("Date", HTTPDate.text(now)), ("Age", String(age))] + edgeHeaders + [("CDNUUID", id)]
        switch copy {
        case .body(let bytes, let urls):
            self.init(
                headers: [
                    ("Content-Type", "application/json"), ("Accept-Ranges", "bytes"),
                    ("Apple-From", urls.joined(separator: ", ")), ("Apple-Origin-Format", "json"),
                    ("Cache-Control", "max-age=\(maxAge ?? 21_600),public"),
                ] + common, body: bytes)
        case .failure(let failure):
            self = .cdnBare(status: failure.status)
            guard let reason = failure.reason else { return }
            let why = failure.details.map { [("Apple-Failure-Details", $0)] } ?? []
            let more = [
                ("Apple-Failure-Reason", reason), ("Apple-Try-Direct", "\(failure.tryDirect)"),
                ("Apple-From", LabCrawler.url(of: host)), ("Cache-Control", "max-age=\(maxAge ?? 3600),public"),
                // Ten seconds, although Cache-Control says an hour: the real CDN contradicts itself in the same way.
                ("Expires", HTTPDate.text(now + 10)),
            ]
            headers += (more + why + common).map { (name: $0.0, value: $0.1) }
        }
    }

    /// "Not Found", ten bytes, without information about the origin.
    static func cdnBare(status: Int) -> LabReply {
        LabReply(
            status: status, headers: [("Content-Type", "text/plain; charset=utf-8")], body: Array("Not Found\n".utf8))
    }
}

/// Dates in the format of RFC 9110, 5.6.7.
enum HTTPDate {
    static func text(_ date: Date) -> String {
        var seconds = time_t(date.timeIntervalSince1970)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
            // In the locale "C", which no part of the program changes.
            let count = strftime(text.baseAddress, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
            return String(
                decoding: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(text)[..<count]), as: UTF8.self)
        }
    }
}
