// The origin is at fault: its name, a file that is not there, TLS, its answer, its addresses.

import AASA
import Facts

// MARK: - Our own fault, and names and addresses that Apple cannot ask

extension Diagnosis {
    static let nameRows: [Row] = [
        { context in
            for finding in context.findings where finding.severity == .error {
                guard case .monitor(let cause) = finding.matter else { continue }
                return context.crawlerFailure.map { .crawler(.notSeenHere($0.trouble, cause)) } ?? .monitor(cause)
            }
            return nil
        },
        { context in
            guard !context.check.metHost.isElsewhere, context.finding("origin.dns-failed") != nil else { return nil }
            guard let alias = context.check.origin.failure?.alias else { return .origin(.noSuchName(context.domain)) }
            return .origin(.danglingAlias(of: alias.inSentence, service: CloudNames.service(of: alias)))
        },
        { context in
            guard let failure = context.crawlerFailure, failure.trouble == .address else { return nil }
            let seen = context.check.notPublicAddresses.map(\.address)
            return .origin(.privateForApple(seen: seen, of: context.full?.resolution.addresses.count ?? seen.count))
        },
        // Apple got an answer, or none, from another address: what this machine sees there is nothing that Apple meets.
        { context in
            let addresses = context.check.notPublicAddresses.map(\.address)
            guard !addresses.isEmpty, addresses.count == context.full?.resolution.addresses.count,
                let failure = context.crawlerFailure
            else { return nil }
            return .crawler(.metOtherAddress(failure.trouble, here: addresses))
        },
        { context in
            let addresses = context.check.notPublicAddresses.map(\.address)
            guard !addresses.isEmpty, context.error("origin.not-public-address") != nil,
                !context.check.hasMixedAddresses || context.mayBeOfAddress
            else { return nil }
            let all = context.full?.resolution.addresses.count ?? addresses.count
            return .origin(.privateAddress(addresses, of: all))
        },
        // A server that only this machine meets explains whatever is not there; an error that others may meet does not count as
        // such.
        { context in
            guard context.check.readings.originFile == nil, !context.hasError(in: "origin."),
                !context.check.hasMixedAddresses
            else { return nil }
            return context.privateHere
        },
        { $0.addressesFailVariously.map(Cause.origin) },
        { $0.addressesDiffer.map(Cause.origin) },
    ]
}

// MARK: - No file: not there, not here, or a page in its place

extension Diagnosis {
    static let absenceRows: [Row] = [
        { context in context.finding("origin.root-only").map { _ in .origin(.rootOnly(apple: context.rootAtApple)) } },
        { context in
            guard context.hasNoFile, let hop = context.check.origin.redirects.last, let target = hop.target,
                let status = context.check.origin.answer?.status
            else { return nil }
            return .origin(
                .redirectToNothing(
                    hop: hop.status, target: target.inSentence, status: status,
                    addsSlash: target == context.domain.wellKnownURL + "/"))
        },
        { context in
            guard context.finding("origin.status") != nil, !context.check.metHost.isElsewhere,
                let hosting = context.check.readings.hosting, let status = context.check.origin.answer?.status
            else { return nil }
            return .origin(.hosting(hosting.fault, status: status))
        },
        { context in
            guard context.hasNoFile, let status = context.check.origin.answer?.status else { return nil }
            return .origin(.notDeployed(status: status))
        },
        { context in
            // A login page that a redirect leads to is reported as the redirect that it is.
            guard context.check.readings.originBody?.syntaxError?.cause == .htmlPage,
                context.finding("aasa.json-syntax") != nil, context.error("origin.redirect") == nil
            else { return nil }
            let page = context.check.readings.originPage
            guard let page, page.title != nil || page.kind != nil else { return .origin(.pageInsteadOfFile) }
            return .origin(.webPageInsteadOfFile(page))
        },
        { context in
            guard context.finding("aasa.no-service") != nil || context.finding("aasa.root-not-object") != nil,
                context.error("origin.redirect") == nil, let words = context.check.readings.originErrorMessage
            else { return nil }
            return .origin(.errorMessageInsteadOfFile(words.inSentence))
        },
        { context in
            let failure = context.check.origin.failure
            guard let failure, failure.kind == .timedOut, [.waiting, .receiving].contains(failure.phase),
                let said = context.crawlerFailure, said.trouble == .silence, !context.check.metHost.isElsewhere
            else { return nil }
            return .origin(.hostSleeps(AppleWord(said)))
        },
        { context in
            let failure = context.check.origin.failure
            guard let failure, let said = context.crawlerFailure,
                [.silence, .connection(.refused)].contains(said.trouble), !context.check.metHost.isElsewhere,
                !context.connectionCameAbout,
                [.timedOut, .connectionRefused, .unreachable, .connectionReset].contains(failure.kind)
            else { return nil }
            return .origin(.hostDown(AppleWord(said)))
        },
    ]
}

extension DiagnosisContext {
    /// Whether one address of several that is not public may be what Apple's crawler met: it says nothing else, or met silence.
    fileprivate var mayBeOfAddress: Bool {
        switch crawlerFailure?.trouble {
        case nil, .address, .silence, .unknown, .connection(.refused): true
        default: false
        }
    }

    /// Whether anything took a connection, at the address of the plain request or at another: then the host is there.
    fileprivate var connectionCameAbout: Bool {
        ([check.origin] + (full?.addresses ?? []).map(\.retrieval)).contains { retrieval in
            guard let failure = retrieval.failure else { return true }
            return ![.resolving, .connecting].contains(failure.phase)
        }
    }

    /// What Apple's CDN has of a site whose file is at the root only; nil: it was not asked.
    fileprivate var rootAtApple: RootAtApple? {
        guard case .asked = check.observation.cdn, let root = full?.rootCopy else { return nil }
        guard check.cdn?.speaksOfFile == true else { return .noAnswer }
        guard let copy = check.readings.cdnFile else { return .nothing(crawlerFailure.map(AppleWord.init)) }
        return copy.meaning == check.readings.file(of: root)?.meaning ? .sameFile : .otherFile
    }

    fileprivate var hasNoFile: Bool {
        // Behind a redirect it is another server that has none.
        !check.metHost.isElsewhere && check.readings.originSaysNoFile && finding("origin.status") != nil
    }
}

// MARK: - TLS that fails for some: for Apple alone, or at some addresses alone

extension Diagnosis {
    static let handshakeRows: [Row] = [
        { context in
            guard let finding = context.error("origin.certificate-chain-incomplete"),
                case .origin(.fault(.certificateChain(let missing, _), _)) = finding.matter
            else { return nil }
            return .origin(.chainIncomplete(missing: missing, place: context.place(of: finding)))
        },
        { context in
            guard context.check.readings.originFile != nil else { return nil }
            let rules = [
                "certificate-expired", "certificate-not-yet-valid", "certificate-name-mismatch",
                "certificate-untrusted", "tls-failed", "tls-version",
            ]
            guard let finding = rules.lazy.compactMap({ context.error("origin.\($0)") }).first,
                let fault = context.fault(finding)
            else { return nil }
            let place = context.place(of: finding)
            return .origin(
                place.addresses.isEmpty ? .fault(fault, place: place) : .certificateAtAddress(fault, place: place))
        },
    ]
}

// MARK: - Faults that this machine sees too, and what people expect of the file

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
            if worst.rule.rawValue.hasPrefix("aasa.") {
                // A fault that both files have is not what keeps Apple's copy old.
                let isStale = context.comparison.state == .stale
                return isStale && Checks.isInCopy(worst, context.check) ? nil : .file(.fault(worst.rule))
            }
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

// MARK: - Addresses that fail in several ways: one fault must not hide another

extension DiagnosisContext {
    private static let rules: Set<String> = [
        "origin.address-unreachable", "origin.address-differs", "origin.ipv6-broken",
    ]

    /// The findings about single addresses, where there are several and one at least is an error.
    private var addressFaults: [Finding] {
        let found = findings.filter { finding in
            finding.severity > .note && !finding.isOfClients
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
        let finding = findings.first {
            $0.severity == .error && $0.rule == .origin("address-differs") && !$0.isOfClients
        }
        guard let finding else { return nil }
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
    /// Whether it is about who asks, and not about where.
    fileprivate var isOfClients: Bool {
        switch matter {
        case .origin(.agentDiffers), .origin(.vantageDiffers): true
        default: false
        }
    }

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
