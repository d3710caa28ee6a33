// The origin is at fault, and this machine sees it too; and what people expect of the file.

extension Diagnosis {
    static let originRows: [Row] = [
        { context in
            guard context.check.readings.originFile != nil, context.error("origin.address-unreachable") != nil else {
                return nil
            }
            return .origin(
                .addressUnreachable(
                    context.deadAddresses(ofIPv6: false), of: context.full?.addresses.count ?? 0))
        },
        { context in
            guard
                let worst = context.findings.first(where: {
                    $0.severity == .error
                        && ($0.rule.rawValue.hasPrefix("origin.") || $0.rule.rawValue.hasPrefix("aasa."))
                })
            else { return nil }
            if worst.rule.rawValue.hasPrefix("aasa.") { return .file(.fault(worst.rule)) }
            return context.fault(worst).map { .origin(.fault($0, place: context.place(of: worst))) }
                ?? .file(.finding(worst.rule))
        },
    ]

    static let expectationRows: [Row] = [
        { context in
            let failed = context.findings.first {
                $0.severity == .error && $0.rule.rawValue.hasPrefix("expect.") && $0.rule != .expect("page-missing")
            }
            return failed.map {
                .file(.expectationFailed($0.rule, inCopy: context.comparison.state == .inSync))
            }
        }
    ]
}
