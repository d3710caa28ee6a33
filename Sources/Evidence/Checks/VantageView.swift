// What other places are given.

import Facts
import Foundation

extension Checks {
    /// Another place gets another answer. A vantage whose own way fails says nothing about the site.
    @Sendable static func vantageView(_ context: CheckContext) -> [Finding] {
        let looks = context.observation.full?.vantages ?? []
        let failed = looks.filter { $0.retrieval.ownFault != nil }
        var findings = failed.prefix(4).map { look in
            Finding(
                .vantageFailed(look.name.inSentence, detail: look.retrieval.failure?.detail.shortened(to: 200)),
                evidence: ["vantage": look.name, "error": look.retrieval.failure?.detail ?? ""])
        }
        guard context.readings.originFile != nil else { return findings }
        for fault in VantageFault.allCases {
            let looks = context.vantages(with: fault)
            if !looks.isEmpty { findings.append(differs(looks, fault, context)) }
        }
        return findings
    }

    private static func differs(_ looks: [VantageLook], _ fault: VantageFault, _ context: CheckContext) -> Finding {
        var evidence = ["url": context.origin.url, "seen": fault.rawValue]
        for (index, look) in looks.prefix(8).enumerated() {
            if let detail = look.retrieval.failure?.detail { evidence["error_\(index + 1)"] = detail }
            if let leaf = look.retrieval.connection?.tls?.chain.first, fault == .certificate {
                evidence["certificate_\(index + 1)"] = leaf.subject
                evidence["issuer_\(index + 1)"] = leaf.issuer
            }
        }
        let served = looks.map { ServedAt([$0.name.inSentence], context.readings.served(by: $0.retrieval)) }
        return Finding(
            .origin(.vantageDiffers(fault, served, here: context.readings.served(by: context.origin))),
            evidence: evidence)
    }
}

extension CheckContext {
    /// The places that are given something else than this machine, of one kind.
    func vantages(with fault: VantageFault) -> [VantageLook] {
        let here = readings.served(by: origin)
        let apples = readings.cdnFile?.meaning
        return (observation.full?.vantages ?? []).filter { look in
            let served = readings.served(by: look.retrieval)
            // What an address gives here too is no matter of the place: that the addresses differ is a finding of its own.
            if case .file(let version, _) = served, versionsHere.contains(version) { return false }
            return look.retrieval.ownFault == nil && !served.isLike(here)
                && VantageFault(served, appleHas: apples) == fault
        }
    }

    /// The places that are given the file where this machine is not.
    var welcomeVantages: [String] {
        guard readings.originFile == nil else { return [] }
        return (observation.full?.vantages ?? []).filter { readings.served(by: $0.retrieval).isFile }.map(\.name)
    }
}

/// What another place was given in place of the file that this machine gets: each asks for another repair.
package enum VantageFault: String, Codable, CaseIterable, Sendable {
    /// By status: the sign of a rule by address or country.
    case refused
    case rateLimited = "rate_limited"
    case unreachable
    /// Status 200 with something that is no file: a challenge, a login, a page for that country.
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
    /// What Apple's CDN has as well.
    case applesFile = "apples_file"

    /// `served`: something else than this machine is given.
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

    /// Whether it is a version of the file, which is no refusal.
    var isVersion: Bool { self == .otherFile || self == .applesFile }

    /// Whether it is how rules by address or country show. A rate limit may be our own doing.
    var isOfPlace: Bool {
        switch self {
        case .refused, .unreachable, .page: true
        default: false
        }
    }
}
