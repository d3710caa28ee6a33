import Foundation

extension Checks {
    /// Addresses that answer, but not alike: which one Apple's crawler or a phone meets is chance. The request by name is
    /// one sample more, which shows servers behind one address that differ.
    @Sendable static func addressDifferences(_ context: CheckContext) -> [Finding] {
        let groups = context.groups(context.addressSamples) { context.readings.serving(of: $0) }
        guard groups.count > 1 else { return formatting(context) }
        // Each of them was asked once; the request by name is the only one that was answered otherwise.
        let isOneAddress = groups.count { !$0.places.isEmpty } == 1
        return [
            Finding(
                .origin(
                    isOneAddress
                        ? .addressAnswersDifferently(groups, context.domain) : .addressesDiffer(groups, context.domain)
                ), evidence: ["groups": "\(groups.count)"])
        ]
    }

    private static func formatting(_ context: CheckContext) -> [Finding] {
        let files = context.addressSamples.filter { context.readings.serving(of: $0.retrieval).isFile }
        let groups = context.groups(files) { context.readings.body(of: $0)?.hash }
        return groups.count > 1 ? [Finding(.origin(.formattingsDiffer(groups, context.domain)))] : []
    }
}

extension CheckContext {
    struct AddressSample {
        let address: String
        let retrieval: Retrieval
        /// An answer of an address that has given another one.
        var isSecond = false
    }

    /// Every answer of an address to the plain first request. One that only says that this was one request too many is no
    /// difference: so many at once come from a check alone.
    var addressSamples: [AddressSample] {
        guard let looks = observation.full?.addresses else { return [] }
        var samples = looks.filter { $0.retrieval.answer != nil }
            .map { AddressSample(address: $0.address.address, retrieval: $0.retrieval) }
        // Where redirects were followed, the last answer is another server's.
        if !looks.isEmpty, origin.answer != nil, origin.redirects.isEmpty, let address = origin.connection?.address,
            let index = samples.firstIndex(where: { $0.address == address }),
            readings.serving(of: samples[index].retrieval) != readings.serving(of: origin)
        {
            switch (isBusy(samples[index].retrieval), isBusy(origin)) {
            case (true, false): samples[index] = AddressSample(address: address, retrieval: origin)
            case (false, true): break
            default:
                samples.append(AddressSample(address: address, retrieval: origin, isSecond: true))
            }
        }
        return samples.filter { $0.retrieval.answer?.status != 429 }
    }

    /// The samples that are alike, most first.
    func groups<Key: Hashable>(_ samples: [AddressSample], by key: (Retrieval) -> Key) -> [GivenAt] {
        Groups(samples.map { (key($0.retrieval), $0) }).members.map { group in
            GivenAt(
                group.filter { !$0.isSecond }.map(\.address), readings.given(of: group[0].retrieval),
                again: group.first(where: \.isSecond)?.address)
        }
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
