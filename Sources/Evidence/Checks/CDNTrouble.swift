// The CDN's own trouble, or that of the way to it: not the site's fault, but whoever reads of it wants to know what to do
// and how long to wait.

import Foundation

/// An answer, or none, that says nothing about the file.
struct CDNTrouble {
    /// As the end of a sentence about one edge, or about the whole CDN: `is in trouble itself (status 503)`.
    let words: String
    /// The same of several edges.
    let wordsOfSeveral: String
    let fix: String
    let fault: CDNFault

    /// Nil where the retrieval says something about the file.
    init?(_ retrieval: Retrieval) {
        guard !retrieval.speaksOfFile else { return nil }
        let host = URLComponents(string: retrieval.url)?.host ?? "Apple's CDN"
        switch retrieval.outcome {
        case .failed(let failure):
            fault = .failed(failure.kind, failure.phase)
            words = "could not be asked: \(Self.words(for: failure))"
            wordsOfSeveral = words
            fix = Self.fix(for: failure, host)
        case .answered(let answer) where answer.speaksOfFile:
            fault = .cutShort
            words = "did not send the whole file"
            wordsOfSeveral = words
            fix =
                "look again in about 5 min; if it stays so, look for a proxy between here and \(host) that cuts answers"
        case .answered(let answer):
            let pause = "about \(TimeInterval(answer.pause).inWords)"
            switch answer.status {
            case 429:
                fault = .rateLimited(pause: answer.pause)
                words = "has had enough of this machine's requests (status 429)"
                wordsOfSeveral = "have had enough of this machine's requests (status 429)"
                fix =
                    "nothing to do at the site: check less often from this address, and look again in \(pause); phones "
                    + "ask from addresses of their own"
            case 500...:
                fault = .ownTrouble(status: answer.status, pause: answer.pause)
                words = "is in trouble itself (status \(answer.status))"
                wordsOfSeveral = "are in trouble themselves (status \(answer.status))"
                fix =
                    "nothing to do at the site: look again in \(pause); if it lasts for hours, see Apple's system status "
                    + "page, and report it to Apple"
            default:
                fault = .notApple(status: answer.status)
                words = "is not what answers here (status \(answer.status))"
                wordsOfSeveral = "are not what answers here (status \(answer.status))"
                fix =
                    "look for a proxy, a filter or a login page between this machine and \(host), and ask again from "
                    + "another network; phones may reach Apple's CDN all the same"
            }
        }
    }

    private static func words(for failure: Failure) -> String {
        switch failure.kind {
        case .nameNotFound, .noAddress: "its name does not resolve here"
        case .nameServerFailure: "the name server of this machine could not resolve it"
        case .noNameServer: "no name server answers this machine"
        case .noIPv4Address: "it has no IPv4 address here"
        case .noIPv6Address: "it has no IPv6 address here"
        case .timedOut: "no answer in time"
        case .connectionRefused: "the connection was refused"
        case .certificate: "its certificate is refused here (is a proxy reading the traffic?)"
        case .tlsHandshake, .tlsVersion: "the TLS handshake failed"
        default: failure.detail.inSentence
        }
    }

    private static func fix(for failure: Failure, _ host: String) -> String {
        let phones = "; phones may reach it all the same"
        switch failure.kind {
        case .nameNotFound, .noAddress, .nameServerFailure, .noNameServer:
            return "repair this machine's DNS, so that \(host) resolves\(phones)"
        case .certificate, .tlsHandshake, .tlsVersion:
            return "take \(host) out of what the network reads along, or name its authority (--cacert, network.ca_file)"
                + phones
        case .noIPv4Address, .noIPv6Address:
            return "ask without -4 or -6: \(host) has no address of that kind here\(phones)"
        // It took the connection, so that nothing on the way is to be opened.
        case .timedOut where failure.phase == .waiting || failure.phase == .receiving:
            return "nothing to do at the site: look again in about 5 min\(phones)"
        case .proxy, .own: return "check the proxy and the trust store that this machine uses\(phones)"
        default:
            return "let this machine reach \(host) on port 443 (firewall, proxy, route), and look again in about 5 min"
                + phones
        }
    }
}

extension Answer {
    /// How long to leave a CDN alone that is in trouble, in seconds, as it asks for it itself; a day at most.
    fileprivate var pause: Int {
        let asked = header("retry-after").flatMap { Int($0.trimmingCharacters(in: .whitespaces)) } ?? secondsUntilExpiry
        return asked.map { min(max($0, 60), 86_400) } ?? (status == 429 ? 3600 : 300)
    }
}
