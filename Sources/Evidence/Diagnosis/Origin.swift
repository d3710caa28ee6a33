// Faults of the origin: its name, a missing file, TLS, its answer, its addresses.

import AASA
import Facts
import Foundation

package enum OriginCause: Codable, Equatable, Sendable {
    /// Apple refuses the address; `seen`: those that are not public, of all that this machine's resolver gives.
    case privateForApple(seen: [String], of: Int)
    /// As seen from here; Apple's CDN has the file.
    case privateHere([String], of: Int)
    case addressesFailVariously(AddressAnswers, repairs: [AddressRepair])
    case redirectToNothing(hop: Int, target: String, status: Int, addsSlash: Bool)
    case pageInsteadOfFile(title: String?)
    /// JSON without a service, by its beginning.
    case otherJSON(String)
    case hostSleeps
    case hostDown

    var declaration: CauseDeclaration {
        switch self {
        case .privateForApple(let seen, let all):
            .init(
                .crawlerPrivateAddress,
                "Apple resolves the domain to a private or reserved address, and its CDN refuses to connect to it."
                    + (seen.isEmpty
                        ? all > 0 ? " From here every address is public." : ""
                        : " From here it resolves to \(seen.listed(upTo: 2))."),
                seen.isEmpty && all > 0
                    ? "Ask each of the domain's name servers for its A and AAAA records: one gives Apple a different address."
                    : seen.count == all ? English.publicAddress : English.publicAlone)
        case .privateHere(let addresses, let all):
            .init(
                .privateAddressHere,
                "From here \(addresses.count == all ? "the domain has no public address" : "not every address of the domain is public") "
                    + "(\(addresses.listed(upTo: 2))). Apple's CDN has the file, so public DNS answers differently from "
                    + "this machine's DNS, hosts file or VPN.",
                "Check from a network with public DNS, or add a vantage. Nothing needs to be done at the site.")
        case .addressesFailVariously(let answers, let repairs):
            .init(.addressesFailVariously) { now in
                Words("\(English.lead(answers)): \(English.words(answers.groups)).", English.actions(repairs, now))
            }
        case .redirectToNothing(let hop, let target, let status, let addsSlash):
            .init(
                .redirectToNothing,
                "The origin redirects (\(hop)) to \(target), where there is no file (\(status))"
                    + (addsSlash ? ". A rule adds a slash to every path." : "."),
                English.outOfRedirect)
        case .pageInsteadOfFile(let title):
            .init(
                .pageInsteadOfFile, "Your server sends an HTML page\(English.titled(title)) in place of the file.",
                English.exemptionFromPages)
        case .otherJSON(let words):
            .init(
                .pageInsteadOfFile,
                "Your server sends JSON that is not an association file, with status 200: '\(words)'.",
                "Exempt /.well-known/apple-app-site-association from the API's routes, and deploy the file there.")
        case .hostSleeps:
            .init(
                .hostSleeps,
                "Your server accepts the request, but does not answer this machine or Apple's crawler in time. It sleeps "
                    + "between visits, or is overloaded.",
                "Serve the file from a cache or a static host that does not sleep. Try --max-time 60 to see it wake.")
        case .hostDown:
            .init(
                .hostDown, "Your server does not answer this machine or Apple's crawler. It is down or gone.",
                "Restart it, or bring it back online. If you gave up the domain, remove it from the app's entitlements."
            )
        }
    }
}

/// What the addresses of one name give, worst first.
package struct AddressAnswers: Codable, Equatable, Sendable {
    /// How many give the file; nil if they give several versions.
    package var good: Int?
    package var asked: Int
    package var groups: [ServedAt]
}

package enum AddressRepair: Codable, Equatable, Sendable {
    case deadAddress, ipv6, sameFile
    indirect case fault(Problem)
}

extension English {
    fileprivate static func lead(_ answers: AddressAnswers) -> String {
        switch answers.good {
        case nil: "The \(answers.asked) addresses of the domain do not give the same file"
        case 0?: "None of the \(answers.asked) addresses of the domain gives the file"
        case let good?:
            "Only \(good) of the \(answers.asked) addresses of the domain \(good == 1 ? "gives" : "give") the file"
        }
    }

    /// Several addresses may need the same action.
    fileprivate static func actions(_ repairs: [AddressRepair], _ now: Date) -> String {
        repairs.map { action($0, now) }.uniqued.prefix(3).joined(separator: " ")
    }

    private static func action(_ repair: AddressRepair, _ now: Date) -> String {
        switch repair {
        case .deadAddress: "Fix the dead address, or remove it from the DNS records."
        case .ipv6: "Fix IPv6 or remove the AAAA records."
        case .sameFile: "Deploy the same file to every server."
        case .fault(let problem): problem.declaration.words(now).action ?? ""
        }
    }
}

// MARK: - This machine's own fault, and names and addresses that Apple cannot ask

extension Diagnosis {
    static let nameRows: [Row] = [
        { context in
            for finding in context.findings where finding.severity == .error {
                guard case .monitor(let cause) = finding.problem else { continue }
                return context.check.crawlerFailure.map { .crawler(.notSeenHere($0.trouble, cause)) } ?? Cause(finding)
            }
            return nil
        },
        // Only the domain's own name: after a redirect, the origin's rows decide.
        { context in context.check.lastHost.isElsewhere ? nil : context.finding(.dnsFailed).map { Cause($0) } },
        { context in
            guard let failure = context.check.crawlerFailure, failure.trouble == .address else { return nil }
            let seen = context.check.notPublicAddresses.map(\.address)
            // Addresses from the user's own rules do not come from the resolver.
            let resolution = context.full?.resolution
            let all = resolution?.source == .system ? resolution?.addresses.count ?? 0 : seen.count
            return .origin(.privateForApple(seen: seen, of: all))
        },
        // Apple got an answer, or none, from another address: this machine does not see what Apple sees.
        { context in
            let addresses = context.check.notPublicAddresses.map(\.address)
            guard !addresses.isEmpty, addresses.count == context.full?.resolution.addresses.count,
                let failure = context.check.crawlerFailure
            else { return nil }
            return .crawler(.metOtherAddress(failure.trouble, here: addresses))
        },
        { context in
            guard let finding = context.error(.notPublicAddress), case .origin(.notPublic) = finding.problem,
                !context.check.hasMixedAddresses || context.mayBeOfAddress
            else { return nil }
            return Cause(finding)
        },
        // A server that only this machine reaches explains a missing file, but not an error that others may get too.
        { context in
            guard context.check.readings.originFile == nil, !context.hasError(in: .origin),
                !context.check.hasMixedAddresses
            else { return nil }
            return context.privateHere
        },
        { $0.addressesFailVariously.map(Cause.origin) },
        { context in
            context.findings.first { $0.severity == .error && $0.kind == .addressDiffers && !$0.isOfClients }.map {
                Cause($0)
            }
        },
    ]

    static let privateHereRows: [Row] = [{ $0.privateHere }]
}

extension DiagnosisContext {
    /// Set if this machine's resolver gives addresses that Apple cannot have reached.
    fileprivate var privateHere: Cause? {
        // A light check knows only the address that it reached.
        if full == nil, check.meetsAnotherServer, check.copyEvidence?.isRecent == true,
            let address = check.origin.connection?.address
        {
            return .origin(.privateHere([address], of: 1))
        }
        let addresses = check.notPublicAddresses.map(\.address)
        guard !addresses.isEmpty, let finding = finding(.notPublicAddress), finding.severity == .warning else {
            return nil
        }
        if check.hasMixedAddresses { return Cause(finding) }
        return .origin(.privateHere(addresses, of: full?.resolution.addresses.count ?? addresses.count))
    }
}

// MARK: - No file: not there, not here, or a page in its place

extension Diagnosis {
    static let absenceRows: [Row] = [
        { context in (context.finding(.rootOnly) ?? context.finding(.misplaced)).map { Cause($0) } },
        // Another file, or the file within something else: this says more than invalid JSON or a wrong Content-Type.
        { context in
            let isWrapped = context.check.readings.originBody?.isWrapped == true && context.error(.redirect) == nil
            return (context.lint("other-file") ?? (isWrapped ? context.lint("json-syntax") : nil)).map { Cause($0) }
        },
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
            guard !context.check.lastHost.isElsewhere, context.check.readings.hosting != nil || context.hasNoFile else {
                return nil
            }
            return context.finding(.status).map { Cause($0) }
        },
        { context in
            // A redirect to a login page is reported as a redirect.
            guard context.check.readings.originIsPage, context.error(.redirect) == nil,
                context.lint("json-syntax") != nil || context.error(.tooLarge) != nil
            else { return nil }
            return .origin(.pageInsteadOfFile(title: context.check.readings.originPageTitle))
        },
        { context in
            // Only at the root: a misspelt service has a pointer of its own.
            guard let finding = context.lint("no-service") ?? context.lint("root-not-object"),
                finding.problem.pointer == "", context.error(.redirect) == nil,
                let words = context.check.readings.otherJSON
            else { return nil }
            return .origin(.otherJSON(words.inSentence))
        },
        { context in
            let failure = context.check.origin.failure
            guard let failure, failure.kind == .timedOut, [.waiting, .receiving].contains(failure.phase),
                context.check.crawlerFailure?.trouble == .silence, !context.check.lastHost.isElsewhere
            else { return nil }
            return .origin(.hostSleeps)
        },
        { context in
            let failure = context.check.origin.failure
            guard let failure, let said = context.check.crawlerFailure,
                [.silence, .connection(.refused)].contains(said.trouble), !context.check.lastHost.isElsewhere,
                !context.connectionCameAbout,
                [.timedOut, .connectionRefused, .unreachable, .connectionReset].contains(failure.kind)
            else { return nil }
            return .origin(.hostDown)
        },
    ]
}

extension DiagnosisContext {
    /// Whether a redirect that clients must not follow led to the last server.
    fileprivate var isRedirectedAway: Bool { check.lastHost.isElsewhere && error(.redirect) != nil }

    /// Whether Apple's crawler may have met the address that is not public: it reports nothing else, or no answer.
    fileprivate var mayBeOfAddress: Bool {
        switch check.crawlerFailure?.trouble {
        case nil, .address, .silence, .unknown, .connection(.refused): true
        default: false
        }
    }

    /// Whether any request got a connection, by name or at another address: then the host is there.
    fileprivate var connectionCameAbout: Bool {
        ([check.origin] + (full?.addresses ?? []).map(\.retrieval)).contains { retrieval in
            guard let failure = retrieval.failure else { return true }
            return ![.resolving, .connecting].contains(failure.phase)
        }
    }

    /// Whether the domain's own server has no file.
    fileprivate var hasNoFile: Bool {
        let isOwn = check.readings.absence.map { $0 != .elsewhere } ?? false
        return isOwn && finding(.status) != nil
    }
}

// MARK: - TLS that fails only for Apple, or only at some addresses

extension Diagnosis {
    static let handshakeRows: [Row] = [
        { context in
            context.isRedirectedAway ? nil : context.error(.certificateChainIncomplete).map { Cause($0) }
        },
        { context in
            guard context.check.readings.originFile != nil, !context.isRedirectedAway else { return nil }
            let kinds: [FindingKind] = [
                .certificateExpired, .certificateNotYetValid, .certificateNameMismatch, .certificateUntrusted,
                .tlsFailed, .tlsVersion,
            ]
            guard let finding = kinds.lazy.compactMap(context.error).first else { return nil }
            if case .addresses = finding.place { return Cause(finding, as: .certificateAtAddress) }
            return Cause(finding)
        },
    ]
}

// MARK: - Faults that this machine sees too, and the owners' expectations

extension Diagnosis {
    static let originRows: [Row] = [
        { context in
            context.check.readings.originFile == nil ? nil : context.error(.addressUnreachable).map { Cause($0) }
        },
        { context in
            guard
                let worst = context.findings.first(where: {
                    $0.severity == .error && ($0.problem.area == .origin || $0.problem.area == .file)
                })
            else { return nil }
            // A fault that both files have does not explain an old copy.
            if worst.problem.area == .file, context.comparison.state == .stale, Checks.isInCopy(worst, context.check) {
                return nil
            }
            // The advice must not be to repair another server.
            if case .behindRedirect = worst.place {
                return context.error(.redirect).map { Cause($0) } ?? Cause(worst, as: .originFault)
            }
            return Cause(worst)
        },
    ]

    static let expectationRows: [Row] = [
        { context in
            context.findings.first {
                $0.severity == .error && $0.problem.area == .expectation && $0.kind != .pageMissing
            }.map { Cause($0) }
        }
    ]
}

// MARK: - Addresses that fail in several ways: one fault must not hide another

extension DiagnosisContext {
    private static let kinds: Set<FindingKind> = [.addressUnreachable, .addressDiffers, .ipv6Broken]

    /// The findings about single addresses; empty unless at least one is an error.
    private var addressFaults: [Finding] {
        let found = findings.filter { finding in
            finding.severity > .note && !finding.isOfClients
                && (finding.kind.map(Self.kinds.contains) == true
                    || finding.severity == .error && finding.isOfAddresses)
        }
        return found.contains { $0.severity == .error } ? found : []
    }

    /// Set if the addresses have more than one fault.
    var addressesFailVariously: OriginCause? {
        let faults = addressFaults
        guard faults.count > 1, let results = full?.addresses, results.count > 1 else { return nil }
        var repairs: [AddressRepair] = []
        for repair in faults.compactMap(repair) where !repairs.contains(repair) { repairs.append(repair) }
        return .addressesFailVariously(answers(results), repairs: Array(repairs.prefix(3)))
    }

    /// What each address gives, worst first.
    private func answers(_ results: [AddressResult]) -> AddressAnswers {
        let readings = check.readings
        let served = results.map { (result: $0, served: readings.served(by: $0.retrieval)) }
        let files = Groups(served.filter(\.served.isFile).map { ($0.served.likeness, $0) }).members
        // If only one file is served, all addresses should give it. If there are several, each is reported.
        let told = served.filter { files.count != 1 || !$0.served.isFile }
        let groups = Groups(told.map { ($0.served.likeness, $0) }).members
            .enumerated().sorted { ($0.element[0].served.harm, $0.offset) < ($1.element[0].served.harm, $1.offset) }
            .map { group in
                ServedAt(group.element.map(\.result.address.address), group.element[0].served)
            }
        return AddressAnswers(
            good: files.count > 1 ? nil : files.first?.count ?? 0, asked: results.count, groups: groups)
    }

    private func repair(_ finding: Finding) -> AddressRepair? {
        switch finding.kind {
        case .addressUnreachable: .deadAddress
        case .ipv6Broken: .ipv6
        case .addressDiffers: .sameFile
        default: .fault(finding.problem)
        }
    }
}

extension Finding {
    /// Whether it depends on the client, not on the address.
    fileprivate var isOfClients: Bool {
        switch problem {
        case .origin(.agentDiffers), .origin(.vantageDiffers): true
        default: false
        }
    }

    /// Whether it is about some of the domain's addresses.
    fileprivate var isOfAddresses: Bool {
        switch (place, problem) {
        case (.addresses, _), (_, .origin(.notPublic)): true
        case (_, .origin(.crawlerRefused(let refusals))): !refusals.addresses.isEmpty
        default: false
        }
    }
}

extension Served {
    /// The order in which faults are reported: getting nothing is worse than getting another file.
    fileprivate var harm: Int {
        switch self {
        case .failed: 0
        case .status, .clientCertificate, .page, .noFile, .partial: 1
        case .redirect: 2
        case .file: 3
        }
    }
}
