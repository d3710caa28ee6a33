// The diagnosis: one sentence for a tired person, chosen by the first row of a table that fits, most specific first.

struct DiagnosisRow: Sendable {
    let name: String
    /// The sentence where the row fits, else nil: what is the matter, what to do next, and how long to wait.
    let sentence: @Sendable (DiagnosisContext) -> String?

    init(_ name: String, _ sentence: @escaping @Sendable (DiagnosisContext) -> String?) {
        self.name = name
        self.sentence = sentence
    }
}

package enum Diagnosis {
    /// - Returns: one sentence without final stop, cleaned for display and bounded.
    static func sentence(for context: DiagnosisContext) -> String {
        for row in rows {
            if let sentence = row.sentence(context) { return sentence.displayable.shortened(to: 1000) }
        }
        if let worst = context.findings.first, worst.severity > .note {
            return "\(worst.message): \(worst.fix)".displayable.shortened(to: 1000)
        }
        return "the origin's file is reachable and valid"
    }

    /// What hides everything else comes first; then what Apple says together with what this machine sees; then what either
    /// of them says alone; then how old Apple's copy is; at the end, that all is well.
    static let rows: [DiagnosisRow] =
        nameRows + absenceRows + handshakeRows + vantageRows + refusalRows + crawlerRows + originRows + expectationRows
        + edgeRows + copyRows + healthyRows
}
