// Addresses that do not answer while others do: who meets them waits, and Apple's crawler may meet them first.

import Foundation

/// The looks at a domain's addresses, sorted by whether a server was met.
struct AddressSurvey {
    let met: [AddressLook]
    /// No server there, as far as it can be told from here.
    let dead: [AddressLook]
    /// They left this request unanswered, and answered another one of the same check.
    let stalled: [AddressLook]
    /// Every IPv6 address is dead while an IPv4 address answers.
    let isIPv6Dead: Bool
    /// It may be this machine that has no IPv6: no edge of Apple's answers it over IPv6 either; or, where none was asked, none
    /// of the addresses could even be sent to.
    let isIPv6Untold: Bool

    init(_ context: CheckContext) {
        let looks = context.observation.full?.addresses ?? []
        // A private address that does not answer here has a finding of its own, which is worse.
        let foreign = Set(context.notPublicAddresses)
        let judged = looks.filter { look in
            look.retrieval.failure?.isOwnFault != true
                && (look.retrieval.failure == nil || !foreign.contains(look.address))
        }
        met = judged.filter { $0.retrieval.failure?.isOfTLS ?? true || context.answersAnother($0.address.address) }
        let silent = judged.filter { !($0.retrieval.failure?.isOfTLS ?? true) }
        stalled = silent.filter { context.answersAnother($0.address.address) }
        dead = silent.filter { !context.answersAnother($0.address.address) }
        let deadSix = dead.filter { $0.address.family == 6 }
        isIPv6Dead =
            !deadSix.isEmpty && !met.contains { $0.address.family == 6 } && met.contains { $0.address.family == 4 }
        // An edge of Apple's that answers over IPv6 proves that this machine has it.
        let edges = (context.observation.full?.edges ?? []).filter { $0.address.contains(":") }
        let reachesIPv6 = edges.contains { $0.retrieval.answer != nil }
        let hasNoRoute = deadSix.allSatisfy { $0.retrieval.failure?.kind == .unreachable }
        isIPv6Untold = isIPv6Dead && !reachesIPv6 && (!edges.isEmpty || hasNoRoute)
    }

    /// Whether the name's other addresses, or the request by name, were answered.
    func isPartial(_ origin: Retrieval) -> Bool { !dead.isEmpty && (!met.isEmpty || origin.answer != nil) }
}

extension Checks {
    @Sendable static func addressReachability(_ context: CheckContext) -> [Finding] {
        let survey = AddressSurvey(context)
        let stalls =
            survey.stalled.isEmpty
            ? [] : [Self.stalls(survey.stalled.map { ($0.address.address, $0.retrieval) }, context)]
        guard survey.isPartial(context.origin) else { return stalls }
        let six = survey.isIPv6Dead ? survey.dead.filter { $0.address.family == 6 } : []
        let rest = survey.dead.filter { !six.contains($0) }
        var findings = stalls
        if !rest.isEmpty {
            let all = context.observation.full?.addresses ?? []
            findings.append(
                Finding(
                    .origin(
                        .addressesUnreachable(
                            context.given(rest), of: all.isEmpty ? rest.count : all.count,
                            othersAnswer: context.origin.answer != nil || all.contains { $0.retrieval.answer != nil },
                            context.domain)), evidence: errors(rest)))
        }
        if six.isEmpty { return findings }
        let addresses = six.map(\.address.address)
        findings.append(
            survey.isIPv6Untold
                ? Finding(
                    .origin(.ipv6Unchecked(addresses)), evidence: ["addresses": addresses.joined(separator: ", ")])
                : Finding(.origin(.ipv6Broken(context.given(six), context.domain)), evidence: errors(six)))
        return findings
    }

    private static func errors(_ looks: [AddressLook]) -> [String: String] {
        errors(looks.map { ($0.address.address, $0.retrieval) })
    }

    /// What the network library says of each place.
    static func errors(_ looks: [(name: String, retrieval: Retrieval)]) -> [String: String] {
        [
            "addresses": looks.map(\.name).joined(separator: ", "),
            "errors": looks.prefix(8).map { "\($0.name): \($0.retrieval.failure?.detail ?? "")".shortened(to: 200) }
                .joined(separator: "; "),
        ]
    }

    /// Only one family of addresses. No fault; it narrows down what may be wrong.
    @Sendable static func addressFamilies(_ context: CheckContext) -> [Finding] {
        guard let resolution = context.observation.full?.resolution, resolution.source == .system,
            resolution.onlyFamily == nil, let family = resolution.addresses.first?.family,
            resolution.addresses.allSatisfy({ $0.family == family })
        else { return [] }
        return [
            Finding(
                .origin(.singleFamily(family, context.domain)),
                evidence: ["addresses": resolution.addresses.map(\.address).joined(separator: ", ")])
        ]
    }
}

extension CheckContext {
    /// What each of the addresses gives.
    func given(_ looks: [AddressLook]) -> [GivenAt] {
        looks.map { GivenAt([$0.address.address], readings.given(of: $0.retrieval)) }
    }
}
