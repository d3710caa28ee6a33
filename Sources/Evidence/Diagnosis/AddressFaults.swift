// Addresses of one name that fail in several ways: one fault must not hide another.

extension DiagnosisContext {
    private static let rules: Set<String> = [
        "origin.address-unreachable", "origin.address-differs", "origin.ipv6-broken",
    ]

    /// The findings about single addresses, where there are several and one at least is an error.
    private var addressFaults: [Finding] {
        let found = findings.filter { finding in
            finding.severity > .note
                && (Self.rules.contains(finding.rule.rawValue) || finding.severity == .error && finding.isOfAddresses)
        }
        return found.contains { $0.severity == .error } ? found : []
    }

    /// Where the addresses have more than one fault.
    var addressesFailVariously: OriginCause? {
        let faults = addressFaults
        guard faults.count > 1, let looks = full?.addresses, looks.count > 1 else { return nil }
        var repairs: [AddressRepair] = []
        for repair in faults.compactMap(repair) where !repairs.contains(repair) { repairs.append(repair) }
        return .addressesFailVariously(answers(looks), repairs: Array(repairs.prefix(3)))
    }

    /// What each address gives, worst first.
    private func answers(_ looks: [AddressLook]) -> AddressAnswers {
        let readings = check.readings
        let served = looks.map { (look: $0, serving: readings.serving(of: $0.retrieval)) }
        let files = Groups(served.filter(\.serving.isFile).map { ($0.serving, $0) }).members
        // One file is what all should give; of several each is reported.
        let told = served.filter { files.count != 1 || !$0.serving.isFile }
        let groups = Groups(told.map { ($0.serving, $0) }).members
            .enumerated().sorted { ($0.element[0].serving.harm, $0.offset) < ($1.element[0].serving.harm, $1.offset) }
            .map { group in
                GivenAt(
                    group.element.map(\.look.address.address), readings.given(of: group.element[0].look.retrieval))
            }
        return AddressAnswers(
            good: files.count > 1 ? nil : files.first?.count ?? 0, asked: looks.count, groups: groups)
    }

    /// Where addresses that answer do not answer alike.
    var addressesDiffer: OriginCause? {
        guard let finding = error("origin.address-differs") else { return nil }
        func answers(_ groups: [GivenAt]) -> AddressAnswers {
            AddressAnswers(good: nil, asked: full?.addresses.count ?? 0, groups: groups)
        }
        switch finding.matter {
        case .origin(.addressesDiffer(let groups, _)): return .addressesDiffer(answers(groups))
        case .origin(.addressAnswersDifferently(let groups, _)):
            return .addressAnswersDifferently(groups.compactMap(\.again).first ?? "", answers(groups))
        default: return nil
        }
    }

    private func repair(_ finding: Finding) -> AddressRepair? {
        switch finding.rule.rawValue {
        case "origin.address-unreachable": .deadAddress
        case "origin.ipv6-broken": .ipv6
        case "origin.address-differs": .sameFile
        default: fault(finding).map(AddressRepair.fault)
        }
    }
}

extension Finding {
    /// Whether it is about some of the domain's addresses.
    fileprivate var isOfAddresses: Bool {
        switch (place, matter) {
        case (.addresses, _), (_, .origin(.notPublic)): true
        case (_, .origin(.crawlerRefused(let refusals))): !refusals.addresses.isEmpty
        default: false
        }
    }
}

extension Serving {
    /// The order in which faults are reported: who gets nothing is worse off than who gets another file.
    fileprivate var harm: Int {
        switch self {
        case .failed: 0
        case .status, .noFile, .partial: 1
        case .redirect: 2
        case .file: 3
        }
    }
}
