// Where nothing else counts: our own fault, and names and addresses that Apple cannot ask.

extension Diagnosis {
    static let nameRows: [Row] = [
        { context in
            guard context.finding("monitor.fetch-failed") != nil else { return nil }
            return .monitor(.ownFault(detail: context.check.origin.failure?.detail.inSentence ?? ""))
        },
        { context in
            guard context.finding("monitor.name-server-failed") != nil, let failure = context.check.origin.failure
            else { return nil }
            return .monitor(
                .nameServerFailed(
                    host: context.check.metHost.name,
                    answer: failure.kind == .noNameServer ? nil : failure.detail.inSentence))
        },
        { context in
            guard context.finding("monitor.tls-intercepted") != nil else { return nil }
            return .monitor(.tlsIntercepted(authority: (context.check.origin.refusedAuthority ?? "").inSentence))
        },
        { context in
            guard !context.check.metHost.isElsewhere, context.finding("origin.dns-failed") != nil else { return nil }
            guard let alias = context.check.origin.failure?.alias else { return .origin(.noSuchName(context.domain)) }
            return .origin(.danglingAlias(of: alias.inSentence, service: CloudNames.service(of: alias)))
        },
        { context in
            guard let failure = context.crawlerFailure, failure.family == .address else { return nil }
            return .origin(.privateForApple(seen: context.check.notPublicAddresses.map(\.address)))
        },
        { context in
            let addresses = context.check.notPublicAddresses.map(\.address)
            guard !addresses.isEmpty, context.error("origin.not-public-address") != nil else { return nil }
            let all = context.full?.resolution.addresses.count ?? addresses.count
            return .origin(.privateAddress(addresses, of: all))
        },
        // A server that only this machine meets explains whatever is not there.
        { $0.check.readings.originFile == nil ? $0.privateHere : nil },
        { $0.addressesFailVariously.map(Cause.origin) },
        { $0.addressesDiffer.map(Cause.origin) },
    ]
}
