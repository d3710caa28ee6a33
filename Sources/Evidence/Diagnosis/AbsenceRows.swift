// The origin has no file: not there, not here, or a page in its place.

import AASA

extension Diagnosis {
    static let absenceRows: [DiagnosisRow] = [
        DiagnosisRow("refused-here-only") { context in
            guard let agent = context.check.welcomeAgents.first, context.hasError(in: "origin.") else { return nil }
            return
                "this program is refused (the origin \(context.check.readings.words(for: context.check.origin))), but the user "
                + "agent \(agent.shortName) gets the file: Apple is let in, so look at Apple's copy; Apple asks that "
                + "every client may read the file"
        },
        DiagnosisRow("elsewhere-fine") { context in
            guard let name = context.check.welcomeVantages.first, context.hasError(in: "origin.") else { return nil }
            let here = context.check.readings.words(for: context.check.origin)
            return "the file is there from \(name), but this machine does not get it (the origin \(here)): a rule by "
                + "address or country refuses this place, and may refuse Apple's crawler too; let everybody read it; "
                + context.afterRepair
        },
        DiagnosisRow("root-only") { context in
            context.finding("origin.root-only").map { _ in
                "the file is at /apple-app-site-association only, where current systems no longer look: serve it at "
                    + "/.well-known/apple-app-site-association too; Apple reads it there within 24 hours"
            }
        },
        DiagnosisRow("redirect-to-nothing") { context in
            guard context.hasNoFile, let hop = context.check.origin.redirects.last, let target = hop.target,
                let status = context.check.origin.answer?.status
            else { return nil }
            let slash =
                target == context.domain.wellKnownURL + "/" ? ", as a rule does that adds a slash to every path" : ""
            return "the origin redirects (\(hop.status)) to \(target.inSentence), where there is no file (\(status))"
                + "\(slash); the file may well be deployed: take /.well-known/apple-app-site-association out of the "
                + "redirect, and deploy it there if it is missing; \(context.consequence)"
        },
        DiagnosisRow("dot-folder-dropped") { context in
            guard context.hasNoFile, let host = context.staticHost else { return nil }
            return
                "there is no file at the origin (404), which \(host.name) serves: such hosts drop folders whose names "
                + "begin with a dot; \(host.advice), then deploy again; \(context.consequence)"
        },
        DiagnosisRow("not-deployed") { context in
            guard context.hasNoFile, let status = context.check.origin.answer?.status else { return nil }
            return "there is no file at the origin (\(status)): deploy it to /.well-known/apple-app-site-association; "
                + context.consequence
        },
        DiagnosisRow("page-instead-of-file") { context in
            // A login page that a redirect leads to is told as the redirect that it is.
            guard context.check.readings.originBody?.syntaxError?.cause == .htmlPage,
                context.finding("aasa.json-syntax") != nil, context.error("origin.redirect") == nil
            else { return nil }
            return "the origin serves an HTML page where the file should be: exempt "
                + "/.well-known/apple-app-site-association from the catch-all route of the single-page app, the login or "
                + "the challenge page, and deploy the file itself; \(context.afterRepair)"
        },
        DiagnosisRow("host-sleeps") { context in
            let failure = context.check.origin.failure
            guard let failure, failure.kind == .timedOut, [.waiting, .receiving].contains(failure.phase),
                let said = context.crawlerFailure, said.family == .network, !context.check.metHost.isElsewhere
            else { return nil }
            return
                "\(context.domain) takes the request, but gives neither this machine nor Apple's crawler "
                + "(\(said.reason.inSentence)) an answer in time: it sleeps between visits, which takes tens of seconds to "
                + "end (--max-time 60 shows it), or is overloaded; serve the file from a cache or a static host that does "
                + "not sleep; after a repair allow \(context.failureLifetime) for Apple to ask again"
        },
        DiagnosisRow("host-down") { context in
            let failure = context.check.origin.failure
            guard let failure, let said = context.crawlerFailure, said.family == .network,
                !context.check.metHost.isElsewhere, !context.connectionCameAbout,
                [.timedOut, .connectionRefused, .unreachable, .connectionReset].contains(failure.kind)
            else { return nil }
            return
                "\(context.domain) answers neither this machine nor Apple's crawler (\(said.reason.inSentence)): the host is "
                + "down or gone; bring it back, or take the domain out of the app's entitlements; after a repair allow "
                + "\(context.failureLifetime) for Apple to ask again"
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
        let status = check.origin.answer?.status
        // Behind a redirect it is another server that has none.
        return !check.metHost.isElsewhere && (status == 404 || status == 410) && finding("origin.status") != nil
    }

    fileprivate var consequence: String {
        if let whyUnasked { return whyUnasked }
        if check.observation.cdn == .notAsked(.mode) { return "no phone gets it until then" }
        if check.readings.cdnFile != nil { return "Apple's CDN still serves the last copy, but not for ever" }
        return "no phone gets it before Apple asks again, "
            + (crawlerFailure == nil ? "within 24 hours" : "in \(failureLifetime)")
    }

    /// The host of static sites that the answer names, where it is known to publish no dot folders by itself.
    fileprivate var staticHost: (name: String, advice: String)? {
        guard let answer = check.origin.answer, answer.status == 404 else { return nil }
        let server = (answer.header("server") ?? "").lowercased()
        let include = "make the build or upload step include .well-known"
        if server.contains("github.com") { return ("GitHub Pages", "add an empty file .nojekyll, and \(include)") }
        let others = [
            "netlify": "Netlify", "vercel": "Vercel", "amazons3": "Amazon S3", "surge": "Surge", "firebase": "Firebase",
            "static.app": "static.app",
        ]
        return others.sorted { $0.key < $1.key }.first { server.contains($0.key) }.map { ($0.value, include) }
    }
}
