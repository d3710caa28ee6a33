// Checks of the single addresses: whether they answer, answer alike, and are public.

import Facts
import Foundation

// MARK: - Reachability

// Addresses that do not answer while others do: clients that meet them wait, and Apple's crawler may meet them first.

/// The probes of a domain's addresses, sorted by whether they reached a server.
struct AddressSurvey {
    let met: [AddressResult]
    /// No server there, as far as this machine can see.
    let dead: [AddressResult]
    /// They left this request unanswered but answered another one of the same check.
    let stalled: [AddressResult]
    /// Every IPv6 address is dead while an IPv4 address answers.
    let isIPv6Dead: Bool
    /// This machine reaches no host over their family.
    let unseen: [AddressResult]

    init(_ context: CheckContext) {
        let results = context.observation.full?.addresses ?? []
        // A private address that does not answer here has its own, worse finding.
        let foreign = Set(context.notPublicAddresses)
        let judged = results.filter { result in
            result.retrieval.ownFault == nil && (result.retrieval.failure == nil || !foreign.contains(result.address))
        }
        unseen = results.filter { if case .noFamily = $0.retrieval.ownFault { true } else { false } }
        met = judged.filter { $0.retrieval.failure?.isOfTLS ?? true || context.answersAnother($0.address.address) }
        let silent = judged.filter { !($0.retrieval.failure?.isOfTLS ?? true) }
        stalled = silent.filter { context.answersAnother($0.address.address) }
        dead = silent.filter { !context.answersAnother($0.address.address) }
        let deadSix = dead.filter { $0.address.family == 6 }
        isIPv6Dead =
            !deadSix.isEmpty && !met.contains { $0.address.family == 6 } && met.contains { $0.address.family == 4 }
    }

    /// Whether some addresses are dead while others, or the request by name, got an answer.
    func isPartial(_ origin: Retrieval) -> Bool { !dead.isEmpty && (!met.isEmpty || origin.answer != nil) }
}

extension Checks {
    @Sendable static func addressReachability(_ context: CheckContext) -> [Finding] {
        let survey = AddressSurvey(context)
        var findings: [Finding] = []
        if !survey.stalled.isEmpty {
            findings.append(stalls(survey.stalled.map { ($0.address.address, $0.retrieval) }, context))
        }
        // If nothing of the site was seen, one finding says so.
        if context.origin.ownFault == nil {
            for family in [4, 6] {
                let addresses = survey.unseen.map(\.address).filter { $0.family == family }.map(\.address)
                if addresses.isEmpty { continue }
                findings.append(
                    Finding(
                        .origin(.familyUnchecked(family, addresses)),
                        evidence: ["addresses": addresses.joined(separator: ", ")]))
            }
        }
        guard survey.isPartial(context.origin) else { return findings }
        let six = survey.isIPv6Dead ? survey.dead.filter { $0.address.family == 6 } : []
        let rest = survey.dead.filter { !six.contains($0) }
        if !rest.isEmpty {
            let all = context.observation.full?.addresses ?? []
            findings.append(
                Finding(
                    .origin(
                        .addressesUnreachable(
                            context.served(rest), of: all.isEmpty ? rest.count : all.count)), evidence: errors(rest)))
        }
        if !six.isEmpty {
            findings.append(
                Finding(.origin(.ipv6Broken(context.served(six))), evidence: errors(six))
                    .tested(context.readings.control.ipv6 == .passes))
        }
        return findings
    }

    private static func errors(_ results: [AddressResult]) -> [String: String] {
        errors(results.map { ($0.address.address, $0.retrieval) })
    }

    /// The network library's message for each place.
    static func errors(
        _ results: [(name: String, retrieval: Retrieval)], at places: String = "addresses"
    ) -> [String: String] {
        [
            places: results.map(\.name).joined(separator: ", "),
            "errors": results.prefix(8).map { "\($0.name): \($0.retrieval.failure?.detail ?? "")".shortened(to: 200) }
                .joined(separator: "; "),
        ]
    }

    /// Only one family of addresses. Not a fault, but it narrows down what may be wrong.
    @Sendable static func addressFamilies(_ context: CheckContext) -> [Finding] {
        guard let resolution = context.observation.full?.resolution, resolution.source == .system,
            resolution.onlyFamily == nil, let family = resolution.addresses.first?.family,
            resolution.addresses.allSatisfy({ $0.family == family }),
            // Only IPv4: this matters only to people who look for an IPv6 address that does not answer.
            family == 6 || context.crawlerMetSilence
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
    func served(_ results: [AddressResult]) -> [ServedAt] {
        results.map { ServedAt([$0.address.address], readings.served(by: $0.retrieval)) }
    }
}

// MARK: - Differences

extension Checks {
    /// Addresses that answer, but not alike: chance decides which one Apple's crawler or a phone reaches.
    @Sendable static func addressDifferences(_ context: CheckContext) -> [Finding] {
        let groups = context.groups(context.answeringAddresses) { context.readings.served(by: $0).likeness }
        return groups.count > 1
            ? [Finding(.origin(.addressesDiffer(groups)), evidence: ["groups": "\(groups.count)"])]
            : formatting(context)
    }

    private static func formatting(_ context: CheckContext) -> [Finding] {
        let files = context.answeringAddresses.filter { context.readings.served(by: $0.retrieval).isFile }
        let groups = context.groups(files) { context.readings.body(of: $0)?.hash }
        return groups.count > 1 ? [Finding(.origin(.formattingsDiffer(groups)))] : []
    }
}

extension CheckContext {
    /// What each address answers. For a busy address, its answer to the request by name counts, if it gave that one:
    /// the check sends many requests at once, so it may be the cause. Status 429 says nothing else.
    var answeringAddresses: [AddressResult] {
        let named = origin.answer != nil && origin.redirects.isEmpty ? origin.connection?.address : nil
        return (observation.full?.addresses ?? []).map { result in
            isBusy(result.retrieval) && result.address.address == named
                ? AddressResult(address: result.address, retrieval: origin) : result
        }.filter { $0.retrieval.answer.map { $0.status != 429 } ?? false }
    }

    /// The answers that are alike, the largest group first.
    func groups<Key: Hashable>(_ results: [AddressResult], by key: (Retrieval) -> Key) -> [ServedAt] {
        Groups(results.map { (key($0.retrieval), $0) }).members.map { group in
            ServedAt(group.map(\.address.address), readings.served(by: group[0].retrieval))
        }
    }
}

/// Values by key: the largest group first, groups of equal size in the order of their first member.
struct Groups<Key: Hashable, Value> {
    let members: [[Value]]

    init(_ pairs: [(Key, Value)]) {
        var order: [Key: Int] = [:]
        var groups: [[Value]] = []
        for (key, value) in pairs {
            if let index = order[key] {
                groups[index].append(value)
            } else {
                order[key] = groups.count
                groups.append([value])
            }
        }
        members = groups.enumerated().sorted { ($1.element.count, $0.offset) < ($0.element.count, $1.offset) }
            .map(\.element)
    }
}

// MARK: - Scopes

extension Checks {
    /// Addresses that Apple's CDN refuses to ask, without a test server that the user names on the command line.
    @Sendable static func addressScopes(_ context: CheckContext) -> [Finding] {
        let foreign = context.notPublicAddresses
        guard let first = foreign.first, let resolution = context.observation.full?.resolution else { return [] }
        return [
            Finding(
                .origin(.notPublic(foreign, of: resolution.addresses.count)),
                evidence: [
                    "scope": first.scope.rawValue, "apple_code": "SWCERR00202", "source": resolution.source.rawValue,
                ])
        ]
    }
}

extension CheckContext {
    /// The addresses that Apple does not ask; empty in modes in which devices ask the origin themselves.
    var notPublicAddresses: [ResolvedAddress] {
        guard observation.mode == .production, let resolution = observation.full?.resolution else { return [] }
        switch resolution.source {
        case .system: return resolution.addresses.filter { $0.scope != .public }
        case .rules: return resolution.addresses.filter { $0.scope != .public && $0.scope != .loopback }
        case .proxy: return []
        }
    }

    /// Whether one answer of the resolver has addresses of both kinds. A local resolver does not create such a mix: the
    /// domain's records contain it.
    var hasMixedAddresses: Bool {
        guard let resolution = observation.full?.resolution, resolution.source == .system else { return false }
        let foreign = notPublicAddresses
        return !foreign.isEmpty && foreign.count < resolution.addresses.count
    }
}
