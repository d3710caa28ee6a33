// A finding as people and receivers of alerts read it.

package struct FindingText: Encodable, Equatable, Sendable {
    package let rule: Rule
    package let severity: Severity
    /// One sentence: what is wrong.
    package var message: String
    package var evidence: [String: String]
    /// What to do about it.
    package var fix: String
    /// A link to the requirement.
    package let reference: String
}

/// What is wrong, and what to do.
struct FindingWords {
    var message: String
    var fix: String
    /// What was seen, as far as it needs words.
    var evidence: [String: String]

    init(_ message: String, _ fix: String, _ evidence: [String: String] = [:]) {
        self.message = message
        self.fix = fix
        self.evidence = evidence
    }
}

extension English {
    static func text(of finding: Finding) -> FindingText {
        var words = words(finding.matter)
        if let place = finding.place { words.message = "\(text(of: place)): \(words.message)" }
        if let counterevidence = finding.counterevidence {
            words.message += "; Apple's CDN has the file"
            words.fix = fix(finding.matter, beside: counterevidence)
        }
        // Words may quote what a watched site sent.
        let evidence = words.evidence.mapValues { $0.displayable.shortened(to: 2000) }
        return FindingText(
            rule: finding.rule, severity: finding.severity, message: words.message.displayable.shortened(to: 1000),
            evidence: finding.evidence.merging(evidence) { $1 }, fix: words.fix.displayable.shortened(to: 1000),
            reference: finding.matter.ruling.reference)
    }

    private static func fix(_ matter: Matter, beside counterevidence: Finding.Counterevidence) -> String {
        switch (matter, counterevidence) {
        case (.origin(.notPublic), _), (_, .otherServer):
            "check from a network with public DNS, or name a vantage; nothing needs to be done at the site"
        case (_, .appleCopyAndAgent(let agent)): "let every user agent read the file, as \(agent.shortName) can"
        case (_, .appleCopy):
            "look from another network, or let this machine pass: Apple's copy shows that its crawler gets the file"
        }
    }

    private static func text(of place: Finding.Place) -> String {
        switch place {
        case .behindRedirect(let host): "behind the redirect to \(host.inSentence)"
        case .addresses(let addresses, let all, othersAnswer: true):
            "at \(addresses.listed(upTo: 3)) only (\(addresses.count) of \(all) addresses)"
        case .addresses(let addresses, _, othersAnswer: false):
            "at \(addresses.listed(upTo: 3)), while the other addresses do not answer"
        }
    }

    private static func words(_ matter: Matter) -> FindingWords {
        switch matter {
        case .origin(let matter): words(matter)
        case .cdn(let matter): words(matter)
        case .file(let matter): words(matter)
        case .monitor(let cause): finding(cause)
        case .vantageFailed(let name, let detail):
            FindingWords(
                "the vantage \(name) could not be used: \(detail ?? "its proxy failed")",
                "check the proxy of that vantage; it says nothing about the site, which is judged without it")
        }
    }
}
