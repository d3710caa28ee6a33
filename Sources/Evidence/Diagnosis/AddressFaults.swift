// Addresses of one name that fail in several ways: one fault must not hide another in the first sentence.

extension DiagnosisContext {
    private static let rules: Set<String> = [
        "origin.address-unreachable", "origin.address-differs", "origin.ipv6-broken",
    ]

    /// The findings about single addresses, where there are several and one at least is an error.
    private var addressFaults: [Finding] {
        let found = findings.filter { finding in
            finding.severity > .note
                && (Self.rules.contains(finding.rule.rawValue)
                    || finding.severity == .error && finding.evidence[CheckContext.namedAddresses] != nil)
        }
        return found.contains { $0.severity == .error } ? found : []
    }

    /// What each address gives, worst first, and what to do; nil where they have one fault or none.
    var addressesInWords: String? {
        let faults = addressFaults
        guard faults.count > 1, let looks = full?.addresses, looks.count > 1 else { return nil }
        let readings = check.readings
        let served = looks.map { (look: $0, serving: readings.serving(of: $0.retrieval)) }
        let files = Groups(served.filter(\.serving.isFile).map { ($0.serving, $0) }).members
        let good = files.count == 1 ? files[0].count : 0
        // One file is what all should give; of several each is told.
        let told = served.filter { files.count != 1 || !$0.serving.isFile }
        let groups = Groups(told.map { (readings.words(for: $0.look.retrieval), $0) }).members
            .enumerated().sorted { ($0.element[0].serving.harm, $0.offset) < ($1.element[0].serving.harm, $1.offset) }
            .map { group in
                let names = group.element.map(\.look.address.address)
                return "\(names.listed(upTo: 2))\(names.count > 1 ? " each" : "") "
                    + readings.words(for: group.element[0].look.retrieval)
            }
        let lead =
            files.isEmpty
            ? "none of the \(looks.count) addresses of \(domain) gives the file"
            : files.count == 1
                ? "only \(good) of the \(looks.count) addresses of \(domain) \(good == 1 ? "gives" : "give") the file"
                : "the \(looks.count) addresses of \(domain) do not give the same file"
        var fixes: [String] = []
        for fix in faults.map(Self.brief) where !fixes.contains(fix) { fixes.append(fix) }
        let chance = files.isEmpty ? "" : ", and which of them \(whoAsks) is chance"
        return "\(lead) (\(groups.listed(upTo: 4)))\(chance): "
            + fixes.prefix(3).joined(separator: "; ")
    }
}

extension DiagnosisContext {
    /// What to do, in short: there is more than one thing.
    private static func brief(_ finding: Finding) -> String {
        switch finding.rule.rawValue {
        case "origin.address-unreachable": "repair the dead address or take it out of the records"
        case "origin.ipv6-broken": "repair IPv6 or take the AAAA records away"
        case "origin.address-differs": "bring the same file to every server"
        default: finding.fix
        }
    }
}

extension Serving {
    /// The order in which faults are told: who gets nothing is worse off than who gets another file.
    fileprivate var harm: Int {
        switch self {
        case .failed: 0
        case .status, .noFile, .partial: 1
        case .redirect: 2
        case .file: 3
        }
    }
}
