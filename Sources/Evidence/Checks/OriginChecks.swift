// Checks of the origin's answer: whether there is one, its status, body, type and time, and the file at the root.

import AASA
import Facts
import Foundation

extension Checks {
    /// No answer at all: the name, the network, a time-out, or bytes that are not HTTP.
    @Sendable static func originReachability(_ context: CheckContext) -> [Finding] {
        let host = context.lastHost
        // Behind a proxy the address is the proxy's.
        let address = context.origin.connection?.viaProxy == true ? nil : context.origin.connection?.address
        var evidence = context.answerEvidence
        evidence["address"] = address
        if let failure = context.origin.failure {
            evidence["phase"] = failure.phase.rawValue
            evidence["error"] = failure.detail
            evidence["cname"] = failure.alias
        }
        if let cause = context.origin.ownFault {
            if case .tlsIntercepted(_, let authority) = cause { evidence["authority"] = authority }
            return [Finding(.monitor(cause), evidence: evidence)]
        }
        guard let failure = context.origin.failure, !failure.isOfTLS else { return [] }
        if let finding = stalled(failure, context) { return [finding] }
        // A redirect to a private address has its own finding.
        guard context.origin.redirectStop != .privateAddress || context.origin.redirects.isEmpty,
            let fault = context.fault(of: context.origin, at: host)
        else { return [] }
        // The address is the last one that was tried, of either family.
        let place =
            if case .noConnection = fault.fault { host.name.inSentence } else { address ?? host.name.inSentence }
        return [
            host.placing(Finding(.origin(.fault(fault.fault, at: place)), evidence: evidence).tested(fault.isTested))
        ]
    }
}

extension Checks {
    /// A status other than 200. Redirects that were not followed to an answer have their own finding.
    @Sendable static func originStatus(_ context: CheckContext) -> [Finding] {
        guard let answer = context.origin.answer, answer.status != 200 else { return [] }
        if context.origin.redirectStop != nil, !context.origin.redirects.isEmpty { return [] }
        let host = context.lastHost
        var problem = StatusAnswer(
            fault: fault(answer, context), status: answer.status, isElsewhere: host.isElsewhere,
            protection: context.protectionHere?.protection, hosting: context.readings.hosting?.fault)
        let address = context.origin.connection?.address
        let isServed = context.answeringAddresses.contains { context.readings.served(by: $0.retrieval).isFile }
        if !host.isElsewhere {
            // The domain's own server, but not the requested URL.
            problem.target = context.origin.redirects.last?.target?.inSentence
            // Which of several addresses it was; the others have a finding of their own.
            if isServed { problem.address = address }
            problem.isInTurn = context.isServedInTurn
        }
        let finding = host.placing(
            Finding(.origin(.status(problem)), evidence: context.answerEvidence).tested(context.isOriginTested))
        // If no address gives the file, each may have a fault of its own.
        return !host.isElsewhere && !isServed && context.isAnsweredVariously
            ? [context.naming([address].compactMap(\.self), in: finding)] : [finding]
    }

    private static func fault(_ answer: Answer, _ context: CheckContext) -> OriginFault {
        if (520...530).contains(answer.status), answer.isOfCloudflare {
            return .behindCloudflare(status: answer.status)
        }
        if context.readings.demandsClientCertificate(answer) { return .handshake(.clientCertificate) }
        if answer.isBusy, let pause = answer.retryAfter(context.now), pause > 0 {
            return .busy(status: answer.status, pause: pause)
        }
        return .status(answer.status)
    }

    /// A body that is too large or incomplete.
    @Sendable static func originBody(_ context: CheckContext) -> [Finding] {
        guard let answer = context.origin.answer, answer.status == 200 else { return [] }
        let body = answer.body
        var evidence = context.answerEvidence
        evidence["bytes"] = "\(body.decodedBytes)"
        evidence["wire_bytes"] = "\(body.wireBytes)"
        if let encoding = answer.header("content-encoding") { evidence["content_encoding"] = encoding }
        if let length = answer.header("content-length") { evidence["content_length"] = length }
        if case .cutShort(let failure) = body.end { evidence["error"] = failure.detail }
        return bodyProblem(answer, context).map { [Finding(.origin($0), evidence: evidence)] } ?? []
    }

    private static func bodyProblem(_ answer: Answer, _ context: CheckContext) -> OriginProblem? {
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

    /// libcurl takes a truncated gzip stream as complete, so only the text shows the truncation.
    static func isCutInCompression(_ answer: Answer, _ context: CheckContext) -> Bool {
        answer.body.end == .complete && answer.header("content-encoding")?.lowercased().hasSuffix("gzip") == true
            && context.readings.originBody?.syntaxError?.isAtEnd == true
    }

    /// A Content-Encoding that we did not ask for: we ask for gzip. Apple's crawler and devices may accept others, but a
    /// server that sends one unasked sends it to all. The body stays readable if the value is not a compression.
    private static func unaskedEncoding(_ answer: Answer) -> String? {
        guard let encoding = answer.header("content-encoding")?.lowercased(),
            !["", "identity", "gzip", "x-gzip"].contains(encoding)
        else { return nil }
        return encoding.displayable.shortened(to: 60)
    }

    private static func isReadable(_ answer: Answer, _ context: CheckContext) -> Bool {
        !answer.claimsCompression && context.readings.originFile != nil
    }

    /// Whether the body has an encoding that we did not ask for and cannot read.
    static func isUndecodable(_ answer: Answer, _ context: CheckContext) -> Bool {
        unaskedEncoding(answer) != nil && !isReadable(answer, context)
    }

    static let sizeLimit = AssociationFile.sizeLimit

    /// The Content-Type. Apple accepts other types too, but HTML nearly always means that this is not the file.
    @Sendable static func originContentType(_ context: CheckContext) -> [Finding] {
        guard let answer = context.origin.answer, answer.status == 200 else { return [] }
        let header = answer.header("content-type")
        let type = answer.mediaType
        let accepted: Set<String> = ["application/json", "application/pkcs7-mime"]
        if accepted.contains(type) { return [] }
        let isPage = answer.isPage
        var evidence = context.answerEvidence
        evidence["content_type"] = header ?? "(none)"
        evidence["title"] = context.readings.originPageTitle
        let problem = OriginProblem.contentType(
            type.inSentence, isPage: isPage,
            holdsFile: !isPage || context.readings.originFile?.namesService == true,
            context.protectionHere?.protection)
        return [
            context.lastHost.placing(
                Finding(.origin(problem), evidence: evidence).tested(!isPage || context.isOriginTested))
        ]
    }

    /// A server that is slow to answer. Apple does not document its crawler's timeout, believed to be about 5 seconds.
    /// The lookup of the name, and addresses that did not answer, do not count as the server's time.
    @Sendable static func originLatency(_ context: CheckContext) -> [Finding] {
        guard context.origin.answer != nil, let timings = context.origin.connection?.timings,
            let server = timings.server
        else { return [] }
        var evidence = context.answerEvidence
        evidence["first_byte_ms"] = "\(Int(timings.firstByte ?? 0))"
        evidence["server_ms"] = "\(Int(server))"
        var findings: [Finding] = []
        if server > 2000 {
            findings.append(Finding(.origin(.fault(.slow(milliseconds: Int(server.rounded(.up))))), evidence: evidence))
        }
        if let milliseconds = context.slowLookUp {
            evidence["dns_ms"] = "\(milliseconds)"
            findings.append(
                Finding(
                    .monitor(.nameServerSlow(milliseconds: milliseconds, server: Int(server.rounded(.up)))),
                    evidence: evidence))
        }
        return findings
    }
}

extension Checks {
    /// The file at the site's root, where systems before iOS 9.3 looked. Apple's crawler probably still falls back to
    /// it, but nothing documents that: what its CDN has is the evidence.
    @Sendable static func rootCopy(_ context: CheckContext) -> [Finding] {
        guard let root = context.observation.full?.rootCopy, let copy = context.readings.file(of: root),
            copy.namesService, let meaning = copy.meaning
        else { return [] }
        var evidence = ["url": root.url, "root_sha256": copy.hash.hex]
        if let origin = context.readings.originFile {
            guard origin.meaning != meaning else { return [] }
            evidence["well_known_sha256"] = origin.hash.hex
            return [Finding(.origin(.rootCopyDiffers), evidence: evidence)]
        }
        guard context.readings.absence != nil else { return [] }
        if let cdn = context.cdn?.answer {
            evidence["cdn_status"] = "\(cdn.status)"
            evidence["cdn_sha256"] = context.readings.cdnFile?.hash.hex
        }
        return [Finding(.origin(.rootOnly(apple: context.rootAtApple(copy))), evidence: evidence)]
    }
}

extension Checks {
    /// The file at another path that a person named: below the root of the host, or with an extension.
    @Sendable static func misplacedFile(_ context: CheckContext) -> [Finding] {
        guard context.readings.originFile?.namesService != true,
            let place = context.observation.full?.namedPlaces?.first(where: {
                context.readings.file(of: $0)?.namesService == true
            })
        else { return [] }
        return [
            Finding(
                .origin(.misplaced(place.url.inSentence, context.domain)),
                evidence: ["found_at": place.url, "asked": context.domain.wellKnownURL])
        ]
    }
}

extension CheckContext {
    /// What Apple's CDN has for a site whose file is at the root only; nil if it was not asked.
    fileprivate func rootAtApple(_ root: ContentReading) -> RootAtApple? {
        guard case .asked = observation.cdn else { return nil }
        guard cdn?.isAboutFile == true else { return .noAnswer }
        return readings.cdnFile.map { $0.meaning == root.meaning ? .sameFile : .otherFile } ?? .nothing
    }
}

extension CheckContext {
    /// How many milliseconds this machine's name servers took for the site's name; nil if that was not long.
    fileprivate var slowLookUp: Int? {
        guard let timings = origin.connection?.timings, timings.isLookUpSlow, let lookUp = timings.dns else {
            return nil
        }
        // If another name resolves fast, the name servers of this name are slow.
        if let other = observation.control?.name?.milliseconds, other < Timings.slowLookUp / 2 { return nil }
        return Int(lookUp)
    }

    /// Whether the address that answered the request by name gave the file to another plain request of this check.
    fileprivate var isServedInTurn: Bool {
        (observation.full?.addresses ?? []).contains {
            $0.address.address == origin.connection?.address && readings.served(by: $0.retrieval).isFile
        }
    }

    /// Whether an address gives something other than the request by name got.
    fileprivate var isAnsweredVariously: Bool {
        let here = readings.served(by: origin)
        return (observation.full?.addresses ?? []).contains {
            $0.retrieval.ownFault == nil && !readings.served(by: $0.retrieval).isLike(here)
        }
    }
}

// MARK: - Evidence

extension Timings {
    /// Milliseconds. A slower lookup is a finding.
    fileprivate static let slowLookUp = 1000.0

    package var isLookUpSlow: Bool { dns.map { $0 >= Self.slowLookUp } ?? false }

    /// How many milliseconds the server took, from the connection to the first byte of its answer.
    package var server: Double? { firstByte.map { max(0, $0 - (connect ?? dns ?? 0)) } }
}

extension CheckContext {
    /// The site's fault, and whether the step was seen to work for others; nil if the control does not permit blame.
    func fault(of retrieval: Retrieval, at host: LastHost, family: Int? = nil) -> (fault: OriginFault, isTested: Bool)?
    {
        guard retrieval.ownFault == nil,
            case .site(let evidence) = readings.control.attribution(
                of: retrieval, host: host.name, families: family.map { [$0] }),
            let fault = OriginFault(of: retrieval, host: host.name, by: evidence, now: now)
        else { return nil }
        return (fault, evidence.isTested)
    }

    /// Whether the step at which the request ended was seen to work for others. True if this machine is to blame.
    var isOriginTested: Bool {
        guard case .site(let evidence) = readings.control.attribution(of: origin, host: lastHost.name) else {
            return true
        }
        return evidence.isTested
    }

    /// Where the last answer came from, by which redirects, and what it says about itself.
    var answerEvidence: [String: String] {
        var evidence = ["url": origin.redirects.last?.target ?? origin.url]
        if !origin.redirects.isEmpty { evidence["redirects"] = RedirectTrail(origin.redirects).text }
        if let address = origin.connection?.address { evidence["address"] = address }
        guard let answer = origin.answer else { return evidence }
        evidence["status"] = "\(answer.status)"
        let named = ["server", "location", "retry-after", "www-authenticate", "cf-ray", "content-type"].compactMap {
            name in
            answer.header(name).map { HeaderField(name: name, value: $0) }
        }
        let recognised = (readings.hosting?.matches ?? []) + (protectionHere?.matches ?? [])
        for field in named + recognised { evidence[field.evidenceName] = field.value.shortened(to: 200) }
        evidence["says"] = readings.serverWords
        return evidence
    }

    /// The bot protection that answered this machine in place of the site.
    var protectionHere: ProtectionMatch? { readings.protection(of: origin) }
}

extension Answer {
    var isOfCloudflare: Bool {
        header("cf-ray") != nil || header("server")?.lowercased().contains("cloudflare") == true
    }

    /// Whether the server says that it gets too many requests or cannot answer now. Our own requests may be the reason.
    var isBusy: Bool { status == 429 || status == 503 }

    /// How many seconds to wait, from seconds or a date (RFC 9110, 10.2.3); at most a day, 0 if the time has passed.
    func retryAfter(_ now: Date) -> Int? {
        guard let text = header("retry-after") else { return nil }
        let seconds = Int(text) ?? Date(http: text).map { Int($0.timeIntervalSince(now).rounded(.up)) }
        return seconds.map { min(max($0, 0), 86_400) }
    }
}
