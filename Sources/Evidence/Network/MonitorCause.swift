// Causes in the monitor and its network, and their findings: why nothing is known about a site.

/// The monitor itself, its own network, and problems that many domains share.
package enum MonitorCause: Codable, Equatable, Sendable {
    /// The request could not be made; `detail`: from the network library.
    case ownFault(detail: String)
    /// This machine's name server could not look up the host; `answer`: its words, nil if none answered.
    case nameServerFailed(host: String, answer: String?)
    /// This machine's name server does not find the host or Apple's CDN. `answer`: its words.
    case namesFail(host: String, answer: String)
    /// Something in this machine's network decrypts TLS, with an authority that this machine does not trust.
    case tlsIntercepted(host: String, authority: String)
    /// The proxy opened no tunnel to the host; `status`: its answer, nil if none.
    case proxyFailed(status: Int?, detail: String)
    /// This machine reaches no host over IPv4, or over IPv6.
    case noFamily(Int)
    /// This machine connects to neither the site nor Apple's CDN. `unusedProxy`: the variable that names a proxy.
    case noWayOut(unusedProxy: String?)
    /// The certificates of site and CDN are refused, each for its own authority. `authority`: the site's.
    case trustStoreLacks(authority: String)
    /// `ahead`: seconds; nil if unknown.
    case clockIsWrong(ahead: Int?)
    /// A login page, or another page of this network, answers for the site and for Apple's CDN.
    case gateAnswers(status: Int?)
    /// The lookup of the name took this long; `server`: the time that the server took. Milliseconds.
    case nameServerSlow(milliseconds: Int, server: Int)
    /// One check reached no host, and the other checks reached none.
    case networkSuspect
    case networkLost(domains: Int, of: Int, canaries: [String])
    case manyFailing(domains: Int, of: Int)
    /// For hours it has been unknown what phones do for this many domains.
    case blind(domains: Int, of: Int)
    case cdnWide(CDNFailure, domains: Int, of: Int)
    case scheduleBehind(domains: Int, of: Int, intervals: Int)
    /// `fault`: as the configuration parser reports it.
    case configReloadFailed(fault: String)
    /// `answer`: of the channel's service; empty if there is none.
    case deliveryFailing(channel: String, isDisabled: Bool, answer: String)
    /// `words`: from the system or the database.
    case storeFailing(StoreFault, StoreOutage, words: String)

    var declaration: Declaration {
        switch self {
        case .ownFault(let detail):
            .init(
                .fetchFailed, leads: .ownFault,
                "The request could not be made from here\(detail.isEmpty ? "" : " (\(detail))").",
                "Check this machine's trust store (--cacert, network.ca_file), proxy, memory and open files.")
        case .nameServerFailed(_, nil):
            .init(
                .nameServerFailed, leads: .nameServerFailed, "No name server answers this machine.",
                "Check the name servers in /etc/resolv.conf, and the network to them.")
        case .nameServerFailed(let host, let answer?):
            .init(
                .nameServerFailed, leads: .nameServerFailed,
                "This machine's name server could not resolve \(host) (\(answer)).",
                "Ask another name server. If it says the same, check the domain's DNSSEC and its name servers.")
        case .namesFail(let host, let answer):
            .init(
                .nameServerFailed, leads: .nameServerFailed,
                "This machine's name server does not find \(host) or Apple's CDN (\(answer)).",
                "Fix the name server in /etc/resolv.conf, or use another one.", closing: English.nothingKnown)
        case .proxyFailed(let status, let detail):
            .init(
                .fetchFailed, leads: .ownFault, English.why(proxy: status, detail),
                English.action(proxy: status), closing: English.nothingKnown)
        case .noFamily(let family):
            .init(
                .familyMissingHere, leads: .familyMissingHere,
                "This machine has no IPv\(family), so it does not see what Apple sees.",
                "Check from a machine with IPv\(family), or add a vantage that has it.", closing: English.nothingKnown)
        case .noWayOut(let variable):
            .init(
                .noWayOut, leads: .noWayOut, "This machine cannot connect to the site or to Apple's CDN.",
                English.action(noWayOut: variable), closing: English.nothingKnown)
        case .trustStoreLacks(let authority):
            .init(
                .trustStoreLacksRoot, leads: .trustStoreLacksRoot,
                "This machine's trust store has no root for the site's certificate"
                    + (authority.isEmpty ? "" : " (\(authority))") + ", and it also refuses Apple's CDN.",
                "Install the distribution's ca-certificates, or correct --cacert (network.ca_file).",
                closing: English.nothingKnown)
        case .clockIsWrong(let ahead):
            .init(
                .clockIsWrong, leads: .clockIsWrong, English.why(clock: ahead),
                "Set this machine's clock.", closing: English.nothingKnown)
        case .gateAnswers(let status):
            .init(
                .gateAnswers, leads: .gateAnswers,
                "A login page or filter of this network answers in place of the site"
                    + (status.map { " (status \($0))." } ?? " and of Apple's CDN: both show its certificate."),
                "Log in to this network, or check from another one.", closing: English.nothingKnown)
        case .nameServerSlow(let milliseconds, let server):
            .init(
                .nameServerSlow, leads: .nameServerSlow,
                "The name server of this machine took \(English.seconds(milliseconds)) to find the address. The server "
                    + "answered in \(English.seconds(server)).",
                "Check whether the first name server in /etc/resolv.conf answers. Nothing needs to be done at the site."
            )
        case .tlsIntercepted(_, let authority):
            .init(
                .tlsIntercepted, leads: .tlsIntercepted,
                "Something in this machine's network intercepts TLS, or the trust store lacks a root: this machine rejects the "
                    + "certificates of the origin and of Apple's CDN, both from \(authority).",
                "Exempt this machine from the inspection, or correct --cacert (network.ca_file).",
                closing: English.nothingKnown)
        case .networkSuspect:
            .init(
                .networkLost, severity: .warning, leads: .networkSuspect,
                "This check reached no host: the local network is suspect.",
                English.networkAction)
        case .networkLost(let domains, let all, let canaries):
            .init(
                .networkLost, leads: .networkLost,
                "The last checks of \(English.share(domains, of: all)) reached no host"
                    + (canaries.isEmpty ? "" : ", and no reference host answers (\(canaries.listed(upTo: 3)))")
                    + ". The local network is most likely down.",
                English.networkAction)
        case .manyFailing(let domains, let all):
            .init(
                .manyFailing, leads: .manyFailing,
                "\(English.share(domains, of: all)) began to fail together, at the origin and at Apple's CDN. The "
                    + "cause is most likely between this machine and the network.",
                "Check what this machine's requests pass through: proxy, firewall, gateway, name server. Add "
                    + "reference hosts to network.canaries.")
        case .blind(let domains, let all):
            .init(
                .blind, leads: .blind,
                "The checks of \(English.share(domains, of: all)) cannot see what Apple's CDN serves or what phones do.",
                "Run 'aasa-monitor check' for one of them on this machine to see what it lacks.")
        case .cdnWide(let failure, let domains, let all):
            .init(
                .cdnWide, leads: .cdnWide,
                "\(English.trouble(failure)) (\(English.share(domains, of: all))). These domains began to fail together, but their origins work.",
                "Look for what they share, such as a firewall or one server. If they share nothing, wait and check Apple's "
                    + "system status page. Domains that still fail afterwards get their own alerts.")
        case .scheduleBehind(let domains, let all, let intervals):
            .init(
                .scheduleBehind, leads: .scheduleBehind,
                "\(English.share(domains, of: all)) \(domains == 1 ? "was" : "were") not checked for \(intervals) intervals: the monitor is overloaded.",
                "Raise network.max_concurrent or the intervals, lower the timeouts, or give the machine more resources."
            )
        case .configReloadFailed(let fault):
            .init(
                .configReloadFailed, leads: .configReloadFailed,
                "The changed configuration was not loaded, so the previous one stays in use: \(fault).",
                "Correct the file, try it with `aasa-monitor config check`, and reload again (SIGHUP).")
        case .deliveryFailing(let channel, let isDisabled, let answer):
            .init(
                .deliveryFailing, severity: isDisabled ? .error : .warning, leads: .deliveryFailing,
                "The channel '\(channel)' \(isDisabled ? "refuses" : "does not accept") messages"
                    + (answer.isEmpty ? "" : " (\(answer))") + ". People who read only this channel get no alerts.",
                isDisabled
                    ? "Check the channel's URL, token and permissions, then run `aasa-monitor alert test \(channel)`."
                    : "Check whether the service is down or blocked from here: run `aasa-monitor alert test \(channel)`."
            )
        case .storeFailing(let fault, let outage, let words):
            .init(
                .storeFailing, severity: outage == .setAside ? .warning : .error, leads: .storeFailing,
                "\(English.consequence(outage)) (\(words)).",
                outage == .setAside
                    ? "Close the incidents that receivers keep open under the old ids. To keep the old store, stop the monitor and "
                        + "restore a backup."
                    : English.action(fault))
        }
    }
}

/// What is wrong with the monitor's store.
package enum StoreFault: String, Codable, Sendable, CaseIterable {
    case full, locked, unwritable, damaged
    /// Not a store of this program.
    case foreign
    /// Written by a newer version.
    case newer
    case other

    /// Continues "the monitor cannot start: ".
    package var summary: String {
        switch self {
        case .full: "no space is left for the store"
        case .locked: "another program has locked the store"
        case .unwritable: "the store cannot be written"
        case .damaged: "the store is damaged"
        case .foreign: "the file at store.path is not a store"
        case .newer: "the store was written by a newer version"
        case .other: "the store accepts no writes"
        }
    }
}

/// What a failure of the store stops.
package enum StoreOutage: String, Codable, Sendable, CaseIterable {
    /// The store cannot be opened.
    case start
    case writes
    /// Nothing: the damaged store was set aside at the start.
    case setAside
}

/// How Apple's side fails for many domains.
package enum CDNFailure: String, Codable, Sendable, CaseIterable {
    case missing, stale, divergent
    /// No answer about the file.
    case silent
}

// MARK: - Words

extension English {
    fileprivate static let nothingKnown = "Nothing is known about the site."

    fileprivate static func why(proxy status: Int?, _ detail: String) -> String {
        switch status {
        case 407: "The proxy of this machine requires a login (status 407)."
        case 403: "The proxy of this machine does not allow this host (status 403)."
        case let status?: "The proxy of this machine does not connect to this host (status \(status))."
        case nil: "The proxy of this machine could not be used\(detail.isEmpty ? "" : " (\(detail))")."
        }
    }

    fileprivate static func action(proxy status: Int?) -> String {
        switch status {
        case 407: "Give the proxy's user and password (--proxy http://USER:PASSWORD@HOST:PORT, network.proxy)."
        case 403: "Let the proxy allow this host on port 443."
        default:
            "Check the proxy's address (--proxy, network.proxy), and what its log says."
        }
    }

    fileprivate static func consequence(_ outage: StoreOutage) -> String {
        switch outage {
        case .start:
            "The store cannot be opened, so the monitor cannot start: it checks no domain and sends no other alert"
        case .writes: "The store accepts no writes, so the monitor discards checks and sends no other alert"
        case .setAside:
            "The store was damaged, so the monitor set it aside and began a new one. It announces open problems again under new ids, "
                + "and does not resolve earlier incidents"
        }
    }

    fileprivate static func action(_ fault: StoreFault) -> String {
        switch fault {
        case .full: "Free space on the disk of store.path."
        case .locked: "End the process that locks the database, such as an open sqlite3 shell."
        case .unwritable: "Check that the folder of store.path exists, and that the monitor's user may write there."
        case .damaged:
            "Restart the monitor: it sets the file aside and creates a new one. To keep the data, restore a backup instead."
        case .foreign: "Set another path as store.path, or move that file away."
        case .newer:
            "Install the newer aasa-monitor again, or restore a backup from before the upgrade."
        case .other:
            "Check the disk of store.path: its space, its permissions, and whether another process locks the database."
        }
    }

    fileprivate static func action(noWayOut variable: String?) -> String {
        variable.map {
            "Set the proxy with --proxy (network.proxy): \($0) is set, but this program ignores it."
        }
            ?? "Check this machine's network: cable, route, firewall, proxy (--proxy, network.proxy)."
    }

    fileprivate static func why(clock ahead: Int?) -> String {
        let consequence = "so certificate dates prove nothing here."
        guard let ahead else {
            return
                "This machine's clock is most likely wrong: it also refuses the certificate of Apple's CDN for its dates, "
                + consequence
        }
        return
            "This machine's clock is \(age(abs(ahead))) \(ahead > 0 ? "ahead of" : "behind") that of Apple's CDN, "
            + consequence
    }

    fileprivate static let networkAction =
        "Check this machine's network: cable, route, name server, proxy, firewall. Checks continue automatically."

    package static func trouble(_ failure: CDNFailure) -> String {
        switch failure {
        case .missing: "Apple's CDN has lost its copies"
        case .stale: "Apple's CDN still serves the old files"
        case .divergent: "Apple's CDN and the origins serve different files"
        case .silent: "Apple's CDN gives no answer about the files"
        }
    }
}
