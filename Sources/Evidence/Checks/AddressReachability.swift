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
            survey.stalled.isEmpty ? [] : [Self.stalls(survey.stalled.map { ($0.address.address, $0.retrieval) })]
        guard survey.isPartial(context.origin) else { return stalls }
        let six = survey.isIPv6Dead ? survey.dead.filter { $0.address.family == 6 } : []
        let rest = survey.dead.filter { !six.contains($0) }
        var findings = stalls
        if !rest.isEmpty {
            findings.append(
                unreachable(
                    rest, of: context, rule: .origin("address-unreachable"), severity: .error,
                    fix: "repair the server at that address, or take the address out of the domain's records"))
        }
        if !six.isEmpty { findings.append(deadIPv6(six, isUntold: survey.isIPv6Untold, context)) }
        return findings
    }

    private static func deadIPv6(_ looks: [AddressLook], isUntold: Bool, _ context: CheckContext) -> Finding {
        guard isUntold else {
            var finding = unreachable(
                looks, of: context, rule: .origin("ipv6-broken"), severity: .warning,
                fix: "repair IPv6 on the server and its firewall, or take the AAAA records away; Apple's crawler may "
                    + "try IPv6 first and report a time-out")
            finding.message = "no IPv6 address of \(context.domain) answers, while IPv4 does: \(reasons(looks))"
            return finding
        }
        let addresses = looks.map(\.address.address)
        return Finding(
            rule: .origin("ipv6-unchecked"), severity: .note,
            message: "whether the IPv6 addresses (\(addresses.listed(upTo: 2))) answer cannot be told from here: this "
                + "machine reaches nobody over IPv6",
            evidence: ["addresses": addresses.joined(separator: ", ")],
            fix: "run the check from a machine with IPv6, or name a vantage that has it",
            reference: Reference.debuggingLinks)
    }

    private static func unreachable(
        _ looks: [AddressLook], of context: CheckContext, rule: Rule, severity: Severity, fix: String
    ) -> Finding {
        let all = context.observation.full?.addresses ?? []
        let total = all.isEmpty ? looks.count : all.count
        let others = context.origin.answer != nil || all.contains { $0.retrieval.answer != nil }
        return Finding(
            rule: rule, severity: severity,
            message: "\(looks.count) of the \(total) addresses of \(context.domain) "
                + "\(looks.count == 1 ? "does" : "do") not answer\(others ? ", while others do" : ""): "
                + reasons(looks),
            evidence: [
                "addresses": looks.map(\.address.address).joined(separator: ", "),
                "errors": looks.prefix(8).map { "\($0.address.address): \($0.retrieval.failure?.detail ?? "")" }
                    .map { $0.shortened(to: 200) }.joined(separator: "; "),
            ], fix: fix, reference: Reference.debuggingLinks)
    }

    private static func reasons(_ looks: [AddressLook]) -> String {
        looks.map { "\($0.address.address) \($0.retrieval.failure?.words ?? "does not answer")" }
            .listed(upTo: 3)
    }

    /// Only one family of addresses. No fault; it narrows down what may be wrong.
    @Sendable static func addressFamilies(_ context: CheckContext) -> [Finding] {
        guard let resolution = context.observation.full?.resolution, resolution.source == .system,
            resolution.onlyFamily == nil, let family = resolution.addresses.first?.family,
            resolution.addresses.allSatisfy({ $0.family == family })
        else { return [] }
        return [
            Finding(
                rule: .origin("single-family"), severity: .note,
                message: "\(context.domain) has IPv\(family) addresses only",
                evidence: ["addresses": resolution.addresses.map(\.address).joined(separator: ", ")],
                fix: family == 4
                    ? "nothing needs to be done; it rules out a broken IPv6 address"
                    : "publish an IPv4 address too: not every network that fetches the file has IPv6",
                reference: Reference.supportingDomains)
        ]
    }
}
