// Apple's own word, where the origin looks fine from here: what Apple's crawler saw outranks what we guess, and what we
// see narrows it down.

extension Diagnosis {
    static let crawlerRows: [DiagnosisRow] = [
        DiagnosisRow("crawler-says-various") { context in
            guard context.originIsFine, !context.isMixed, context.absenceReasons.count > 1 else { return nil }
            return "none of Apple's edges that answer has a copy, and they give several reasons "
                + "(\(context.reasonsInWords)), though this machine gets the file: \(context.adviceForReasons); then "
                + "allow \(context.failureLifetime) for Apple to ask again"
        },
        DiagnosisRow("crawler-refused-by-address") { context in
            guard let status = context.refusedStatus, context.agentsPass else { return nil }
            return
                "your server answers Apple's crawler with \(status), though its user agent gets the file from here: a "
                + "firewall rule by source address, country or bot verification refuses Apple; open this one path to "
                + "every address, then allow \(context.failureLifetime) for Apple to ask again (an internal or staging "
                + "host needs ?mode=developer instead)"
        },
        DiagnosisRow("crawler-refused") { context in
            guard let status = context.refusedStatus else { return nil }
            return "your server answers Apple's crawler with \(status) while this machine gets the file: a firewall or "
                + "bot rule refuses AASA-Bot; let every client read the file, then allow \(context.failureLifetime) "
                + "for Apple to ask again"
        },
        DiagnosisRow("crawler-remembers-absence") { context in
            guard context.originIsFine, let status = context.unanimousFailure?.originStatus,
                [404, 410].contains(status)
            else { return nil }
            return "the file is there now, but Apple's CDN remembers that it was not (\(status)); it asks again in "
                + "\(context.failureLifetime)"
        },
        DiagnosisRow("crawler-redirected") { context in
            guard context.originIsFine, let failure = context.unanimousFailure, failure.trouble == .redirect else {
                return nil
            }
            let said = failure.reason.inSentence
            guard let target = context.check.origin.redirects.last?.target else {
                return "your server redirects Apple's crawler (\(said)) while this machine gets the file at once: look "
                    + "for a redirect by country, language or user agent, and take this path out of it, then allow "
                    + "\(context.failureLifetime) for Apple to ask again"
            }
            return "the origin redirects to \(target.inSentence), and Apple's crawler does not follow (\(said)): serve "
                + "the file at \(context.domain.wellKnownURL) itself, with status 200, then allow "
                + "\(context.failureLifetime) for Apple to ask again"
        },
        DiagnosisRow("crawler-met-outage") { context in
            guard context.originIsFine, let failure = context.unanimousFailure, failure.trouble == .outage else {
                return nil
            }
            return
                "your server was in trouble when Apple's crawler asked (\(failure.reason.inSentence)), and answers "
                + "this machine well now: most likely there is nothing to do but to wait \(context.failureLifetime) until "
                + "Apple asks again; if it says the same then, see the server's log for AASA-Bot, and look for a bot "
                + "rule that answers so"
        },
        DiagnosisRow("crawler-rate-limited") { context in
            guard context.originIsFine, let failure = context.unanimousFailure, failure.trouble == .rateLimit else {
                return nil
            }
            return "a rate limit of your server turned Apple's crawler away (\(failure.reason.inSentence)) while this "
                + "machine gets the file: take this path out of the limit, see in the log of that time what used it up, "
                + "and wait \(context.failureLifetime) until Apple asks again"
        },
        DiagnosisRow("crawler-other-status") { context in
            guard context.originIsFine, let failure = context.unanimousFailure, failure.family == .status else {
                return nil
            }
            return "your server gives Apple's crawler another answer than this machine "
                + "(\(failure.reason.inSentence)): look in the server's log for AASA-Bot, and for a rule or a server "
                + "that treats it otherwise; Apple asks again in \(context.failureLifetime)"
        },
        DiagnosisRow("crawler-timeout-ipv6") { context in
            guard context.silence != nil, let finding = context.finding("origin.ipv6-broken") else { return nil }
            return "Apple's crawler gets no answer, most likely since \(finding.message): repair IPv6, or take "
                + "the AAAA records away, then allow \(context.failureLifetime) for Apple to ask again"
        },
        DiagnosisRow("crawler-timeout-address") { context in
            guard context.silence != nil, let finding = context.finding("origin.address-unreachable") else {
                return nil
            }
            return "Apple's crawler gets no answer, most likely since \(finding.message): \(finding.fix), then "
                + "allow \(context.failureLifetime) for Apple to ask again"
        },
        DiagnosisRow("crawler-cause") { context in
            guard context.originIsFine, let failure = context.unanimousFailure,
                case .connection = failure.trouble
            else { return nil }
            return "Apple's crawler cannot fetch the file\(context.cause(failure)), though this machine can: "
                + "\(CrawlerAdvice.fix(for: failure)), then allow \(context.failureLifetime) for Apple to ask again"
        },
        DiagnosisRow("crawler-timeout-slow") { context in
            guard context.silence != nil, let finding = context.finding("origin.slow") else { return nil }
            return
                "Apple's crawler gives up before your server answers: here \(finding.message); serve the file from a "
                + "cache or a static host that does not sleep, then allow \(context.failureLifetime) for Apple to ask "
                + "again"
        },
        DiagnosisRow("crawler-timeout-firewall") { context in
            guard let failure = context.silence, context.agentsPass else { return nil }
            return "Apple's crawler gets no answer from your server\(context.cause(failure)), though every address "
                + "answers here, under Apple's user agents too: a firewall or geo rule drops Apple's packets, or the "
                + "server sleeps between visits; open the file to every address in the world, then allow "
                + "\(context.failureLifetime) for Apple to ask again"
        },
        DiagnosisRow("crawler-timeout") { context in
            guard let failure = context.silence else { return nil }
            return
                "Apple's crawler gets no answer from your server\(context.cause(failure)) while this machine does: look "
                + "for a firewall or geo rule, a dead IPv6 address, or a server that sleeps; after a repair allow "
                + "\(context.failureLifetime) for Apple to ask again"
        },
        DiagnosisRow("crawler-content") { context in
            guard context.originIsFine, let failure = context.unanimousFailure, failure.family == .content else {
                return nil
            }
            return "Apple's crawler gets something that is no JSON where this machine gets the file: look for a "
                + "challenge page or another variant served to bots, or wait \(context.failureLifetime) if the file was "
                + "just repaired"
        },
        DiagnosisRow("crawler-unknown") { context in
            guard context.originIsFine, let failure = context.unanimousFailure else { return nil }
            return "Apple's crawler could not take the file, though this machine gets it: Apple says "
                + "'\(failure.words.inSentence)', which it documents nowhere; let every client read the file over HTTPS "
                + "with status 200 and no redirect, allow \(context.failureLifetime) for Apple to ask again, and "
                + "report it to Apple if it says the same a day later"
        },
    ]
}

extension DiagnosisContext {
    /// The status by which Apple's crawler was sent away from a file that is there.
    fileprivate var refusedStatus: Int? {
        guard originIsFine, let failure = unanimousFailure, failure.trouble == .refusal else { return nil }
        return failure.originStatus
    }

    /// Apple's crawler met silence where this machine did not.
    fileprivate var silence: CrawlerFailure? {
        guard originIsFine, let failure = unanimousFailure else { return nil }
        return failure.trouble == .silence || failure.trouble == .connection(.refused) ? failure : nil
    }

    /// The cause behind Apple's reason, in Apple's words.
    fileprivate func cause(_ failure: CrawlerFailure) -> String {
        let words = failure.details["cause"] ?? failure.details["raw"] ?? failure.reason
        return words.isEmpty ? "" : " (\(words.inSentence))"
    }
}
