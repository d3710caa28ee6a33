import AASA
import Foundation

extension Checks {
    /// A status other than 200. Redirects that were not followed to an answer have their own finding.
    @Sendable static func originStatus(_ context: CheckContext) -> [Finding] {
        guard let answer = context.origin.answer, answer.status != 200 else { return [] }
        if context.origin.redirectStop != nil, !context.origin.redirects.isEmpty { return [] }
        var finding = Finding(
            rule: .origin("status"), severity: .error,
            message: "the \(context.metHost.isElsewhere ? "server" : "origin") answers with status \(answer.status) "
                + "instead of 200",
            evidence: context.answerEvidence, fix: "", reference: Reference.supportingDomains)
        // Which of several addresses it was; what the others do is told by a finding of its own.
        if !context.metHost.isElsewhere,
            context.addressSamples.contains(where: { context.readings.serving(of: $0.retrieval).isFile }),
            let address = context.origin.connection?.address
        {
            finding.message += " at \(address)"
        }
        // The domain's own server, but not the URL that was asked for.
        if !context.metHost.isElsewhere, let target = context.origin.redirects.last?.target {
            finding.message = "behind the redirect to \(target.inSentence): \(finding.message)"
        }
        if let protection = context.protectionHere?.protection {
            finding.message += ": \(protection.words)"
        } else if let word = context.readings.hosting?.fault.words {
            finding.message += ": \(word)"
        }
        finding.fix = statusFix(answer, context)
        return [context.metHost.placing(finding)]
    }

    private static func statusFix(_ answer: Answer, _ context: CheckContext) -> String {
        if context.protectionHere != nil {
            return "exempt the file's path from challenges and bot protection, for every client"
        }
        switch context.readings.hosting?.fault.meaning {
        case .unknownSite:
            return "add the domain to the site at its host, or point its DNS records to where the site is"
        case .stopped: return "switch the site on again at its host"
        case .failing: return "see the log of the site's program at its host"
        case .missingOrPrivate:
            return "upload the file to .well-known/apple-app-site-association, and let everybody read it"
        case .missing, .dotFolderDropped, nil: break
        }
        switch answer.status {
        case 401:
            return
                "let every client in the world read the file, without a login; for a staging host use ?mode=developer in "
                + "the app's entitlement"
        case 403: return "let every client in the world read the file: no login, no firewall rule, no geo rule"
        case 404, 410:
            return context.origin.redirects.isEmpty
                ? "deploy the file to /.well-known/apple-app-site-association, without extension; some hosts drop "
                    + "folders whose names begin with a dot"
                : "serve the file at \(context.domain.wellKnownURL) itself: take that path out of the redirect, and "
                    + "deploy the file there if it is missing"
        case 429: return "exempt the file from rate limits"
        case 520...530 where answer.isOfCloudflare: return "repair the server behind Cloudflare, or the way to it"
        case 500...: return "see the server's error log"
        default: return "answer with status 200 and the file"
        }
    }

    /// A body that is too large, or that did not come whole.
    @Sendable static func originBody(_ context: CheckContext) -> [Finding] {
        guard let answer = context.origin.answer, answer.status == 200 else { return [] }
        let body = answer.body
        var evidence = context.answerEvidence
        evidence["bytes"] = "\(body.decodedBytes)"
        evidence["wire_bytes"] = "\(body.wireBytes)"
        if let encoding = answer.header("content-encoding") { evidence["content_encoding"] = encoding }
        if let length = answer.header("content-length") { evidence["content_length"] = length }
        switch body.end {
        case .cutShort(let failure):
            evidence["error"] = failure.detail
            if failure.kind == .badEncoding {
                return [
                    Finding(
                        rule: .origin("content-encoding"), severity: .error,
                        message: "the body cannot be decompressed as its Content-Encoding says", evidence: evidence,
                        fix: "send the file uncompressed, or with a Content-Encoding that is true",
                        reference: Reference.supportingDomains)
                ]
            }
            let timedOut = failure.kind == .timedOut
            let came = "\(body.decodedBytes.grouped) bytes"
            let promised = answer.header("content-length").flatMap { Int($0) }
            let broken =
                failure.kind == .connectionReset
                ? "the server reset the connection after \(came), before the file was there"
                : "the connection ended after \(came), before the file did"
                    + (promised.map { $0 > body.wireBytes ? " (Content-Length says \($0.grouped))" : "" } ?? "")
            return [
                Finding(
                    rule: .origin(timedOut ? "timeout" : "truncated"), severity: .error,
                    message: timedOut
                        ? "the file does not arrive in time: \(came) came, then time ran out" : broken,
                    evidence: evidence,
                    fix: timedOut
                        ? "find what slows the server down; Apple's crawler gives up after a few seconds"
                        : "compare Content-Length with what is sent, and see the server's error log",
                    reference: Reference.supportingDomains)
            ]
        case .capped, .complete:
            if let finding = unaskedEncoding(answer, context, evidence) { return [finding] }
            if isCutInCompression(answer, context) {
                return [
                    Finding(
                        rule: .origin("truncated"), severity: .error,
                        message: "the compressed body ends in the middle of the file, after "
                            + "\(body.decodedBytes.grouped) bytes of it",
                        evidence: evidence,
                        fix: "see whether the file is whole on the server; if it is, what compresses it breaks off: a "
                            + "proxy, a module of the server, or a compressed copy that was uploaded in part",
                        reference: Reference.supportingDomains)
                ]
            }
            let capped = body.end != .complete
            guard capped || body.decodedBytes > sizeLimit else { return [] }
            return [
                Finding(
                    rule: .origin("too-large"), severity: .error,
                    message: "the file is larger than devices read: "
                        + "\(capped ? "over " : "")\(body.decodedBytes.grouped) bytes, the limit is "
                        + "\(sizeLimit.grouped)",
                    evidence: evidence,
                    fix: "use wildcard patterns instead of listing every URL",
                    reference: Reference.archivedGuide)
            ]
        }
    }

    /// libcurl takes a gzip stream that breaks off for one that ends, so that only the text shows it.
    static func isCutInCompression(_ answer: Answer, _ context: CheckContext) -> Bool {
        answer.body.end == .complete && answer.header("content-encoding")?.lowercased().hasSuffix("gzip") == true
            && context.readings.originBody?.syntaxError?.isAtEnd == true
    }

    /// A Content-Encoding that was not asked for. We ask for gzip; Apple's crawler and devices may take other compressions,
    /// but whoever sends one unasked sends it to all. What names no compression leaves the body readable as it is.
    static func unaskedEncoding(
        _ answer: Answer, _ context: CheckContext, _ evidence: [String: String] = [:]
    ) -> Finding? {
        guard let encoding = answer.header("content-encoding")?.lowercased().trimmingCharacters(in: .whitespaces),
            !["", "identity", "gzip", "x-gzip"].contains(encoding)
        else { return nil }
        let shown = encoding.displayable.shortened(to: 60)
        let isReadable = !answer.claimsCompression && context.readings.originFile != nil
        return Finding(
            rule: .origin("content-encoding"), severity: isReadable ? .warning : .error,
            message: isReadable
                ? "the Content-Encoding is '\(shown)', which is no compression; the body is readable as it is"
                : "the body comes compressed as \(shown), which was not asked for",
            evidence: evidence,
            fix: isReadable
                ? "send no Content-Encoding with a body that is not compressed: clients may refuse what they cannot undo"
                : "send the file uncompressed, or compressed only as the client's Accept-Encoding allows",
            reference: Reference.supportingDomains)
    }

    static let sizeLimit = AssociationFile.sizeLimit

    /// The Content-Type. Apple takes other types too, but HTML nearly always means that this is not the file.
    @Sendable static func originContentType(_ context: CheckContext) -> [Finding] {
        guard let answer = context.origin.answer, answer.status == 200 else { return [] }
        let header = answer.header("content-type")
        let type = header?.split(separator: ";").first?.trimmingCharacters(in: .whitespaces).lowercased() ?? ""
        let accepted: Set<String> = ["application/json", "application/pkcs7-mime"]
        if accepted.contains(type) { return [] }
        let isPage = type == "text/html" || type == "application/xhtml+xml"
        let protection = context.protectionHere?.protection
        var evidence = context.answerEvidence
        evidence["content_type"] = header ?? "(none)"
        return [
            Finding(
                rule: .origin("content-type"), severity: isPage ? .error : .note,
                message: type.isEmpty
                    ? "the file has no Content-Type"
                    : "the Content-Type is \(type.inSentence) instead of application/json"
                        + (protection.map { ": \($0.words)" } ?? ""),
                evidence: evidence,
                fix: protection == nil
                    ? "send Content-Type: application/json"
                    : "exempt the file's path from challenges and bot protection, for every client",
                reference: Reference.archivedGuide)
        ]
    }

    /// A slow first byte. Apple does not document its crawler's patience; it is believed to be about 5 seconds.
    @Sendable static func originLatency(_ context: CheckContext) -> [Finding] {
        guard context.origin.answer != nil, let first = context.origin.connection?.timings.firstByte, first > 2000
        else { return [] }
        var evidence = context.answerEvidence
        evidence["first_byte_ms"] = "\(Int(first))"
        return [
            Finding(
                rule: .origin("slow"), severity: first > 5000 ? .error : .warning,
                message: "the first byte came after \((first / 1000).inWords)",
                evidence: evidence,
                fix: "serve the file from a cache or as a static file; Apple's crawler gives up after a few seconds",
                reference: Reference.debuggingLinks)
        ]
    }
}
