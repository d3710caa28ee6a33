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
        case .tlsIntercepted(_, let authority):
            CauseText(
                "Something in this machine's network opens TLS: the certificates of the origin and of Apple's CDN both come "
                    + "from \(authority), which this machine does not trust.",
                "Exempt this machine from the inspection. Behind it nobody sees the site's own certificate.")
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
