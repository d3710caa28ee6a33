// A hosting platform's own reason why it serves no file. This is better evidence than the status, whose meaning differs
// by platform.

import Facts
import Foundation

package enum HostingPlatform: String, Codable, Sendable, CaseIterable {
    case amazonS3 = "Amazon S3"
    case googleCloudStorage = "Google Cloud Storage"
    case azureStorage = "Azure Storage"
    case azureAppService = "Azure App Service"
    case vercel = "Vercel"
    case netlify = "Netlify"
    case heroku = "Heroku"
    case fastly = "Fastly"
    case gitHubPages = "GitHub Pages"
    case firebase = "Firebase Hosting"
    case iis = "Microsoft IIS"
}

package enum HostingMeaning: String, Codable, Sendable, CaseIterable {
    /// The site exists, this file does not.
    case missing
    /// The file does not exist, or is not public: the platform does not distinguish the two.
    case missingOrPrivate = "missing_or_private"
    /// As `missing`; and the platform skips folders whose names begin with a dot, unless configured otherwise.
    case dotFolderDropped = "dot_folder_dropped"
    /// As `missing`; or the file is there, and the server refuses it: it has no extension, so no MIME type.
    case extensionRefused = "extension_refused"
    /// The domain leads to the platform, which has no site, bucket or app for it.
    case unknownSite = "unknown_site"
    /// The site is switched off: paused, blocked, unpaid.
    case stopped
    /// The platform runs the site's program, which does not answer.
    case failing

    var diagnosis: DiagnosisID {
        switch self {
        case .missing, .missingOrPrivate: .notDeployed
        case .dotFolderDropped: .dotFolderDropped
        case .extensionRefused: .extensionRefused
        case .unknownSite: .siteUnknown
        case .stopped: .siteStopped
        case .failing: .siteFailing
        }
    }

    /// Whether Apple's crawler finds no file, and Apple's CDN then caches that.
    var hasNoFile: Bool {
        switch self {
        case .missing, .missingOrPrivate, .dotFolderDropped, .extensionRefused, .unknownSite: true
        case .stopped, .failing: false
        }
    }
}

package struct HostingFault: Codable, Equatable, Sendable {
    package var platform: HostingPlatform
    package var meaning: HostingMeaning
    /// The platform's own code or words; nil if only the status and the platform are known.
    package var word: String?
    /// The domain, if the platform itself gave the name, such as acme.github.io.
    package var ownName: String?

    package init(_ platform: HostingPlatform, _ meaning: HostingMeaning, word: String? = nil) {
        self.platform = platform
        self.meaning = meaning
        self.word = word
    }
}

/// A fault and what identified it.
struct HostingMatch {
    let fault: HostingFault
    let matches: [HeaderField]

    /// `content`: of the answer's body, if it is known. `ownName`: the domain, if a platform gave it.
    init?(_ answer: Answer, _ content: Data?, at ownName: String? = nil) {
        guard answer.status >= 400 else { return nil }
        let body = AnswerBody(content)
        for row in HostingTable.rows {
            guard let matches = row.sign.matches(in: answer, body) else { continue }
            let word = row.isByServerAlone ? nil : matches.first?.value.inSentence
            var fault = HostingFault(row.platform, row.meaning, word: word)
            fault.ownName = ownName
            self.fault = fault
            self.matches = matches
            return
        }
        return nil
    }
}

extension Readings {
    /// What the hosting platform says, if the last request to the origin reached one.
    var hosting: HostingMatch? {
        guard let answer = observation.origin.answer else { return nil }
        let name = observation.domain.name
        return HostingMatch(answer, content(of: answer), at: CloudNames.service(of: name) == nil ? nil : name)
    }

    func content(of answer: Answer) -> Data? { answer.body.hash.flatMap { observation.contents[$0] } }
}

// MARK: - Words

extension English {
    static func words(_ fault: HostingFault, _ status: Int) -> Words { Words(why(fault, status), action(fault)) }

    private static func why(_ fault: HostingFault, _ status: Int) -> String {
        let platform = fault.platform.rawValue
        let word = fault.word.map { ": \($0)" } ?? ""
        return switch fault.meaning {
        case .missing: "There is no file at the origin. \(platform) answers with status \(status)\(word)."
        case .missingOrPrivate:
            "The file is missing or not public. \(platform) answers both with the same status (\(status)\(word))."
        case .dotFolderDropped:
            "There is no file at the origin (\(status)). \(platform) leaves out folders whose names begin with a dot, unless "
                + "configured otherwise."
        case .extensionRefused:
            "There is no file at the origin (\(status)\(word)), or \(platform) refuses it: the file has no extension, and IIS "
                + "only serves extensions that have a MIME type."
        case .unknownSite where fault.ownName != nil:
            "\(platform) has no \(thing(fault.platform)) at the root of \(fault.ownName ?? "") (\(status)\(word))."
        case .unknownSite:
            "The domain leads to \(platform), which has no \(thing(fault.platform)) for it (\(status)\(word))."
        case .stopped: "\(platform) has switched the site off (\(status)\(word))."
        case .failing: "The site's program at \(platform) fails (\(status)\(word))."
        }
    }

    private static func thing(_ platform: HostingPlatform) -> String {
        switch platform {
        case .amazonS3, .googleCloudStorage: "bucket"
        case .azureStorage: "container"
        case .heroku, .azureAppService: "app"
        case .fastly: "service"
        case .vercel: "deployment"
        case .netlify, .gitHubPages, .firebase, .iis: "site"
        }
    }

    private static func action(_ fault: HostingFault) -> String {
        switch (fault.meaning, fault.platform) {
        case (.missing, .azureStorage): "Upload it to the container $web as .well-known/apple-app-site-association."
        case (.missing, .vercel):
            "Put it into the folder that is deployed, as public/.well-known/apple-app-site-association. Then deploy again."
        case (.missing, .netlify):
            "Put it into the publish directory as .well-known/apple-app-site-association. Then deploy again."
        case (.missing, _): "Upload it to .well-known/apple-app-site-association."
        case (.missingOrPrivate, _):
            "Upload it to .well-known/apple-app-site-association, and let everybody read it (in the bucket's or "
                + "container's policy)."
        case (.dotFolderDropped, .gitHubPages):
            "Add an empty file .nojekyll. If upload-pages-artifact deploys the site, set include-hidden-files. Then deploy "
                + "again."
        case (.dotFolderDropped, .firebase):
            "Remove \"**/.*\" from \"ignore\" in firebase.json. Then deploy again."
        case (.dotFolderDropped, _): "Make the build or upload step include .well-known. Then deploy again."
        case (.extensionRefused, _):
            "Deploy it if it is missing. Then give it a type, in web.config in the folder .well-known: <staticContent><mimeMap "
                + "fileExtension=\".\" mimeType=\"application/json\" /></staticContent>."
        case (.unknownSite, .gitHubPages) where fault.ownName != nil: projectPage(fault.ownName ?? "")
        // The name is the platform's own: it has no records to change, and nobody else can claim it.
        case (.unknownSite, _) where fault.ownName != nil:
            "Deploy a site under this name there, with the file, or give the site a domain of your own."
        case (.unknownSite, _):
            "Add the domain there, or point its DNS records to where the site is now. Until then somebody else may be able "
                + "to claim it."
        case (.stopped, _): "Switch it on again there. The dashboard says why it is off."
        case (.failing, _): "Check its log there. Serve the file as a static file, which does not need the program."
        }
    }

    /// The page of a project lies below the root of its owner's name.
    /// https://docs.github.com/en/pages/getting-started-with-github-pages/what-is-github-pages
    static func projectPage(_ name: String) -> String {
        "Put the file into the repository \(name): that is the root of the name, and Apple only looks there. Or give the "
            + "project's page a custom domain."
    }

    // MARK: - Cloudflare's own statuses

    /// https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-5xx-errors/
    static func behindCloudflare(_ status: Int) -> Words {
        Words("\(whyBehindCloudflare(status)).", actionBehindCloudflare(status))
    }

    private static func whyBehindCloudflare(_ status: Int) -> String {
        switch status {
        case 520: "Cloudflare gets an answer from the server behind it that it does not understand (520)"
        case 521: "The server behind Cloudflare refuses its connections (521)"
        case 522: "The server behind Cloudflare does not accept its connection in time (522)"
        case 523: "Cloudflare has no route to the server behind it (523)"
        case 524: "The server behind Cloudflare accepts the request but does not answer in time (524)"
        case 525: "The TLS handshake between Cloudflare and the server behind it fails (525)"
        case 526: "Cloudflare does not trust the certificate of the server behind it (526)"
        case 530:
            "Cloudflare does not find the server behind it (530): its name does not resolve, or its tunnel is down"
        default: "Cloudflare has trouble with the server behind it (\(status))"
        }
    }

    private static func actionBehindCloudflare(_ status: Int) -> String {
        switch status {
        case 520: "Check that server's error log: crashes, empty answers, headers that are too large."
        case 521, 522, 523:
            "Check whether that server runs, whether its address in Cloudflare's DNS is right, and whether its firewall lets "
                + "Cloudflare's addresses in."
        case 524: "Find out why that server is slow, or serve the file from Cloudflare's cache."
        case 525: "Enable TLS 1.2 or 1.3 on that server, on port 443, with a certificate for the domain."
        case 526:
            "Install a certificate on that server that is valid for the domain, from a public authority or Cloudflare's "
                + "Origin CA."
        case 530: "Correct the server's name or address in Cloudflare's DNS, or start its tunnel."
        default: "Check that server's error log, and its record in Cloudflare's DNS."
        }
    }
}
