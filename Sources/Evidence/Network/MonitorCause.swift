// Causes in the monitor and its network, and their findings: why nothing is known about a site.

/// The monitor itself, its own network, and problems that many domains share.
package enum MonitorCause: Codable, Equatable, Sendable {
    /// The request could not be made; `detail`: from the network library.
    case ownFault(detail: String)
    /// This machine's name server could not look up the host; `answer`: its words, nil if none answered.
    case nameServerFailed(host: String, answer: String?)
    /// This machine's name server finds neither the host nor Apple's CDN; `answer`: its words.
    case namesFail(host: String, answer: String)
    /// Something in this machine's network decrypts TLS, with an authority that this machine does not trust.
    case tlsIntercepted(host: String, authority: String)
    /// The proxy opened no tunnel to the host; `status`: its answer, nil if none.
    case proxyFailed(status: Int?, detail: String)
    /// This machine reaches no host over IPv4, or over IPv6.
    case noFamily(Int)
    /// Neither the site nor Apple's CDN accepts a connection from here; `unusedProxy`: the variable that names a proxy.
    case noWayOut(unusedProxy: String?)
    /// The certificates of site and CDN are refused, each for its own authority. `authority`: the site's.
    case trustStoreLacks(authority: String)
    /// `ahead`: seconds; nil if unknown.
    case clockIsWrong(ahead: Int?)
    /// A login page, or another page of this network, answers for the site and for Apple's CDN.
    case gateAnswers(status: Int?)
    /// The lookup of the name took this long; `server`: the time that the server took. Milliseconds.
    case nameServerSlow(milliseconds: Int, server: Int)
    /// One check reached no host, and other checks did not either.
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
                "This machine's name server finds neither \(host) nor Apple's CDN (\(answer)).",
                "Repair the name server in /etc/resolv.conf, or ask another one.", closing: English.nothingKnown)
        case .proxyFailed(let status, let detail):
            .init(
                .fetchFailed, leads: .ownFault, English.why(proxy: status, detail),
                English.action(proxy: status), closing: English.nothingKnown)
        case .noFamily(let family):
            .init(
                .familyMissingHere, leads: .familyMissingHere,
                "This machine has no IPv\(family), so it does not see what Apple sees.",
                "Check from a machine with IPv\(family), or name a vantage that has it.", closing: English.nothingKnown)
        case .noWayOut(let variable):
            .init(
                .noWayOut, leads: .noWayOut, "Neither the site nor Apple's CDN takes a connection from this machine.",
                English.action(noWayOut: variable), closing: English.nothingKnown)
        case .trustStoreLacks(let authority):
            .init(
                .trustStoreLacksRoot, leads: .trustStoreLacksRoot,
                "This machine's trust store has no root for the site's certificate"
                    + (authority.isEmpty ? "" : " (\(authority))") + ", and it refuses Apple's CDN as well.",
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
                "See whether the first name server in /etc/resolv.conf answers. Nothing needs to be done at the site.")
        case .tlsIntercepted(_, let authority):
            .init(
                .tlsIntercepted, leads: .tlsIntercepted,
                "Something in this machine's network opens TLS, or its trust store lacks a root: it trusts neither the "
                    + "origin's certificate nor that of Apple's CDN, both from \(authority).",
                "Exempt this machine from the inspection, or correct --cacert (network.ca_file).",
                closing: English.nothingKnown)
        case .networkSuspect:
            .init(
                .networkLost, severity: .warning, leads: .networkSuspect,
                "This check reached nobody: the local network is suspect.",
                English.networkAction)
        case .networkLost(let domains, let all, let canaries):
            .init(
                .networkLost, leads: .networkLost,
                "The last checks of \(English.share(domains, of: all)) reached nobody"
                    + (canaries.isEmpty ? "" : ", and no reference host answers (\(canaries.listed(upTo: 3)))")
                    + ". The local network is most likely down.",
                English.networkAction)
        case .manyFailing(let domains, let all):
            .init(
                .manyFailing, leads: .manyFailing,
                "\(English.share(domains, of: all)) began to fail together, at the origin and at Apple's CDN. The "
                    + "cause is most likely between this machine and the network.",
                "Check what this machine's requests pass through: proxy, firewall, gateway, name server. Name "
                    + "reference hosts in network.canaries.")
        case .blind(let domains, let all):
            .init(
                .blind, leads: .blind,
                "The checks of \(English.share(domains, of: all)) see neither what Apple's CDN serves nor what phones do.",
                "Run 'aasa-monitor check' for one of them on this machine, and see what it lacks.")
        case .cdnWide(let failure, let domains, let all):
            .init(
                .cdnWide, leads: .cdnWide,
                "\(English.trouble(failure)) (\(English.share(domains, of: all))). They began to fail together while their origins work.",
                "Look for what they share, such as a firewall or one server. If there is nothing, wait and see Apple's "
                    + "system status page. Domains that still fail afterwards get alerts of their own.")
        case .scheduleBehind(let domains, let all, let intervals):
            .init(
                .scheduleBehind, leads: .scheduleBehind,
                "\(English.share(domains, of: all)) \(domains == 1 ? "was" : "were") not checked for \(intervals) intervals: the monitor is overloaded.",
                "Raise network.max_concurrent or the intervals, lower the timeouts, or give the machine more resources."
            )
        case .configReloadFailed(let fault):
            .init(
                .configReloadFailed, leads: .configReloadFailed,
                "The configuration file was refused at a reload. The previous one stays in use: \(fault).",
                "Correct the file, try it with `aasa-monitor config check`, and reload again (SIGHUP).")
        case .deliveryFailing(let channel, let isDisabled, let answer):
            .init(
                .deliveryFailing, severity: isDisabled ? .error : .warning, leads: .deliveryFailing,
                "The channel '\(channel)' \(isDisabled ? "refuses" : "takes no") messages"
                    + (answer.isEmpty ? "" : " (\(answer))") + ". People who read only this channel get no alerts.",
                isDisabled
                    ? "Check the channel's URL, token and permissions; then `aasa-monitor alert test \(channel)`."
                    : "Check whether the service is down or blocked from here: `aasa-monitor alert test \(channel)`.")
        case .storeFailing(let fault, let outage, let words):
            .init(
                .storeFailing, severity: outage == .setAside ? .warning : .error, leads: .storeFailing,
                "\(English.consequence(outage)) (\(words)).",
                outage == .setAside
                    ? "End by hand what a receiver keeps open under the old ids. To keep the old store, stop the monitor and put "
                        + "a backup in its place."
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
        case .locked: "another program holds the store locked"
        case .unwritable: "the store cannot be written"
        case .damaged: "the store is damaged"
        case .foreign: "what lies at store.path is no store"
        case .newer: "the store was written by a newer version"
        case .other: "the store takes no writes"
        }
    }
}

/// What a failure of the store stops.
package enum StoreOutage: String, Codable, Sendable, CaseIterable {
    /// The store cannot be opened.
    case start
    case writes
    /// Nothing any more: the damaged store was set aside at the start.
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
    fileprivate static let nothingKnown = "Nothing is known of the site."

    fileprivate static func why(proxy status: Int?, _ detail: String) -> String {
        switch status {
        case 407: "The proxy of this machine wants a login (status 407)."
        case 403: "The proxy of this machine does not allow this host (status 403)."
        case let status?: "The proxy of this machine opens no way to this host (status \(status))."
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
        case .writes: "The store takes no writes, so checks are discarded and no other alert is sent"
        case .setAside:
            "The store was damaged and set aside, and the monitor began with a new one: what is wrong is announced again under new "
                + "ids, and incidents of before are not resolved"
        }
    }

    fileprivate static func action(_ fault: StoreFault) -> String {
        switch fault {
        case .full: "Free space on the disk of store.path."
        case .locked: "End the process that holds the database locked, such as an open sqlite3 shell."
        case .unwritable: "Check that the folder of store.path exists, and that the monitor's user may write there."
        case .damaged:
            "Restart the monitor: it sets the file aside and makes a new one. To keep the data, put a backup in its place instead."
        case .foreign: "Name another path as store.path, or move that file aside."
        case .newer:
            "Install the newer aasa-monitor again, or put a backup from before the upgrade in the store's place."
        case .other:
            "Check the disk of store.path: its space, its permissions, and whether another process holds the database locked."
        }
    }

    fileprivate static func action(noWayOut variable: String?) -> String {
        variable.map {
            "Give the proxy with --proxy (network.proxy): \($0) is set, and this program does not use it."
        }
            ?? "Check this machine's network: cable, route, firewall, proxy (--proxy, network.proxy)."
    }

    fileprivate static func why(clock ahead: Int?) -> String {
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

    fileprivate static let networkAction =
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
