// Reasons that only the phone knows: why a link opens the website although the file that phones use opens it in the
// app. Each is declared once, and every surface shows these.

import AASA
import Foundation

/// One reason, in words.
package struct DeviceReason: Equatable, Sendable {
    /// Stable: programs compare it.
    package let id: String
    package let what: String
    /// How to find out, and what helps.
    package let test: Test
    /// A link to Apple's statement.
    package let source: String

    package enum Test: Equatable, Sendable {
        case steps(String)
        /// To copy and run in this order.
        case commands([String])

        package var text: String {
            switch self {
            case .steps(let text): text
            case .commands(let commands): commands.joined(separator: ", then ")
            }
        }
    }
}

/// A link that somebody tapped.
package struct TappedLink: Equatable, Sendable {
    package let url: String
    /// The host of the URL.
    package let host: Domain
    /// The domain whose file decides: the host, or a domain above it.
    package let domain: Domain
    package let mode: AssociationMode
    /// The app that opens the link according to the file that phones use; nil if there is no such file.
    package let app: String?
    package let otherApps: [String]

    package init(
        url: String, host: Domain, domain: Domain, mode: AssociationMode, app: String?, otherApps: [String] = []
    ) {
        self.url = url
        self.host = host
        self.domain = domain
        self.mode = mode
        self.app = app
        self.otherApps = otherApps
    }

    /// The associated domain that the app must have.
    var entitlement: String {
        "applinks:" + (host == domain ? "" : "*.") + domain.name + (mode.readsCDN ? "" : "?mode=\(mode.rawValue)")
    }

    /// The domain whose subdomains, including this host, an app may claim together; nil if the host is not a subdomain.
    var wildcardDomain: Domain? {
        let labels = host.name.split(separator: ".")
        // The shortest first. No app can claim a registry's own name, such as co.uk.
        return labels.indices.dropFirst().reversed().lazy.map { labels[$0...].joined(separator: ".") }.first { name in
            (try? Domain("a.\(name)"))?.isSameSite(as: "b.\(name)") ?? false
        }.flatMap { try? Domain($0) }
    }
}

extension DeviceReason {
    /// The reasons that may apply to a link, the likeliest first.
    package static func possible(for link: TappedLink) -> [DeviceReason] {
        declarations.filter { $0.canBeTrue(link) }.map {
            DeviceReason(id: $0.id, what: $0.what(link), test: $0.test(link), source: $0.source)
        }
    }

    /// All identifiers, in the same order.
    package static var identifiers: [String] { declarations.map(\.id) }

    private struct Declaration: Sendable {
        let id: String
        let source: String
        var canBeTrue: @Sendable (TappedLink) -> Bool = { $0.app != nil }
        let what: @Sendable (TappedLink) -> String
        let test: @Sendable (TappedLink) -> DeviceReason.Test
    }

    private static let declarations: [Declaration] = [
        Declaration(
            id: "alternate-mode", source: LintReference.configuringDomain,
            canBeTrue: { $0.app != nil && !$0.mode.readsCDN },
            what: { $0.mode.needs },
            test: { link in
                .steps(
                    link.mode == .managed
                        ? "Check whether device management lists the app as managed, and whether the entitlement is there."
                        : "Turn on Settings > Developer > Associated Domains Development, and install the app from Xcode."
                )
            }),
        Declaration(
            id: "address-bar", source: LintReference.technote,
            what: { _ in "The URL was typed or pasted into the browser's address bar. This never opens an app." },
            test: { _ in .steps("Paste the URL into Notes, and tap it there.") }),
        Declaration(
            id: "same-domain", source: LintReference.technote,
            what: { link in
                "The link was tapped on a page of \(link.host). Safari then stays on the website, and shows a banner at most."
            },
            test: { _ in
                .steps(
                    "Tap the same link in Notes or Messages. If your own pages must open the app, let them link to another "
                        + "subdomain that the app claims too.")
            }),
        Declaration(
            id: "chose-website", source: LintReference.technote,
            what: { link in
                "The person once chose the browser after a long press on a link. The phone keeps this choice for all links of "
                    + "\(link.host)."
            },
            test: { _ in
                .steps(
                    "Paste the URL into Notes, press and hold it, and choose to open it in the app: the phone keeps this choice "
                        + "too. If Notes does not offer the app, one of the next reasons applies.")
            }),
        Declaration(
            id: "file-not-read-yet", source: LintReference.technote,
            what: { link in
                let time =
                    link.mode.readsCDN
                    ? "It asks Apple's CDN when the app is installed (TestFlight and App Store alike), and then about once a week."
                    : "It asks your server when the app is installed."
                return
                    "The phone does not have this file yet. \(time) Right after an installation the file may still be on its way."
            },
            test: { _ in
                .steps(
                    "Delete the app, install it again, wait a minute, and tap the link. Settings > Developer > Universal Links > "
                        + "Diagnostics says whether the URL is valid for an installed app.")
            }),
        Declaration(
            id: "entitlement-missing",
            source:
                "https://developer.apple.com/documentation/bundleresources/entitlements/com.apple.developer.associated-domains",
            what: { link in
                "The installed app is signed without \(link.entitlement): another build, another target, or a provisioning "
                    + "profile without Associated Domains."
            },
            test: { _ in
                .commands([
                    "codesign -d --entitlements - --xml App.app > App.entitlements",
                    "aasa-monitor audit --entitlements App.entitlements",
                ])
            }),
        Declaration(
            id: "another-app", source: LintReference.associatedDomains,
            what: { link in
                let app = link.app?.inSentence ?? ""
                guard !link.otherApps.isEmpty else {
                    return
                        "The installed app is not \(app). A debug or enterprise build often has a bundle ID or a team of its own."
                }
                return
                    "Another app opened: \(link.otherApps.map(\.inSentence).listed(upTo: 3)) may open this URL too. Apple "
                    + "says that if several are installed, the first in the file counts, and that is \(app)."
            },
            test: { link in
                .steps(
                    "Compare application-identifier in the signed app's entitlements with \(link.app?.inSentence ?? ""), letter by "
                        + "letter.")
            }),
        Declaration(
            id: "wildcard", source: LintReference.technote,
            canBeTrue: {
                ($0.app != nil || $0.host == $0.domain) && ($0.host != $0.domain || $0.wildcardDomain != nil)
            },
            what: { link in
                if link.host != link.domain {
                    return
                        "The app claims applinks:\(link.host), but not \(link.entitlement). Then the phone reads the file of "
                        + "\(link.host), not this one."
                }
                let apex = link.wildcardDomain ?? link.domain
                return
                    "The app claims only applinks:*.\(apex). Then the phone reads the file of \(apex), not the one of "
                    + "\(link.host)."
            },
            test: { link in
                let url = link.url.inSentence
                let apex = link.wildcardDomain ?? link.domain
                return .commands([
                    link.host != link.domain
                        ? "aasa-monitor check --why '\(url)'" : "aasa-monitor check 'applinks:*.\(apex)' --why '\(url)'"
                ])
            }),
        Declaration(
            id: "redirecting-link", source: LintReference.technote,
            what: { link in
                "The tapped link is a different one that redirects here: mail and ad services put their own domain in front. "
                    + "The phone decides by that domain, so the browser opens first, and may stay open."
            },
            test: { _ in
                .steps(
                    "Press and hold the link, and read its domain. Check that link with aasa-monitor check --why, or send yours without click tracking."
                )
            }),
        Declaration(
            id: "in-app-browser", source: LintReference.archivedGuide,
            what: { _ in
                "Another app showed the URL in a web view (WKWebView, SFSafariViewController). What an app loads there itself "
                    + "opens the website; only a tap on a link in the page opens the app. If an app opens its own URL, that "
                    + "opens the website too."
            },
            test: { _ in .steps("Tap the same link in Notes. If the app opens, the other app is the reason.") }),
        Declaration(
            id: "other-browser", source: LintReference.technote,
            what: { _ in "The browser is not Safari. Other browsers decide for themselves whether links open apps." },
            test: { _ in .steps("Open the same page in Safari, and tap the link there.") }),
        Declaration(
            id: "international-name", source: "https://developer.apple.com/forums/thread/807695",
            canBeTrue: { $0.app != nil && $0.domain.name.contains("xn--") },
            what: { link in
                "The domain has an international name (\(link.domain.unicodeName)). Developers report that iOS 16 and later never "
                    + "ask for the files of such names."
            },
            test: { _ in .steps("Serve the same file under an ASCII name, and try a link to it.") }),
        Declaration(
            id: "old-system", source: "https://developer.apple.com/videos/play/wwdc2020/10098/",
            canBeTrue: { $0.app != nil && $0.mode.readsCDN },
            what: { _ in
                "The phone has iOS 13 or earlier. It asks your server itself, not Apple's CDN, so a firewall or a geo rule can "
                    + "block it."
            },
            test: { link in
                .steps(
                    "Check the iOS version in Settings > General > About. If it is 13 or earlier, open "
                        + "\(link.domain.wellKnownURL) from the phone's own network."
                )
            }),
        Declaration(
            id: "browser-app", source: LintReference.technote,
            what: { _ in
                "The app is a web browser (entitlement com.apple.developer.web-browser). Apple does not let browsers claim "
                    + "universal links."
            },
            test: { _ in .steps("Look for that key in the signed app's entitlements.") }),
        // Last: it confirms the others, but takes ten minutes to make.
        Declaration(
            id: "device-report", source: LintReference.technote,
            what: { _ in
                "The phone's own report shows the reason: which file the phone has, when it asks again, and what the person chose. "
                    + "It is swcutil_show.txt in a sysdiagnose."
            },
            test: { .commands(["aasa-monitor device sysdiagnose.tar.gz --why '\($0.url.inSentence)'"]) }),
    ]
}

extension Effect {
    /// Whether phones use a correct file, so that a remaining fault is on the phone.
    package var linksWork: Bool { if case .work = links { true } else { false } }
}
