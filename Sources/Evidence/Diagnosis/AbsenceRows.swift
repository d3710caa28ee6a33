// The origin has no file: not there, not here, or a page in its place.

import AASA

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
            return .origin(.pageInsteadOfFile)
        },
        { context in
            let failure = context.check.origin.failure
            guard let failure, failure.kind == .timedOut, [.waiting, .receiving].contains(failure.phase),
                let said = context.crawlerFailure, said.family == .network, !context.check.metHost.isElsewhere
            else { return nil }
            return .origin(.hostSleeps(AppleWord(said)))
        },
        { context in
            let failure = context.check.origin.failure
            guard let failure, let said = context.crawlerFailure, said.family == .network,
                !context.check.metHost.isElsewhere, !context.connectionCameAbout,
                [.timedOut, .connectionRefused, .unreachable, .connectionReset].contains(failure.kind)
            else { return nil }
            return .origin(.hostDown(AppleWord(said)))
        },
    ]
}

extension DiagnosisContext {
    /// Whether anything took a connection, at the address of the plain request or at another: then the host is there.
    fileprivate var connectionCameAbout: Bool {
        ([check.origin] + (full?.addresses ?? []).map(\.retrieval)).contains { retrieval in
            guard let failure = retrieval.failure else { return true }
            return ![.resolving, .connecting].contains(failure.phase)
        }
    }

    fileprivate var hasNoFile: Bool {
        // Behind a redirect it is another server that has none.
        !check.metHost.isElsewhere && check.readings.originSaysNoFile && finding("origin.status") != nil
    }
}
