// The incidents as an Atom feed (RFC 4287), and the state of a domain as a badge.

import Evidence
import Foundation
import HTTPTypes
import Hummingbird
import Monitoring
import Storage

struct FeedRoute: Sendable {
    let context: PageContext

    private static let maximum = 50
    private static let window: TimeInterval = 30 * 86400

    func answer(_ request: Request) async throws -> Response {
        let time = PageTime(context.timekeeper)
        let store = context.store
        let open = try await store.unresolvedIncidents(limit: Self.maximum)
        let ended = try await store.resolvedIncidents(since: time.now - Self.window, limit: Self.maximum)
        let facts = try await store.incidentFacts((open + ended).map(\.incident.id))
        let entries = (open + ended).map { entry($0.incident, facts[$0.incident.id], base(request), time) }
        let updated = entries.map(\.updated).max() ?? time.wall
        let name = context.instance.isEmpty ? "" : ScalarHTML.escape(" \(context.instance.onOneLine(upTo: 100))")
        let feed = """
            <?xml version="1.0" encoding="utf-8"?>
            <feed xmlns="http://www.w3.org/2005/Atom">
            <id>urn:aasa-monitor:incidents\(Self.urn(context.instance))</id>
            <title>Incidents of aasa-monitor\(name)</title>
            <updated>\(updated.rfc3339)</updated>
            <author><name>aasa-monitor</name></author>
            <link rel="self" href="\(ScalarHTML.escape(base(request) + "/incidents.atom"))"/>
            <link rel="alternate" type="text/html" href="\(ScalarHTML.escape(base(request) + "/incidents"))"/>
            \(entries.sorted { $0.updated > $1.updated }.map(\.text).joined(separator: "\n"))
            </feed>

            """
        return Response(
            status: .ok,
            headers: [.contentType: "application/atom+xml; charset=utf-8", .cacheControl: "no-cache, private"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: feed)))
    }

    /// A name as RFC 8141 lets it stand in an identifier, behind what stands before it.
    private static func urn(_ name: String) -> String {
        guard !name.isEmpty else { return "" }
        let allowed = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-._"))
        return ":" + (name.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")
    }

    private func base(_ request: Request) -> String {
        if let publicURL = context.key.policy.publicURL {
            return publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL
        }
        return "http://"
            + (request.authority.isEmpty ? "localhost" : request.authority).onOneLine(upTo: 255)
    }

    private func entry(
        _ incident: Incident, _ facts: IncidentFacts?, _ base: String, _ time: PageTime
    ) -> (updated: Date, text: String) {
        let updated = time.shown(incident.resolvedAt ?? incident.worse?.at ?? incident.firedAt ?? incident.openedAt)
        let words = facts.map { $0.text(at: time.reading(incident)).oneLine } ?? incident.kind.rawValue
        let title = "\(incident.subjectName): \(incident.kind.rawValue) \(incident.state.rawValue)"
        let text = """
            <entry>
            <id>urn:aasa-monitor:incident:\(ScalarHTML.escape(incident.id))</id>
            <title>\(ScalarHTML.escape(title))</title>
            <published>\(time.shown(incident.openedAt).rfc3339)</published>
            <updated>\(updated.rfc3339)</updated>
            <link rel="alternate" type="text/html" href="\(ScalarHTML.escape("\(base)/incidents/\(incident.id)"))"/>
            <category term="\(incident.kind.rawValue)"/>
            <summary>\(ScalarHTML.escape(words.onOneLine(upTo: 1500)))</summary>
            </entry>
            """
        return (updated, text)
    }

    /// `example.com.svg`.
    func badge(_ file: String) async throws -> Response {
        guard file.hasSuffix(".svg"), let domain = try? Domain(String(file.dropLast(4))),
            context.watched.index[domain] != nil
        else { return Response(plain: "404 this domain is not watched here\n", status: .notFound) }
        let time = PageTime(context.timekeeper)
        try await context.watched.show(in: context.store, at: time)
        let status = try await context.store.summaries([domain.name]).first?.status ?? .waiting
        let isStalled = try await context.store.stalledSince(time.now) != nil
        let badge = isStalled ? Self.badge("not checked", .soft) : Self.badge(status.word.lowercased(), status.tone)
        return Response(
            status: .ok,
            headers: [
                .contentType: "image/svg+xml", .cacheControl: "max-age=60",
                HTTPField.Name("Cross-Origin-Resource-Policy") ?? .vary: "cross-origin",
            ], body: ResponseBody(byteBuffer: ByteBuffer(string: badge)))
    }

    private static func badge(_ word: String, _ tone: Tone) -> String {
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
