// `check --why URL`: what the file that phones use says about a URL, and which reasons are on the phone.

import AASA
import Evidence
import Foundation

/// The URL that `--why` asks about, and the target whose file decides it.
struct WhyQuestion {
    let url: MatchableURL
    let target: Target
    /// The URL's own host.
    let host: Domain
    /// Whether the URL itself is a target, so its domain is checked too.
    private(set) var isTarget = false

    /// `targets`: the targets given with it; nil: none.
    /// - Throws: `CommandFailure` if the text is not a link of the target, or there are several targets.
    init(_ text: String, of targets: [Target]?) throws {
        let shown = text.displayable.shortened(to: 200)
        guard targets?.count ?? 1 == 1 else {
            throw CommandFailure(.usage, "--why: it takes one link; give its domain as the only target, or no target")
        }
        let isPath = text.hasPrefix("/") && !text.hasPrefix("//")
        if isPath, targets == nil {
            throw CommandFailure(
                .usage, "--why: '\(shown)' is only a path; write the whole link, such as https://example.com/path")
        }
        // A link from an address bar may have no scheme.
        let isWhole = isPath || text.contains("://")
        guard isWhole || text.contains("/") else {
            throw CommandFailure(
                .usage,
                "--why: '\(shown)' names no page; write the link that the phone does not open, such as "
                    + "https://example.com/path, or https://\(shown)/ for the home page")
        }
        let question = try MatchQuestion(isWhole ? text : "https://" + text, expected: nil)
        url = question.url
        let named: Domain?
        do {
            named = try ExpectedURL.host(of: url.text)
        } catch {
            throw CommandFailure(.usage, "--why: '\(shown)' is not a link of an associated domain: \(error.reason)")
        }
        // A target that is the URL of a copy means the domain of the copy.
        if let named, let copied = try? Target(parsing: url.text).domain, copied != named {
            throw CommandFailure(
                .usage,
                "--why: '\(shown)' is Apple's copy of the file of \(copied); write the link that the phone does not open"
            )
        }
        if let target = targets?.first {
            if let link = target.link, !target.isOfFile, link != url.text {
                throw CommandFailure(
                    .usage,
                    "--why: it takes one link, but the target is a link too; give \(target.domain) as the target, or check "
                        + "both links as targets")
            }
            if let service = target.service, service != "applinks" {
                throw CommandFailure(.usage, "--why: it is about links, but the target is about \(service)")
            }
            if case .above(let domain) = try LinkOwner(of: url, among: [target.domain]) { LinkOwner.note(url, domain) }
            self.target = target
            host = named ?? target.domain
        } else if let named {
            (target, host) = (Target(domain: named), named)
        } else {
            throw CommandFailure(.usage, "--why: '\(shown)' names no domain; write the whole link")
        }
    }

    /// The question of a target that is a link; nil if the target names only the domain, or a place of the file.
    init?(typed target: Target) throws {
        guard let link = target.link, !target.isOfFile, target.service == nil || target.service == "applinks" else {
            return nil
        }
        url = try MatchQuestion(link, expected: nil).url
        (self.target, host, isTarget) = (target, target.domain, true)
    }
}

/// The answer to a `WhyQuestion`.
struct WhyReport: Sendable {
    /// The URL, absolute.
    let url: String
    /// From the file that phones use.
    let answer: MatchAnswer
    let file: AssociationFile?
    /// As `match` names that file: `cdn:DOMAIN`, or the domain for its origin's.
    let source: String
    let conclusion: Conclusion
    /// Whether the URL itself is a target. Then the report of its domain follows directly, and only `--why` lists the
    /// reasons on the phone.
    let isTarget: Bool
    /// What the origin's file says, if it is a different file and says something else.
    let atOrigin: MatchAnswer?
    private let originFile: AssociationFile?
    /// Whether the origin's file opens something else; nil if there is none, or phones read it.
    let differsAtOrigin: Bool?
    private let domain: Domain
    let reasons: [DeviceReason]

    enum Conclusion: Sendable {
        /// There is no file where phones ask.
        case noFile
        /// Apple's CDN was not asked, because the origin has no file.
        case notAsked
        /// This machine did not get the file that phones use.
        case notRead
        case opensNothing
        case opensAnother
        /// It opens the app, but the domain has problems.
        case reportFirst
        /// It opens the app, and the domain has no problem.
        case phoneKnows
    }

    init(_ question: WhyQuestion, _ report: CheckReport) {
        let readings = report.readings
        let mode = readings.observation.mode
        domain = question.target.domain
        isTarget = question.isTarget
        let text = question.url.host.isEmpty ? "https://\(domain)\(question.url.text)" : question.url.text
        url = text
        let asked = MatchQuestion(
            question.url, absolute: text, expected: report.expectations.opening(of: question.url))
        let owner: LinkOwner = question.host == domain ? .own(domain) : .above(domain)
        func read(_ content: ContentReading?) -> AssociationFile? { content?.document.map { AssociationFile($0) } }
        let isCopy = mode.readsCDN
        file = read(isCopy ? readings.cdnFile : readings.originFile)
        source = isCopy ? "cdn:\(domain)" : domain.name
        let answer = MatchAnswer(question: asked, file: file, owner: owner)
        self.answer = answer
        originFile = isCopy ? read(readings.originFile) : nil
        let other = originFile.map { MatchAnswer(question: asked, file: $0, owner: owner) }
        let isUnread = file == nil && report.verdict.diagnosis.effect.isUnknown
        differsAtOrigin = isUnread ? nil : other.map { $0.opens != answer.opens }
        atOrigin = differsAtOrigin == true ? other : nil
        conclusion =
            if file == nil {
                readings.observation.cdn == .notAsked(.originHasNoFile) ? .notAsked : isUnread ? .notRead : .noFile
            } else if answer.opens == nil {
                .opensNothing
            } else if !answer.isAsExpected {
                .opensAnother
            } else if report.verdict.diagnosis.effect.linksWork {
                .phoneKnows
            } else {
                .reportFirst
            }
        let link = TappedLink(
            url: text, host: question.host, domain: domain, mode: mode, app: answer.opens,
            otherApps: answer.result?.alsoOpenedBy ?? [])
        switch conclusion {
        case .phoneKnows, .noFile, .notAsked: reasons = isTarget ? [] : DeviceReason.possible(for: link)
        case .notRead, .opensNothing, .opensAnother, .reportFirst: reasons = []
        }
    }
}

extension Effect {
    fileprivate var isUnknown: Bool { if case .unknown = links { true } else { false } }
}

extension Expectations {
    /// What a URL is expected to open; nil without an expectation.
    fileprivate func opening(of url: MatchableURL) -> ExpectedOpening? {
        let same = urls.lazy.filter { $0.opens != nil }.first {
            guard let own = MatchableURL($0.url) else { return false }
            return (own.path, own.query, own.fragment) == (url.path, url.query, url.fragment)
        }
        return same?.opens ?? (apps.count == 1 ? .app(apps[0]) : nil)
    }
}

// MARK: - Words

extension WhyReport {
    private var readsCDN: Bool { source.hasPrefix("cdn:") }

    /// `https://example.com/a  opens APP, by cdn:example.com:6:9 {"/": "/a"}`, and notes.
    private func match(_ answer: MatchAnswer, _ file: AssociationFile?, _ source: String, _ style: TextStyle) -> String
    {
        MatchText(style: style, file: file, source: source).describe(answer, explains: false)
    }

    private func headline(_ style: TextStyle) -> String {
        let why: String
        switch conclusion {
        case .noFile:
            why = "opens nothing: " + (readsCDN ? "Apple's CDN has no copy of the file" : "the origin has no file")
        case .notAsked: why = "opens nothing: the origin has no file, and Apple's CDN was not asked"
        case .notRead: why = "unknown: this machine did not get " + (readsCDN ? "Apple's copy" : "the origin's file")
        case .opensNothing, .opensAnother, .reportFirst, .phoneKnows: return match(answer, file, source, style)
        }
        return "\(style.bold(url.displayable))  \(why)"
    }

    /// What follows from the answer, in sentences.
    private var sentences: [String] {
        var sentences: [String] = []
        switch conclusion {
        // Its report is the next line.
        case .noFile where isTarget, .notAsked where isTarget, .notRead where isTarget: break
        case .noFile, .notAsked:
            sentences.append(
                "Phones find no file of \(domain) and open the website. The report of the domain says why.")
        case .notRead: sentences.append("What phones do with this URL is unknown. The report of \(domain) says why.")
        case .opensNothing: sentences.append("Phones open the website, as the file says. To see each tried rule:")
        case .opensAnother: sentences.append("Phones do what the file says, but you expect something else.")
        case .reportFirst:
            sentences.append("\(domain) has problems: see its report below.")
        case .phoneKnows where isTarget:
            sentences.append("If a phone still opens the website, only the phone knows why. Reasons and tests:")
        case .phoneKnows:
            sentences.append(
                "\(readsCDN ? "Apple's copy" : "The origin's file") opens this URL in the app. If a phone still opens the website, only the phone knows why. "
                    + "The likeliest reasons first:")
        }
        if let atOrigin {
            let opens = atOrigin.opens.map { "opens it in \($0.inSentence)" } ?? "opens nothing with it"
            let when = file == nil ? "" : " Phones follow once Apple's CDN has that file."
            sentences.insert("The origin's file \(opens).\(when)", at: 0)
        }
        return sentences
    }

    /// One line.
    var words: String {
        headline(TextStyle(isColoured: false)).split(separator: "\n").map {
            $0.trimmingCharacters(in: .whitespaces).replacing("  ", with: " ")
        }.joined(separator: "; ")
    }

    /// The command that shows more; it follows the sentences.
    private var command: String? {
        // Not shortened, and quoted for a shell.
        let link = url.displayable.quotedForShell
        return switch conclusion {
        case .opensNothing: "aasa-monitor match --explain \(source) \(link)"
        case .phoneKnows where isTarget: "aasa-monitor check --why \(link)"
        default: nil
        }
    }

    /// Whether an empty line separates it from the report of the domain.
    var isApart: Bool { !sentences.isEmpty }

    func lines(style: TextStyle) -> [String] {
        var lines = headline(style).split(separator: "\n").map(String.init)
        for sentence in sentences { lines += style.broken(sentence, indentation: 2) }
        // A command that is broken into lines cannot be copied.
        if let command { lines.append("    " + command) }
        for (index, reason) in reasons.enumerated() {
            let number = "\(index + 1). "
            lines += [""] + style.wrapped(number + reason.what, indentation: 2, hanging: number.count)
            let indentation = 2 + number.count
            switch reason.test {
            case .steps(let text): lines += style.wrapped("test: " + text, indentation: indentation, hanging: 6)
            case .commands(let commands):
                lines += commands.enumerated().map { index, command in
                    String(repeating: " ", count: indentation) + (index == 0 ? "test: " : "      ") + command
                }
            }
            lines.append(String(repeating: " ", count: indentation) + "see:  " + reason.source)
        }
        return lines
    }

    var markdown: [String] {
        var lines = ["## \(Markdown.text(url.shortened(to: 200)))", "", Markdown.text(words), ""]
        lines.append((sentences + [command].compactMap(\.self)).map(Markdown.text).joined(separator: " "))
        if !reasons.isEmpty {
            lines += ["", "| | why a phone may open the website | how to test it |", "|---|---|---|"]
            lines += reasons.enumerated().map { index, reason in
                "| \(index + 1) | \(Markdown.text(reason.what)) ([source](\(Markdown.link(reason.source)))) "
                    + "| \(Markdown.text(reason.test.text)) |"
            }
        }
        return lines
    }

    /// For a workflow's log: all of it in one annotation.
    var annotation: String {
        let list = reasons.enumerated().map { "\($0 + 1). \($1.what) Test: \($1.test.text)" }
        return WorkflowCommand(
            level: .notice, properties: [("title", "\(domain): why \(url.shortened(to: 200))")],
            message: ([words] + sentences + [command].compactMap(\.self) + list).joined(separator: "\n")
        ).line
    }
}
