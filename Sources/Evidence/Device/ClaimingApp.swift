// What an app's signature means for the domains that it claims, independent of their files.

import AASA
import Foundation

/// An app, as its entitlements show it.
package struct ClaimingApp: Sendable {
    /// nil if unknown; then no domain is asked about it.
    package var id: String?
    /// Whether it is an App Clip: then it names the app that it belongs to.
    package let isClip: Bool
    /// The App Clips that the app's signature names.
    package let clips: [String]
    /// Whether it is a web browser: the system ignores the universal links of browsers.
    /// https://developer.apple.com/documentation/technotes/tn3155-debugging-universal-links
    package let isBrowser: Bool
    /// Whether an app that a device management installed may use ?mode=managed.
    package let isManaged: Bool
    /// For TestFlight, the App Store, ad hoc or within a company; nil if the file does not say.
    package let isForDistribution: Bool?

    package init(
        id: String?, isClip: Bool, clips: [String], isBrowser: Bool, isManaged: Bool, isForDistribution: Bool?
    ) {
        self.id = id
        self.isClip = isClip
        self.clips = clips
        self.isBrowser = isBrowser
        self.isManaged = isManaged
        self.isForDistribution = isForDistribution
    }

    /// What to ask of a domain's file.
    package func asks(for service: String) -> AskedService {
        AskedService(service, for: id.map { .init($0, clips: isClip ? nil : clips) })
    }

    /// Why devices ignore an entry; nil if they read it. `claims`: all of the app.
    package func whyUnread(_ claim: AssociatedDomain, among claims: [AssociatedDomain]) -> DiagnosisText? {
        let fails = English.fails(claim.service).atStart
        if isBrowser, claim.service == "applinks" {
            return DiagnosisText(
                effect: "\(fails) in this app.",
                cause:
                    "The app is a web browser (com.apple.developer.web-browser): the system ignores its universal links.",
                action: "Remove the applinks entries; links open other apps from it as before.")
        }
        guard !mayUse(claim.mode), !claims.contains(where: { mayUse($0.mode) && $0.covers(claim) }) else { return nil }
        let isForStore = claim.mode == .developer
        let lacks = [
            claim.mode == .managed ? nil : "The app is signed for distribution.",
            isForStore ? nil : "The app lacks com.apple.developer.associated-domains.mdm-managed.",
        ].compactMap(\.self).joined(separator: " ")
        let plain = claim.inProduction.text
        return DiagnosisText(
            effect: "\(fails) in \(isForStore ? "TestFlight and the App Store" : "this app").",
            cause: "\(lacks) \(claim.mode.needs)",
            action: isForStore
                ? "Add \(plain) to the entitlements, and keep ?mode=developer for development builds."
                : "Add that entitlement, or \(plain), which every device reads.")
    }

    private func mayUse(_ mode: AssociationMode) -> Bool {
        switch mode {
        case .production: true
        case .developer: isForDistribution != true
        case .managed: isManaged
        case .developerManaged: isManaged || isForDistribution != true
        }
    }

    /// The entries that the app lacks although the file of a domain that it claims names it for their service. Without
    /// them the service does not work, even with a correct file.
    package func unclaimed(
        _ claims: [AssociatedDomain], _ file: (AssociatedDomain) -> ContentReading?
    ) -> [AssociatedDomain] {
        var found: [AssociatedDomain] = []
        for claim in claims {
            guard let content = file(claim) else { continue }
            for service in Association.knownServices.sorted() where service != "applinks" || !isBrowser {
                // Devices would also ignore a new entry with a mode that the app may not use.
                let entry = (mayUse(claim.mode) ? claim : claim.inProduction).of(service)
                let isClaimed = (claims + found).contains {
                    $0.service == service && $0.domain == claim.domain || $0.covers(entry)
                }
                if !isClaimed, asks(for: service).standing(in: content).works { found.append(entry) }
            }
        }
        return found
    }
}

extension AskedService.Standing {
    package var words: String {
        switch self {
        case .named: "names the app"
        case .namedClip: "names its App Clip"
        case .opensNothing: "names the app, opens no URL"
        case .notNamed: "does not name the app"
        }
    }
}

extension DiagnosisText {
    /// An app without a single entry. `why`: a sentence.
    package static func noAssociatedDomain(_ why: String) -> DiagnosisText {
        DiagnosisText(
            effect:
                "Phones connect the app to no domain: links open the website, and \(English.fails("webcredentials")).",
            cause: why,
            action:
                "Add the capability Associated Domains in Xcode, with an entry for each service and domain, such as "
                + "applinks:example.com, and sign the app again.")
    }

    /// An entry whose domain was not asked, and for which no file was given.
    package static func notChecked(_ domain: Domain) -> DiagnosisText {
        DiagnosisText(
            effect: "Whether the entry works is unknown: it was not checked.",
            action: "Name the file of \(domain): --file \(domain)=PATH.")
    }

    /// For a wildcard entry: people do not expect where its file is.
    /// https://developer.apple.com/documentation/technotes/tn3155-debugging-universal-links
    package static func scope(of claim: AssociatedDomain) -> String? {
        claim.isWildcard
            ? "For every host of \(claim.text) devices read the file of \(claim.domain). A host with its own file "
                + "needs its own entry, such as \(claim.service):www.\(claim.domain)." : nil
    }
}

extension AssociatedDomainFault {
    package var text: DiagnosisText {
        DiagnosisText(
            effect: isOfDeviceAlone
                ? "Whether the entry works is unknown: \(why)." : "The entry is not an associated domain: \(why).",
            action: write.isEmpty ? nil : "Write \(write.joined(separator: " and ")).")
    }
}
