import Foundation

extension Checks {
    /// Addresses that answer, but not alike: which one Apple's crawler or a phone meets is chance. The request by name is
    /// one sample more, which shows servers behind one address that differ.
    @Sendable static func addressDifferences(_ context: CheckContext) -> [Finding] {
        let samples = context.addressSamples
        let groups = Groups(samples.map { (context.readings.serving(of: $0.retrieval), $0) })
        guard groups.count > 1 else { return formatting(samples, context) }
        var evidence: [String: String] = ["groups": "\(groups.count)"]
        for (index, group) in groups.members.prefix(6).enumerated() {
            guard let first = group.first else { continue }
            evidence["group_\(index + 1)"] =
                "\(group.map(\.name).joined(separator: ", ")): \(context.readings.words(for: first.retrieval))"
        }
        let told = groups.members.prefix(3).compactMap { group in
            group.first.map {
                "\(group.map(\.name).listed(upTo: 2))\(group.count > 1 ? " each" : "") "
                    + context.readings.words(for: $0.retrieval)
            }
        }
        // Each of them was asked once; the request by name is the only one that was answered otherwise.
        let isOneAddress =
            Groups(
                samples.filter { !$0.isSecond }.map { (context.readings.serving(of: $0.retrieval), $0) }
            ).count == 1
        return [
            Finding(
                rule: .origin("address-differs"), severity: .error,
                message: isOneAddress
                    ? "one address of \(context.domain) answered two requests differently: \(told.joined(separator: "; "))"
                    : "the addresses of \(context.domain) do not answer alike: \(told.joined(separator: "; "))",
                evidence: evidence,
                fix: isOneAddress
                    ? "bring the same file to every server that stands behind that address, and let no cache in between "
                        + "keep an old one"
                    : "bring the same file to every server behind the name, or take those that must not answer out of "
                        + "its records",
                reference: Reference.debuggingLinks)
        ]
    }

    private static func formatting(_ samples: [CheckContext.AddressSample], _ context: CheckContext) -> [Finding] {
        let files = samples.filter { context.readings.serving(of: $0.retrieval).isFile }
        let groups = Groups(files.map { (context.readings.body(of: $0.retrieval)?.hash, $0) })
        guard groups.count > 1 else { return [] }
        return [
            Finding(
                rule: .origin("address-differs"), severity: .note,
                message: "the addresses of \(context.domain) serve the file in \(groups.count) formattings that mean "
                    + "the same",
                evidence: [
                    "groups": groups.members.prefix(6).map { $0.map(\.name).listed(upTo: 8) }.joined(separator: " | ")
                ], fix: "nothing needs to be done, if it is meant", reference: Reference.debuggingLinks)
        ]
    }
}

extension CheckContext {
    struct AddressSample {
        let name: String
        let retrieval: Retrieval
        /// An answer of an address that has given another one.
        var isSecond = false
    }

    /// Every answer of an address to the plain first request. One that only says that this was one request too many is no
    /// difference: so many at once come from a check alone.
    var addressSamples: [AddressSample] {
        guard let looks = observation.full?.addresses else { return [] }
        var samples = looks.filter { $0.retrieval.answer != nil }
            .map { AddressSample(name: $0.address.address, retrieval: $0.retrieval) }
        // Where redirects were followed, the last answer is another server's.
        if !looks.isEmpty, origin.answer != nil, origin.redirects.isEmpty, let address = origin.connection?.address,
            let index = samples.firstIndex(where: { $0.name == address }),
            readings.serving(of: samples[index].retrieval) != readings.serving(of: origin)
        {
            switch (isBusy(samples[index].retrieval), isBusy(origin)) {
            case (true, false): samples[index] = AddressSample(name: address, retrieval: origin)
            case (false, true): break
            default:
                samples.append(AddressSample(name: "\(address) at another moment", retrieval: origin, isSecond: true))
            }
        }
        return samples.filter { $0.retrieval.answer?.status != 429 }
    }
}

/// Values by key, the largest group first, groups of one size in the order of their first member.
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

    var count: Int { members.count }
}
