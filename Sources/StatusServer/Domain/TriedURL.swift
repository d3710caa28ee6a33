// Which app opens a URL: by the origin's file, and by each copy that Apple's edges serve.

import AASA
import Evidence
import Foundation
import Report

struct TriedURL: Sendable {
    /// Why the URL could not be tried; nil: it was.
    private let fault: String?
    /// `source`: such as `6 edges (v14)`.
    private let answers: [(source: Source, opens: String, rule: String)]
    /// Why a phone may still open the website although all is well, as in `check --why`.
    private let reasons: [DeviceReason]

    /// A file, and where it was seen.
    struct Source: Sendable {
        let name: String
        let isOrigin: Bool
        /// Whether phones read it.
        let isRead: Bool
        let content: Data?
    }

    /// `linksWork`: the last check found nothing that keeps phones from opening the app.
    init(_ text: String, domain: Domain, mode: AssociationMode, sources: [Source], linksWork: Bool) {
        let whole = text.hasPrefix("/") ? "https://\(domain.name)\(text)" : text
        guard let parsed = MatchableURL(whole), let host = URLComponents(string: whole)?.host?.lowercased() else {
            fault = "This is not a URL. Write https://\(domain.name)/path, or a path that begins with /."
            (answers, reasons) = ([], [])
            return
        }
        guard host == domain.name else {
            fault = "The file of \(domain.name) does not apply to other hosts."
            (answers, reasons) = ([], [])
            return
        }
        fault = nil
        var read: [MatchResult?] = []
        answers = sources.map { source in
            var result: MatchResult?
            defer { if source.isRead { read.append(result) } }
            guard let content = source.content, let document = ContentReading(content).document else {
                return (source, "Opens the website", "There is no file.")
            }
            let file = AssociationFile(document)
            guard let links = file.applinks else {
                return (source, "Opens the website", "The file has no applinks.")
            }
            let found = links.match(parsed)
            result = found
            return (
                source, found.opens.map { "Opens \($0.onOneLine(upTo: 150))" } ?? "Opens the website",
                Self.rule(found, file)
            )
        }
        guard linksWork, let first = read.first ?? nil, let app = first.opens, read.allSatisfy({ $0?.opens == app })
        else {
            reasons = []
            return
        }
        reasons = DeviceReason.possible(
            for: TappedLink(
                url: whole, host: domain, domain: domain, mode: mode, app: app, otherApps: first.alsoOpenedBy))
    }

    private static func rule(_ result: MatchResult, _ file: AssociationFile) -> String {
        guard let attempt = result.deciding else {
            if !result.isComplete {
                return "Unknown: there are too many rules, or they are too complex, to try them all."
            }
            return result.attempts.isEmpty
                ? "The file has no rules." : "None of \(result.attempts.count.of("rule")) matches."
        }
        let line = file.position(of: attempt.rule).line
        let text = attempt.rule.written.onOneLine(upTo: 200)
        return "\(attempt.rule.isExclusion ? "Excluded by line" : "Line") \(line): \(text)"
    }

    var html: HTML {
        let rows = answers.map { answer -> HTML in
            """
            <tr role="row"\(#" class="origin""#, if: answer.source.isOrigin)>\
            <th role="rowheader" scope="row">\(answer.source.name)</th>\
            <td role="cell" class="text"><b><bdi>\(answer.opens)</bdi></b> \
            <span class="fine"><bdi>\(answer.rule)</bdi></span></td></tr>

            """
        }
        return """
            \(fault.map { #"<p class="warn"><bdi>\#($0)</bdi></p>"# })\
            \(HTML.table(["File of", "A tap"], rows), if: !rows.isEmpty)\
            \(device, if: !reasons.isEmpty)
            """
    }

    private var device: HTML {
        let items = reasons.map { reason -> HTML in
            """
            <li><p><bdi>\(reason.what)</bdi></p><p class="fine"><bdi>\(reason.test.text)</bdi> \
            <a href="\(reason.source)" rel="noreferrer">Source</a></p></li>
            """
        }
        return """
            <details id="device"><summary>Does a phone still open the website?</summary>\
            <p class="soft">Only the phone knows why. The most likely reasons first:</p>\
            <ol class="device">\(items)</ol></details>
            """
    }
}
