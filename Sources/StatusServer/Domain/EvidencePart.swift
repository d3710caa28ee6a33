// What the last full check saw, word by word, for those who want to look for themselves.

import Evidence
import Foundation

struct EvidencePart: Equatable, Sendable {
    let id: String
    let title: String
    let note: String
    let text: String

    /// What nobody reads to its end is cut.
    private static let maximumFile = 16_384
    private static let maximumParts = 24

    static func all(_ full: Observation, _ time: PageTime) -> [EvidencePart] {
        var parts: [EvidencePart] = []
        func add(_ title: String, _ retrieval: Retrieval) {
            guard parts.count < maximumParts else { return }
            parts.append(part("e-\(parts.count)", title, retrieval))
        }
        add("Origin, by name", full.origin)
        for look in full.full?.agents ?? [] { add("Origin as \(look.agent.userAgent)", look.retrieval) }
        for look in full.full?.addresses ?? [] { add("Origin at \(look.address.address)", look.retrieval) }
        for look in full.full?.edges ?? [] { add("Edge \(look.shortName ?? "") \(look.address)", look.retrieval) }
        if full.full?.edges.isEmpty != false, let copy = full.cdn.retrieval { add("Apple’s CDN", copy) }
        for look in full.full?.vantages ?? [] { add("From \(look.name)", look.retrieval) }
        var shown: Set<ContentHash> = []
        for (title, retrieval) in [
            ("The origin’s file", full.origin as Retrieval?), ("Apple’s copy", full.cdn.retrieval),
        ] {
            guard let hash = retrieval?.answer?.body.hash, shown.insert(hash).inserted, let data = full.contents[hash]
            else {
                continue
            }
            let text = String(decoding: data.prefix(maximumFile), as: UTF8.self)
            parts.append(
                EvidencePart(
                    id: "e-\(parts.count)", title: title, note: "\(data.count.grouped) bytes, SHA-256 \(hash.hex)",
                    text: text.lines + (data.count > maximumFile ? "\n…" : "")))
        }
        return parts
    }

    private static func part(_ id: String, _ title: String, _ retrieval: Retrieval) -> EvidencePart {
        var lines = ["GET \(retrieval.url)"]
        if let connection = retrieval.connection {
            lines.append(
                "connected to \(connection.address ?? "?"), HTTP/\(connection.httpVersion ?? "?"), \(connection.tls?.version ?? "no TLS"), "
                    + "\(Int(connection.timings.total.rounded())) ms")
        }
        for hop in retrieval.redirects {
            lines.append("\(hop.status) from \(hop.from) to \(hop.location ?? "nowhere")")
        }
        let note: String
        switch retrieval.outcome {
        case .answered(let answer):
            note = "\(answer.status), \(answer.body.decodedBytes.grouped) bytes"
            lines.append("status \(answer.status)")
            lines += answer.headers.map { "\($0.name): \($0.value)" }
            if let hash = answer.body.hash { lines.append("body: SHA-256 \(hash.hex)") }
        case .failed(let failure):
            note = failure.kind.rawValue.replacing("_", with: " ")
            lines.append("failed while \(failure.phase.rawValue): \(failure.detail)")
        }
        return EvidencePart(
            id: id, title: title.onOneLine(upTo: 120), note: note,
            text: lines.map { $0.onOneLine(upTo: 600) }.joined(separator: "\n"))
    }
}

extension String {
    /// Displayable, line by line.
    fileprivate var lines: String {
        split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line in
            String(line).replacing("\t", with: "  ").onOneLine(upTo: 600)
        }.joined(separator: "\n")
    }
}
