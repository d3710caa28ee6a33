// The monitor itself, and what many domains share.

extension English {
    static func words(_ cause: MonitorCause) -> CauseText {
        switch cause {
        case .ownFault(let detail):
            CauseText(
                "The request could not be made from here\(detail.isEmpty ? "" : " (\(detail))").",
                "Check this machine's trust store (--cacert, network.ca_file), proxy, memory and open files.")
        case .nameServerFailed(_, nil):
            CauseText(
                "No name server answers this machine.",
                "Check the name servers in /etc/resolv.conf, and the network to them.")
        case .nameServerFailed(let host, let answer?):
            CauseText(
                "This machine's name server could not resolve \(host) (\(answer)).",
                "Ask another name server. If it says the same, check the domain's DNSSEC and its name servers.")
        case .namesFail(let host, let answer):
            CauseText(
                "This machine's name server finds neither \(host) nor Apple's CDN (\(answer)).",
                "Repair the name server in /etc/resolv.conf, or ask another one. Nothing is known of the site.")
        case .proxyFailed(let status, let detail): CauseText(why(proxy: status, detail), action(proxy: status))
        case .noFamily(let family):
            CauseText(
                "This machine has no IPv\(family), so it does not see what Apple sees.",
                "Check from a machine with IPv\(family), or name a vantage that has it. Nothing is known of the site.")
        case .noWayOut(let variable):
            CauseText(
                "Neither the site nor Apple's CDN takes a connection from this machine.", action(noWayOut: variable))
        case .trustStoreLacks(let authority):
            CauseText(
                "This machine's trust store has no root for the site's certificate"
                    + (authority.isEmpty ? "" : " (\(authority))") + ", and it refuses Apple's CDN as well.",
                "Install the distribution's ca-certificates, or correct --cacert (network.ca_file). Nothing is known of the "
                    + "site.")
        case .clockIsWrong(let ahead):
            CauseText(why(clock: ahead), "Set this machine's clock. Nothing is known of the site.")
        case .gateAnswers(let status):
            CauseText(
                "A login page or filter of this network answers in place of the site"
                    + (status.map { " (status \($0))." } ?? " and of Apple's CDN: both show its certificate."),
                "Log in to this network, or check from another one. Nothing is known of the site.")
        case .nameServerSlow(let milliseconds, let server):
            CauseText(
                "The name server of this machine took \(seconds(milliseconds)) to find the address. The server answered in "
                    + "\(seconds(server)).",
                "See whether the first name server in /etc/resolv.conf answers. Nothing needs to be done at the site.")
        case .tlsIntercepted(_, let authority):
            CauseText(
                "Something in this machine's network opens TLS, or its trust store lacks a root: it trusts neither the origin's "
                    + "certificate nor that of Apple's CDN, both from \(authority).",
                "Exempt this machine from the inspection, or correct --cacert (network.ca_file). Nothing is known of the site."
            )
        case .networkSuspect:
            CauseText("This check reached nobody, and neither did others: the local network is suspect.", networkAction)
        case .networkLost(let domains, let all, let canaries):
            CauseText(
                "The last checks of \(domains) of \(all) domains reached nobody"
                    + (canaries.isEmpty ? "" : ", and no reference host answers (\(canaries.listed(upTo: 3)))")
                    + ". The local network is most likely down.", networkAction)
        case .manyFailing(let domains, let all):
            CauseText(
                "\(domains) of \(all) domains began to fail together, at the origin and at Apple's CDN. The cause is most "
                    + "likely between this machine and the network.",
                "Check what this machine's requests pass through: proxy, firewall, gateway, name server. Name reference hosts "
                    + "in network.canaries.")
        case .cdnWide(let failure, let domains, let all):
            CauseText(
                "\(trouble(failure)) (\(domains) of \(all) domains). They began to fail together while their origins work.",
                "Look for what they share, such as a firewall or one server. If there is nothing, wait and see Apple's "
                    + "system status page. Domains that still fail afterwards get alerts of their own.")
        case .scheduleBehind(let domains, let all, let intervals):
            CauseText(
                "\(domains) of \(all) domains were not checked for \(intervals) intervals: the monitor is overloaded.",
                "Raise network.max_concurrent or the intervals, lower the timeouts, or give the machine more resources."
            )
        case .configReloadFailed(let fault):
            CauseText(
                "The configuration file was refused at a reload. The previous one stays in use: \(fault).",
                "Correct the file, try it with `aasa-monitor config check`, and reload again (SIGHUP).")
        case .deliveryFailing(let channel, let isDisabled, let answer):
            CauseText(
                "The channel '\(channel)' \(isDisabled ? "refuses" : "takes no") messages"
                    + (answer.isEmpty ? "" : " (\(answer))") + ". People who read only this channel get no alerts.",
                isDisabled
                    ? "Check the channel's URL, token and permissions; then `aasa-monitor alert test \(channel)`."
                    : "Check whether the service is down or blocked from here: `aasa-monitor alert test \(channel)`.")
        case .storeFailing(let isAtStart, let fault):
            CauseText(
                "The store takes no writes, so "
                    + (isAtStart
                        ? "the monitor cannot start: it checks no domain and sends no other alert"
                        : "checks are discarded and no other alert is sent") + " (\(fault)).",
                "Free space on the disk of store.path, check its permissions, or end the process that locks the database."
            )
        case .notMonitored: CauseText("The domain is no longer monitored.")
        case .testMessage:
            CauseText("This message was sent by `aasa-monitor alert test`. Nothing needs to be done.")
        case .over: CauseText("The incident is over.")
        case .factsMissing: CauseText("The store has no facts about this incident.")
        }
    }

    private static func why(proxy status: Int?, _ detail: String) -> String {
        switch status {
        case 407: "The proxy of this machine wants a login (status 407)."
        case 403: "The proxy of this machine does not allow this host (status 403)."
        case let status?: "The proxy of this machine opens no way to this host (status \(status))."
        case nil: "The proxy of this machine could not be used\(detail.isEmpty ? "" : " (\(detail))")."
        }
    }

    private static func action(proxy status: Int?) -> String {
        switch status {
        case 407: "Give the proxy's user and password (--proxy http://USER:PASSWORD@HOST:PORT, network.proxy)."
        case 403: "Let the proxy allow this host on port 443. Nothing is known of the site."
        default:
            "Check the proxy's address (--proxy, network.proxy), and what its log says. Nothing is known of the site."
        }
    }

    private static func action(noWayOut variable: String?) -> String {
        variable.map {
            "Give the proxy with --proxy (network.proxy): \($0) is set, and this program does not use it. Nothing is known of "
                + "the site."
        }
            ?? "Check this machine's network: cable, route, firewall, proxy (--proxy, network.proxy). Nothing is known of the site."
    }

    private static func why(clock ahead: Int?) -> String {
        let consequence = "so dates of certificates say nothing here."
        guard let ahead else {
            return
                "This machine's clock is most likely wrong: it refuses the certificate of Apple's CDN for its dates as well, "
                + consequence
        }
        return
            "This machine's clock is \(age(abs(ahead))) \(ahead > 0 ? "ahead" : "behind"), by the time of Apple's CDN, "
            + consequence
    }

    private static let networkAction =
        "Check this machine's network: cable, route, name server, proxy, firewall. Checks continue by themselves."

    package static func trouble(_ failure: CDNFailure) -> String {
        switch failure {
        case .missing: "Apple's CDN has lost its copies"
        case .stale: "Apple's CDN still serves the old files"
        case .divergent: "Apple's CDN serves other files than the origins"
        case .silent: "Apple's CDN gives no answer about the files"
        }
    }
}

// MARK: - Findings

extension English {
    static func finding(_ cause: MonitorCause) -> FindingWords {
        switch cause {
        case .ownFault(let detail):
            FindingWords(
                "the request could not be made from here: \(detail)",
                "check what this machine uses to reach the network: the trust store (--cacert, network.ca_file), the proxy, "
                    + "memory and open files")
        case .nameServerFailed(_, nil):
            FindingWords(
                "no name server answers this machine",
                "check the name servers in /etc/resolv.conf, and the way to them")
        case .nameServerFailed(let host, let answer?):
            FindingWords(
                "the name server of this machine could not resolve \(host) (\(answer))",
                "ask another name server: if it says the same, check the domain's DNSSEC and its name servers, else repair "
                    + "the one in /etc/resolv.conf")
        case .namesFail, .proxyFailed, .noFamily, .noWayOut, .trustStoreLacks, .clockIsWrong, .gateAnswers,
            .nameServerSlow:
            FindingWords(words(cause))
        case .tlsIntercepted(let host, let authority):
            FindingWords(
                "this machine does not trust the certificates of \(host) and of Apple's CDN: both come from "
                    + "\(authority), so something in this network opens TLS",
                "exempt this machine from the inspection of TLS: behind it nobody sees the site's own certificate")
        case .networkSuspect:
            FindingWords(
                "this check reached nobody, like others at the same time: the local network is suspect, so the state of the "
                    + "domain is unknown", networkFix)
        case .networkLost(let domains, let all, let canaries):
            FindingWords(
                "the last checks of \(domains) of \(all) domains reached nobody"
                    + (canaries.isEmpty
                        ? "" : "; the reference hosts \(canaries.joined(separator: ", ")) did not answer"),
                networkFix)
        case .manyFailing(let domains, let all):
            FindingWords(
                "the origins of \(domains) of \(all) domains began to fail together, and Apple's CDN gives no answer about "
                    + "them",
                "check what this machine's requests pass through: a proxy, a firewall, a gateway that wants a login, the "
                    + "name server; name reference hosts in network.canaries to tell these apart")
        case .cdnWide(let failure, let domains, let all):
            FindingWords(
                "\(trouble(failure)) of \(domains) of \(all) domains, which began to fail together",
                "look for what they share: a firewall or a setting that refuses Apple's crawler, one server for all of "
                    + "them; if there is nothing, wait, and see Apple's system status page")
        case .scheduleBehind(let domains, let all, let intervals):
            FindingWords(
                "\(domains) of \(all) domains were not checked for \(intervals) intervals",
                "raise network.max_concurrent or the intervals, lower the timeouts, or give the machine more resources")
        case .configReloadFailed(let fault):
            FindingWords(
                "the configuration file was refused at a reload: \(fault)",
                "correct the file, try it with `aasa-monitor config check`, and reload again (SIGHUP)")
        case .deliveryFailing(let channel, let isDisabled, let answer):
            FindingWords(
                "the channel '\(channel)' \(isDisabled ? "refuses our messages" : "takes no messages"): \(answer)",
                isDisabled
                    ? "check the channel's URL, token and permissions; then `aasa-monitor alert test \(channel)`"
                    : "check whether the service is down or blocked from here: `aasa-monitor alert test \(channel)`")
        case .storeFailing(let isAtStart, let fault):
            FindingWords(
                "the store takes no writes: \(fault)",
                "Free space on the disk of store.path, check its permissions, or end the process that locks the database."
                    + (isAtStart ? "" : " Checks continue and are stored again then."))
        // No finding is made of these.
        case .notMonitored, .testMessage, .over, .factsMissing:
            FindingWords(words(cause).why ?? "", words(cause).action ?? "")
        }
    }

    private static let networkFix =
        "check this machine's network: cable, route, name server, proxy, firewall; checks continue by themselves"
}
