// Where nothing else counts: our own fault, and names and addresses that Apple cannot ask.

extension Diagnosis {
    static let nameRows: [DiagnosisRow] = [
        DiagnosisRow("own-fault") { context in
            (context.finding("monitor.fetch-failed") ?? context.finding("monitor.name-server-failed")).map {
                "\($0.message): \($0.fix)"
            }
        },
        DiagnosisRow("no-such-name") { context in
            guard !context.check.metHost.isElsewhere else { return nil }
            return context.finding("origin.dns-failed").map { _ in
                "the name \(context.domain) does not resolve, so neither Apple nor a phone finds the file: check its "
                    + "spelling, its registration and its A and AAAA records, or take it out of the app's entitlements "
                    + "if it was given up; \(context.afterRepair)"
            }
        },
        DiagnosisRow("crawler-private-address") { context in
            guard let failure = context.crawlerFailure, failure.family == .address else { return nil }
            let seen = context.check.notPublicAddresses.map(\.address)
            let here = seen.isEmpty ? "" : " (\(seen.listed(upTo: 2)) from here)"
            return
                "for Apple the domain has a private or reserved address\(here), which its CDN refuses to ask: publish it "
                + "on a public address, then allow \(context.failureLifetime) for Apple to ask again; an internal host "
                + "needs ?mode=developer or ?mode=managed in the app's entitlement"
        },
        DiagnosisRow("private-address") { context in
            guard !context.check.notPublicAddresses.isEmpty,
                let finding = context.finding("origin.not-public-address")
            else { return nil }
            return "\(finding.message), so phones get no file from there: \(finding.fix); \(context.afterRepair)"
        },
        DiagnosisRow("addresses-fail-variously") { context in
            context.addressesInWords.map { "\($0); \(context.afterRepair)" }
        },
        DiagnosisRow("addresses-differ") { context in
            context.error("origin.address-differs").map {
                "\($0.message); which of them \(context.whoAsks) is chance: "
                    + "\($0.fix); \(context.afterRepair)"
            }
        },
    ]
}
