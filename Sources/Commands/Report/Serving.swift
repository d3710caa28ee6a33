// What one of several servers gave, in a form that can be compared with what the others gave, and said in a few words.

import Evidence

/// An answer reduced to what matters to a reader of the file.
struct Serving: Hashable {
    private enum Kind: Hashable {
        case file(meaning: ContentHash, bytes: ContentHash)
        /// Status 200 with something that is no file.
        case noFile(type: String, ContentHash?)
        case redirect(status: Int, target: String)
        case status(Int, reason: String)
        case cutShort
        case silence(Failure.Kind)
    }

    private let kind: Kind
    /// As libcurl says it; differs from one server to the next where the trouble is the same.
    private let detail: String

    init(_ retrieval: Retrieval, in readings: Readings) {
        detail = retrieval.failure?.detail.displayable.shortened(to: 120) ?? ""
        guard let answer = retrieval.answer else {
            kind = .silence(retrieval.failure?.kind ?? .malformedAnswer)
            return
        }
        // A redirect that was followed shows in what came of it.
        if (300..<400).contains(answer.status), let hop = retrieval.redirects.last {
            kind = .redirect(status: hop.status, target: hop.target ?? hop.location ?? "nowhere")
        } else if answer.status != 200 {
            kind = .status(answer.status, reason: CrawlerFailure(answer)?.words ?? "")
        } else if let file = readings.file(of: retrieval), let meaning = file.meaning {
            kind = .file(meaning: meaning, bytes: file.hash)
        } else if case .cutShort = answer.body.end {
            kind = .cutShort
        } else {
            kind = .noFile(type: answer.header("content-type") ?? "no Content-Type", answer.body.hash)
        }
    }

    init(hop: RedirectHop) {
        kind = .redirect(status: hop.status, target: hop.target ?? hop.location ?? "nowhere")
        detail = ""
    }

    /// Two looks are alike where a reader of the file would notice no difference.
    static func == (left: Serving, right: Serving) -> Bool {
        switch (left.kind, right.kind) {
        case (.file(let one, _), .file(let other, _)): one == other
        default: left.kind == right.kind
        }
    }

    func hash(into hasher: inout Hasher) {
        if case .file(let meaning, _) = kind { hasher.combine(meaning) } else { hasher.combine(kind) }
    }

    /// In the words of a table. `origin`: what the plain request got, to compare with.
    func words(besides origin: Serving? = nil) -> String {
        switch kind {
        case .file(let meaning, let bytes):
            guard case .file(let own, let ownBytes) = origin?.kind else { return "file \(bytes.hex.prefix(12))…" }
            if bytes == ownBytes { return "the origin's file" }
            return meaning == own
                ? "the origin's file, formatted differently" : "another file, \(bytes.hex.prefix(12))…"
        case .noFile(let type, _): return "no file, but \(type.displayable.shortened(to: 60))"
        case .redirect(let status, let target): return "\(status) to \(target.displayable.shortened(to: 120))"
        case .status(let status, let reason):
            return "status \(status)" + (reason.isEmpty ? "" : ", Apple says: \(reason.displayable.shortened(to: 120))")
        case .cutShort: return "the answer breaks off"
        case .silence: return "no answer: \(detail)"
        }
    }

    /// For several that are all alike.
    var wordsForAll: String {
        switch kind {
        case .file: "all serve the same"
        case .noFile, .cutShort: "all serve the same: \(words())"
        case .redirect(let status, let target): "all redirect: \(status) to \(target.displayable.shortened(to: 120))"
        case .status: "all answer with \(words())"
        case .silence: "none answers: \(detail)"
        }
    }
}
