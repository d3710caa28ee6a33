// The state of a domain as a badge.

import Evidence
import HTTPTypes
import Hummingbird
import Monitoring
import Report
import Storage

extension Pages {
    /// `example.com.svg`.
    func badge(_ file: String) async throws -> Response {
        guard file.hasSuffix(".svg"), let domain = try? Domain(String(file.dropLast(4))),
            context.watched.index[domain] != nil
        else { return Response(plain: "404 this domain is not watched here\n", status: .notFound) }
        let time = ReportTime(context.timekeeper)
        try await context.watched.show(in: context.store)
        let record = try await context.store.summaries([domain.name]).first ?? SummaryRecord(unchecked: domain)
        let isStalled = try await context.store.stalledSince(time.now) != nil
        let face = DomainFace(record, isChecked: !isStalled)
        let badge =
            isStalled ? Self.drawn("not checked", .soft) : Self.drawn(face.word.lowercased(), face.tone)
        return Response(
            status: .ok,
            headers: [
                .contentType: "image/svg+xml", .cacheControl: "max-age=60",
                HTTPField.Name("Cross-Origin-Resource-Policy") ?? .vary: "cross-origin",
            ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: badge.bytes)))
    }

    private static func drawn(_ word: String, _ tone: Tone) -> HTML {
        let colour =
            switch tone {
            case .fail: "#b3211b"
            case .warn: "#855000"
            case .prog: "#175cae"
            case .ok: "#1c6e3e"
            case .soft: "#565f6b"
            }
        let left = 104
        let right = word.count * 7 + 14
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(left + right)" height="20" role="img" \
            aria-label="universal links: \(word)"><title>universal links: \(word)</title>\
            <rect width="\(left)" height="20" fill="#3b4148"/>\
            <rect x="\(left)" width="\(right)" height="20" fill="\(colour)"/>\
            <g fill="#ffffff" font-family="system-ui,-apple-system,'Segoe UI',sans-serif" font-size="11" \
            text-anchor="middle"><text x="\(left / 2)" y="14">universal links</text>\
            <text x="\(left + right / 2)" y="14">\(word)</text></g></svg>

            """
    }
}
