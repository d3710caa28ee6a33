// What an incident of the kind `origin.broken` is about, in a few words. The kind gathers many troubles: refusals, addresses
// that Apple will not ask and other places are no fault of the file.

import Evidence
import Monitoring

extension IncidentFacts {
    /// By the cause; where that is about something else, by what the incident itself was found by.
    var brokenOrigin: String {
        Self.headline(of: diagnosis.cause) ?? findings.lazy.compactMap { Self.headline(of: $0.rule.rawValue) }.first
            ?? "the origin serves no valid file"
    }

    private static func headline(of cause: Cause) -> String? {
        switch cause {
        case .access(let cause):
            return switch cause {
            case .challengedHere: "a bot protection answers in place of the origin"
            case .refusedHereOnly, .elsewhereFine, .turnedAwayHere, .turnedAwayForLong:
                "the origin refuses this machine"
            case .agentRefused, .agentRefusedAsApple: refusedCrawler
            case .vantageRefused: refusedPlace
            case .vantageDiffers: otherPlace
            }
        case .origin(let cause):
            return switch cause {
            case .privateAddress, .privateForApple, .privateHere, .fault(.privateAddress, _),
                .fault(.redirect(.privateAddress), _):
                privateAddress
            case .hosting(let fault, _):
                switch fault.meaning {
                case .missing, .missingOrPrivate, .dotFolderDropped: "the origin has no file"
                case .unknownSite: "the domain leads to a host that does not know it"
                case .stopped: "the site is switched off at its host"
                case .failing: "the origin is in trouble"
                }
            case .notDeployed: "the origin has no file"
            case .rootOnly: "the file is at the root only"
            case .redirectToNothing, .fault(.redirect, _): redirect
            case .fault(.status(401), _), .fault(.status(403), _): "the origin refuses this machine"
            case .fault(.status(429), _), .fault(.busy(429, _), _): "the origin limits this machine's requests"
            case .fault(.behindCloudflare, _), .fault(.busy, _): "the origin is in trouble"
            case .fault(.status(let status), _) where status >= 500: "the origin is in trouble"
            default: nil
            }
        case .crawler, .copy, .file, .monitor: return nil
        }
    }

    private static func headline(of rule: String) -> String? {
        switch rule {
        case "origin.crawler-refused": refusedCrawler
        case "origin.vantage-refused": otherPlace
        case "origin.not-public-address": privateAddress
        case "origin.redirect", "origin.redirect-insecure", "origin.redirect-loop": redirect
        default: nil
        }
    }

    private static let refusedCrawler = "the origin refuses Apple's user agents"
    private static let refusedPlace = "the origin refuses other places"
    private static let otherPlace = "the origin gives other places something else"
    private static let privateAddress = "the domain has an address that is not public"
    private static let redirect = "the origin redirects in place of the file"
}
