import Foundation

extension Checks {
    /// No answer at all: the name, the network, time, or bytes that are no HTTP.
    @Sendable static func originReachability(_ context: CheckContext) -> [Finding] {
        guard let failure = context.origin.failure else { return [] }
        if let finding = stalled(failure, context) { return [finding] }
        let host = context.metHost
        let viaProxy = context.origin.connection?.viaProxy == true
        // Behind a proxy the address is the proxy's.
        let address = viaProxy ? nil : context.origin.connection?.address
        let place = address ?? host.name.inSentence
        var finding = Finding(
            rule: .origin("unreachable"), severity: .error, message: "",
            evidence: context.answerEvidence.merging(
                ["phase": failure.phase.rawValue, "error": failure.detail]) { $1 },
            fix: "", reference: Reference.supportingDomains)
        finding.evidence["address"] = address
        switch failure.kind {
        case .nameNotFound:
            finding.rule = .origin("dns-failed")
            finding.message = "the name \(host.name.inSentence) does not resolve"
            finding.fix = "check the name's spelling and its A and AAAA records"
            tell(failure.alias, in: &finding)
        case .noAddress:
            finding.rule = .origin("dns-failed")
            finding.message = "the name \(host.name.inSentence) exists and has no address"
            finding.fix = "publish an A record, and an AAAA record where the server has IPv6"
            tell(failure.alias, in: &finding)
        case .noIPv4Address, .noIPv6Address:
            let (family, option) = failure.kind == .noIPv4Address ? (4, "-4") : (6, "-6")
            finding.message = "\(place) has no IPv\(family) address, and \(option) asks for no other"
            finding.fix =
                "ask without \(option)" + (family == 4 ? ", and publish an A record: not every network has IPv6" : "")
        case .connectionRefused:
            finding.message = "\(place) refuses connections"
            finding.fix = "let the web server listen on port 443 on every address that the name resolves to"
        case .unreachable:
            finding.message = "\(place) cannot be reached" + (viaProxy ? " through the proxy" : "")
            finding.fix =
                viaProxy
                ? "check whether the server is up, and what the proxy's log says of it"
                : "check the address records, the firewall and the route to the server"
        case .timedOut:
            finding.rule = .origin("timeout")
            finding.message = "no answer in time: \(waiting(failure.phase, place))"
            // Where headers came, packets arrive.
            let cause =
                switch failure.phase {
                case .receiving:
                    "see why the server is so slow: its load, a proxy before it, a program that makes the file"
                case .waiting:
                    "see whether the server sleeps between visits (check --max-time 60 gives it time to wake), and why it is "
                        + "so slow: its load, a proxy before it, a program that makes the file"
                default: "look for a firewall that drops packets, a geo rule or a server that sleeps"
                }
            finding.fix = "\(cause); Apple's crawler gives up after a few seconds"
        case .connectionReset:
            finding.rule = .origin("connection-reset")
            finding.message =
                failure.phase == .receiving
                ? "\(place) reset the connection in the middle of the headers of its answer"
                : "\(place) ended the connection without an answer"
            finding.fix = "look for a firewall or a proxy that cuts connections, and at the server's error log"
        case .truncated:
            finding.rule = .origin("truncated")
            finding.message = "\(place) closed the connection in the middle of the headers of its answer"
            finding.fix = "see the error log of the server, and of whatever stands before it"
        case .headersTooLarge:
            finding.rule = .origin("headers-too-large")
            finding.message = "the answer's headers do not end within the limit"
            finding.fix = "find what adds headers without end, such as a cookie or a proxy that loops"
        case .malformedAnswer:
            finding.rule = .origin("malformed-answer")
            finding.message = "what \(place) answers is no valid HTTP"
            finding.fix = "let a web server answer HTTPS on port 443"
        case .privateAddress:
            // The redirect that led there has a finding of its own.
            if context.origin.redirectStop == .privateAddress, !context.origin.redirects.isEmpty { return [] }
            finding.rule = .origin("not-public-address")
            finding.message = "\(place) is a private or reserved address, or leads to one"
            finding.fix = "serve the file at the domain itself, on a public address and without redirects"
        case .badEncoding:
            finding.rule = .origin("content-encoding")
            finding.message = "the body cannot be decompressed as its Content-Encoding says"
            finding.fix = "send the file uncompressed, or with a Content-Encoding that is true"
        case .tlsHandshake, .tlsVersion, .certificate:
            return []
        case .nameServerFailure, .noNameServer:
            finding.rule = .monitor("name-server-failed")
            if failure.kind == .noNameServer {
                finding.message = "no name server answers this machine"
                finding.fix = "check the name servers in /etc/resolv.conf, and the way to them"
            } else {
                finding.message =
                    "the name server of this machine could not resolve \(host.name.inSentence) (\(failure.detail.inSentence))"
                finding.fix =
                    "ask another name server: if it says the same, check the domain's DNSSEC and its name servers, else "
                    + "repair the one in /etc/resolv.conf"
            }
            finding.reference = Reference.ownConfiguration
            return [finding]
        case .intercepted:
            let authority = context.origin.refusedAuthority ?? ""
            finding.rule = .monitor("tls-intercepted")
            finding.message =
                "this machine trusts neither the certificate of \(host.name.inSentence) nor that of Apple's CDN: both come "
                + "from \(authority.inSentence), so something in this network opens TLS"
            finding.evidence["authority"] = authority
            finding.fix =
                "exempt this machine from the inspection of TLS: behind it nobody sees the site's own certificate"
            finding.reference = Reference.ownConfiguration
            return [finding]
        case .own, .proxy:
            finding.rule = .monitor("fetch-failed")
            finding.message = "the request could not be made from here: \(failure.detail.inSentence)"
            finding.fix =
                "check what this machine uses to reach the network: the trust store (--cacert, network.ca_file), the "
                + "proxy, memory and open files"
            finding.reference = Reference.ownConfiguration
            return [finding]
        }
        return [host.placing(finding)]
    }

    private static func tell(_ alias: String?, in finding: inout Finding) {
        guard let alias else { return }
        finding.message += ": it is an alias (CNAME) of \(alias.inSentence), which has no address"
        finding.fix = "point the record to where the site is now, or remove it"
        finding.evidence["cname"] = alias
    }

    private static func waiting(_ phase: Failure.Phase, _ place: String) -> String {
        switch phase {
        case .resolving: "the name servers did not say where \(place) is"
        case .connecting: "\(place) did not take the connection"
        case .handshaking: "\(place) did not finish the TLS handshake"
        case .waiting: "\(place) took the request and did not answer"
        case .receiving: "\(place) began its answer and did not finish the headers"
        }
    }
}
