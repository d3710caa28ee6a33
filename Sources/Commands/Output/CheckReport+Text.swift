// The report for people: verdict and diagnosis first, then what was found, then the evidence. Text from the watched
// site is made harmless before it gets here or on its way out.

import Evidence
import Foundation

extension CheckReport {
    func text(style: TextStyle) -> String {
        var lines: [String] = []
        let name = observation.domain.name
        lines.append("\(style.bold(name))  \(style.verdict(verdict.level))")
        lines += style.wrapped(verdict.diagnosis.displayable, indentation: 2)
        for finding in verdict.findings { lines += [""] + text(of: finding, style: style) }
        if !verdict.comparison.changes.isEmpty {
            lines += ["", "  " + style.dim("what the CDN does not have yet")]
            for change in verdict.comparison.changes {
                lines.append("    \(Self.mark(change.kind)) \(change.summary.displayable.shortened(to: 200))")
            }
        }
        if !verdict.comparison.behaviour.isEmpty {
            lines += ["", "  " + style.dim("what phones will do differently then")]
            for note in verdict.comparison.behaviour {
                lines += style.wrapped(note.sentence, indentation: 4, hanging: 2)
            }
        }
        lines += ["", "  " + style.dim("origin   ") + observation.origin.url]
        lines += describe(observation.origin).map { "           " + $0 }
        lines += ["  " + style.dim("cdn      ") + cdnURL]
        switch observation.cdn {
        case .asked(let retrieval): lines += describe(retrieval).map { "           " + $0 }
        case .notAsked(.originHasNoFile):
            lines.append("           not asked: the origin has no file yet, and Apple would remember the failure;")
            lines.append("           --ask-cdn asks all the same")
        case .notAsked(.mode):
            lines.append("           not asked: devices in \(observation.mode.rawValue) mode read the origin")
        }
        return lines.joined(separator: "\n")
    }

    private func text(of finding: Finding, style: TextStyle) -> [String] {
        var lines = ["  \(style.severity(finding.severity))  \(finding.rule.rawValue)"]
        lines += style.wrapped(finding.message.displayable, indentation: 4)
        lines += style.wrapped("do:   " + finding.fix.displayable, indentation: 4, hanging: 6)
        let evidence = finding.evidence.sorted { $0.key < $1.key }.filter { !$0.value.isEmpty && $0.key != "url" }
        if !evidence.isEmpty {
            let seen = evidence.map { "\($0.key): \($0.value.displayable.shortened(to: 300))" }
            lines += style.wrapped("seen: " + seen.joined(separator: " · "), indentation: 4, hanging: 6)
        }
        lines.append("    see:  " + finding.reference)
        return lines
    }

    private static func mark(_ kind: Change.Kind) -> String {
        switch kind {
        case .added: "+"
        case .removed: "-"
        case .changed: "~"
        case .moved: "↕"
        }
    }

    /// The facts of one retrieval in two lines or so.
    private func describe(_ retrieval: Retrieval) -> [String] {
        var lines = retrieval.redirects.map { hop in
            "\(hop.status) to \((hop.location ?? "nowhere").displayable.shortened(to: 160))"
        }
        switch retrieval.outcome {
        case .failed(let failure):
            lines.append("no answer: \(failure.detail.displayable.shortened(to: 200))")
        case .answered(let answer):
            var facts = ["status \(answer.status)"]
            if let type = answer.header("content-type") { facts.append(type.displayable.shortened(to: 80)) }
            facts.append("\(answer.body.decodedBytes.grouped) bytes")
            if let hash = answer.body.hash { facts.append("sha256 \(hash.hex.prefix(12))…") }
            if let age = answer.age { facts.append("age \(age) s" + (answer.maxAge.map { " of \($0) s" } ?? "")) }
            lines.append(facts.joined(separator: ", "))
        }
        if let connection = retrieval.connection {
            var facts: [String] = []
            if let address = connection.address { facts.append(address) }
            if let version = connection.httpVersion { facts.append("HTTP/\(version)") }
            if let version = connection.tls?.version { facts.append(version) }
            if let leaf = connection.tls?.chain.first, let end = leaf.notAfter {
                facts.append("certificate until \(end.rfc3339)")
            }
            facts.append("\((connection.timings.total / 1000).inWords)")
            lines.append(facts.joined(separator: ", "))
        }
        return lines
    }
}
