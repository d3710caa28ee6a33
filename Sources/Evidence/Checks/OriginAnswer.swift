import AASA
import Foundation

extension Checks {
    /// A status other than 200. Redirects that were not followed to an answer have their own finding.
    @Sendable static func originStatus(_ context: CheckContext) -> [Finding] {
        guard let answer = context.origin.answer, answer.status != 200 else { return [] }
        if context.origin.redirectStop != nil, !context.origin.redirects.isEmpty { return [] }
        let host = context.metHost
        var matter = StatusAnswer(
            fault: fault(answer, context), status: answer.status, isElsewhere: host.isElsewhere,
            protection: context.protectionHere?.protection, hosting: context.readings.hosting?.fault)
        if !host.isElsewhere {
            // The domain's own server, but not the URL that was asked for.
            matter.target = context.origin.redirects.last?.target?.inSentence
            // Which of several addresses it was; what the others do has a finding of its own.
            let isServedElsewhere = context.addressSamples.contains {
                context.readings.serving(of: $0.retrieval).isFile
            }
            if isServedElsewhere { matter.address = context.origin.connection?.address }
        }
        return [
            host.placing(Finding(.origin(.status(matter, context.domain)), evidence: context.answerEvidence))
        ]
    }

    private static func fault(_ answer: Answer, _ context: CheckContext) -> OriginFault {
        if (520...530).contains(answer.status), answer.isOfCloudflare {
            return .behindCloudflare(status: answer.status)
        }
        if answer.isBusy, let pause = answer.retryAfter(context.now) {
            return .busy(status: answer.status, pause: pause)
        }
        return .status(answer.status)
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
        if case .cutShort(let failure) = body.end { evidence["error"] = failure.detail }
        return bodyMatter(answer, context).map { [Finding(.origin($0), evidence: evidence)] } ?? []
    }

    private static func bodyMatter(_ answer: Answer, _ context: CheckContext) -> OriginMatter? {
        let body = answer.body
        if case .cutShort(let failure) = body.end {
            if failure.kind == .badEncoding { return .fault(.undecodable) }
            if failure.kind == .timedOut { return .fault(.bodySlow(bytes: body.decodedBytes)) }
            let promised = answer.header("content-length").flatMap { Int($0) }.flatMap {
                $0 > body.wireBytes ? $0 : nil
            }
            return .fault(
                .bodyCut(bytes: body.decodedBytes, promised: promised, isReset: failure.kind == .connectionReset))
        }
        if let encoding = unaskedEncoding(answer) {
            return isReadable(answer, context) ? .falseEncoding(encoding) : .fault(.unaskedEncoding(encoding))
        }
        if isCutInCompression(answer, context) { return .fault(.bodyCutInCompression(bytes: body.decodedBytes)) }
        let isCapped = body.end != .complete
        return isCapped || body.decodedBytes > sizeLimit
            ? .fault(.tooLarge(bytes: body.decodedBytes, isCapped: isCapped)) : nil
    }

    /// libcurl takes a gzip stream that breaks off for one that ends, so that only the text shows it.
    static func isCutInCompression(_ answer: Answer, _ context: CheckContext) -> Bool {
        answer.body.end == .complete && answer.header("content-encoding")?.lowercased().hasSuffix("gzip") == true
            && context.readings.originBody?.syntaxError?.isAtEnd == true
    }

    /// A Content-Encoding that was not asked for. We ask for gzip; Apple's crawler and devices may take other compressions,
    /// but a server that sends one unasked sends it to all. What names no compression leaves the body readable as it is.
    private static func unaskedEncoding(_ answer: Answer) -> String? {
        guard let encoding = answer.header("content-encoding")?.lowercased().trimmingCharacters(in: .whitespaces),
            !["", "identity", "gzip", "x-gzip"].contains(encoding)
        else { return nil }
        return encoding.displayable.shortened(to: 60)
    }

    private static func isReadable(_ answer: Answer, _ context: CheckContext) -> Bool {
        !answer.claimsCompression && context.readings.originFile != nil
    }

    /// Whether the body has an encoding that we neither asked for nor can read.
    static func isUndecodable(_ answer: Answer, _ context: CheckContext) -> Bool {
        unaskedEncoding(answer) != nil && !isReadable(answer, context)
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
        var evidence = context.answerEvidence
        evidence["content_type"] = header ?? "(none)"
        let matter = OriginMatter.contentType(
            type.inSentence, isPage: isPage, holdsFile: !isPage || context.readings.originFile != nil,
            context.protectionHere?.protection)
        return [context.metHost.placing(Finding(.origin(matter), evidence: evidence))]
    }

    /// A slow first byte. Apple does not document its crawler's patience; it is believed to be about 5 seconds.
    @Sendable static func originLatency(_ context: CheckContext) -> [Finding] {
        guard context.origin.answer != nil, let first = context.origin.connection?.timings.firstByte, first > 2000
        else { return [] }
        var evidence = context.answerEvidence
        evidence["first_byte_ms"] = "\(Int(first))"
        return [
            Finding(.origin(.fault(.slow(milliseconds: Int(first.rounded(.up))))), evidence: evidence)
        ]
    }
}
