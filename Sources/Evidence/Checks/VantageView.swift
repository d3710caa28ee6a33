// What other locations get.

import Facts
import Foundation

extension Checks {
    /// Another location gets another answer. A vantage whose own network fails says nothing about the site.
    @Sendable static func vantageView(_ context: CheckContext) -> [Finding] {
        let results = context.observation.full?.vantages ?? []
        let failed = results.filter { $0.retrieval.ownFault != nil }
        var findings = failed.prefix(4).map { result in
            Finding(
                .vantageFailed(result.name.inSentence, detail: result.retrieval.failure?.detail.shortened(to: 200)),
                evidence: ["vantage": result.name, "error": result.retrieval.failure?.detail ?? ""])
        }
        guard context.readings.originFile != nil else { return findings }
        for fault in VantageFault.allCases {
            let results = context.vantages(with: fault)
            if !results.isEmpty { findings.append(differs(results, fault, context)) }
        }
        return findings
    }

    private static func differs(_ results: [VantageResult], _ fault: VantageFault, _ context: CheckContext) -> Finding {
        var evidence = ["url": context.origin.url, "seen": fault.rawValue]
        for (index, result) in results.prefix(8).enumerated() {
            if let detail = result.retrieval.failure?.detail { evidence["error_\(index + 1)"] = detail }
            if let leaf = result.retrieval.connection?.tls?.chain.first, fault == .certificate {
                evidence["certificate_\(index + 1)"] = leaf.subject
                evidence["issuer_\(index + 1)"] = leaf.issuer
            }
        }
        let served = results.map { ServedAt([$0.name.inSentence], context.readings.served(by: $0.retrieval)) }
        return Finding(
            .origin(.vantageDiffers(fault, served, here: context.readings.served(by: context.origin))),
            evidence: evidence)
    }
}

extension CheckContext {
    /// The locations that get something other than this machine, of one kind.
    func vantages(with fault: VantageFault) -> [VantageResult] {
        let here = readings.served(by: origin)
        let apples = readings.cdnFile?.meaning
        return (observation.full?.vantages ?? []).filter { result in
            let served = readings.served(by: result.retrieval)
            // If an address gives the same here, location is not the reason. That addresses differ has its own finding.
            if case .file(let version, _) = served, versionsHere.contains(version) { return false }
            return result.retrieval.ownFault == nil && !served.isLike(here)
                && VantageFault(served, appleHas: apples) == fault
        }
    }

    /// The locations that get the file although this machine does not.
    var welcomeVantages: [String] {
        guard readings.originFile == nil else { return [] }
        return (observation.full?.vantages ?? []).filter { readings.served(by: $0.retrieval).isFile }.map(\.name)
    }
}

/// What another location gets instead of the file that this machine gets. Each case needs a different fix.
package enum VantageFault: String, Codable, CaseIterable, Sendable {
    /// By status: the sign of a rule by address or country.
    case refused
    case rateLimited = "rate_limited"
    case unreachable
    /// Status 200 with something that is not a file: a challenge, a login, a page for that country.
    case page
    case certificate
    case handshake
    case noSuchName = "no_such_name"
    case privateAddress = "private_address"
    case absent
    case redirect
    case serverTrouble = "server_trouble"
    case partial
    case otherFile = "other_file"
    /// The file that Apple's CDN has.
    case applesFile = "apples_file"

    /// `served`: something other than this machine gets.
    init(_ served: Served, appleHas copy: ContentHash?) {
        switch served {
        case .file(let meaning, _): self = meaning == copy ? .applesFile : .otherFile
        case .page, .noFile: self = .page
        case .partial: self = .partial
        case .redirect: self = .redirect
        case .status(let status) where Absence.isTold(by: status): self = .absent
        case .status(429): self = .rateLimited
        case .status(500...): self = .serverTrouble
        case .status, .clientCertificate: self = .refused
        case .failed(let kind, _, _):
            switch kind {
            case .certificate: self = .certificate
            case .tlsHandshake, .tlsVersion: self = .handshake
            case .nameNotFound, .noAddress, .noIPv4Address, .noIPv6Address: self = .noSuchName
            case .privateAddress: self = .privateAddress
            case .headersTooLarge, .malformedAnswer, .badEncoding, .truncated: self = .serverTrouble
            case .connectionRefused, .unreachable, .timedOut, .connectionReset, .proxy, .own,
                .nameServerFailure, .noNameServer:
                self = .unreachable
            }
        }
    }

    /// Whether it is a version of the file, which is not a refusal.
    var isVersion: Bool { self == .otherFile || self == .applesFile }

    /// Whether it is typical of rules by address or country. A rate limit may be our own fault.
    var isOfPlace: Bool {
        switch self {
        case .refused, .unreachable, .page: true
        default: false
        }
    }
}
