// Where nothing else counts: our own fault, and names and addresses that Apple cannot ask.

extension Diagnosis {
    static let nameRows: [Row] = [
        { context in
            for finding in context.findings {
                if case .monitor(let cause) = finding.matter { return .monitor(cause) }
            }
            return nil
        },
        { context in
            guard !context.check.metHost.isElsewhere, context.finding("origin.dns-failed") != nil else { return nil }
            guard let alias = context.check.origin.failure?.alias else { return .origin(.noSuchName(context.domain)) }
            return .origin(.danglingAlias(of: alias.inSentence, service: CloudNames.service(of: alias)))
        },
        { context in
            guard let failure = context.crawlerFailure, failure.family == .address else { return nil }
            let seen = context.check.notPublicAddresses.map(\.address)
            return .origin(.privateForApple(seen: seen, of: context.full?.resolution.addresses.count ?? seen.count))
        },
        { context in
            let addresses = context.check.notPublicAddresses.map(\.address)
            guard !addresses.isEmpty, context.error("origin.not-public-address") != nil else { return nil }
            let all = context.full?.resolution.addresses.count ?? addresses.count
            return .origin(.privateAddress(addresses, of: all))
        },
        // A server that only this machine meets explains whatever is not there; an error that others may meet does not count as
        // such.
        { $0.check.readings.originFile == nil && !$0.hasError(in: "origin.") ? $0.privateHere : nil },
        { $0.addressesFailVariously.map(Cause.origin) },
        { $0.addressesDiffer.map(Cause.origin) },
    ]
}
