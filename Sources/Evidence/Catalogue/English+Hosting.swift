// What hosting platforms, bot protections and Cloudflare say of themselves, and what to do there.

extension English {
    // MARK: - Hosting platforms

    static func why(_ fault: HostingFault, _ status: Int) -> String {
        let platform = fault.platform.rawValue
        let word = fault.word.map { ": \($0)" } ?? ""
        return switch fault.meaning {
        case .missing: "There is no file at the origin. \(platform) answers with status \(status)\(word)."
        case .missingOrPrivate:
            "The file is not there, or not public. \(platform) answers both with the same status (\(status)\(word))."
        case .dotFolderDropped:
            "There is no file at the origin (\(status)). \(platform), which serves it, leaves out folders whose names begin "
                + "with a dot, unless its configuration says otherwise."
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
        case .netlify, .gitHubPages, .firebase: "site"
        }
    }

    static func action(_ fault: HostingFault) -> String {
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
            "Take \"**/.*\" out of \"ignore\" in firebase.json, so that .well-known is uploaded. Then deploy again."
        case (.dotFolderDropped, _): "Make the build or upload step include .well-known. Then deploy again."
        case (.unknownSite, _):
            "Add the domain there, or point its DNS records to where the site is now. Until then somebody else may be able "
                + "to claim it."
        case (.stopped, _): "Switch it on again there. Its dashboard says why it is off."
        case (.failing, _): "See its log there. Serve the file as a static file, so that it does not need the program."
        }
    }

    // MARK: - Bot protections

    static func why(_ protection: BotProtection, _ status: Int) -> String {
        switch protection.kind {
        case .challenge:
            "A bot protection of \(protection.vendor.rawValue) challenges this machine in place of the file (status "
                + "\(status), \(protection.sign))."
        case .refusal:
            "A bot protection of \(protection.vendor.rawValue) refuses this machine (status \(status), "
                + "\(protection.sign))."
        }
    }

    static func passing(_ agent: AgentLook.Agent?, _ place: String?) -> String {
        if let agent { return " The user agent \(agent.shortName) gets the file." }
        return place.map { " The file is there from \($0)." } ?? ""
    }

    static func action(_ protection: BotProtection) -> String {
        "Exempt /.well-known/apple-app-site-association from challenges and bot protection, for every client."
            + (protection.vendor == .cloudflare
                ? " In Cloudflare add a skip rule for this path, Bot Fight Mode included." : "")
    }

    // MARK: - Cloudflare's own statuses

    /// As documented: https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-5xx-errors/
    static func behindCloudflare(_ status: Int) -> String {
        switch status {
        case 520: "Cloudflare gets an answer from the server behind it that it does not understand (520)"
        case 521: "The server behind Cloudflare refuses its connections (521)"
        case 522: "The server behind Cloudflare does not take its connection in time (522)"
        case 523: "Cloudflare has no route to the server behind it (523)"
        case 524: "The server behind Cloudflare takes the request and does not answer in time (524)"
        case 525: "The TLS handshake between Cloudflare and the server behind it fails (525)"
        case 526: "Cloudflare does not trust the certificate of the server behind it (526)"
        case 530:
            "Cloudflare does not find the server behind it (530): its name does not resolve, or its tunnel is down"
        default: "Cloudflare has trouble with the server behind it (\(status))"
        }
    }

    static func actionBehindCloudflare(_ status: Int) -> String {
        switch status {
        case 520: "See that server's error log: crashes, empty answers, headers that are too large."
        case 521, 522, 523:
            "See whether that server runs, whether its address in Cloudflare's DNS is right, and whether its firewall lets "
                + "Cloudflare's addresses in."
        case 524: "Find out why that server is so slow, or serve the file from Cloudflare's cache."
        case 525: "Enable TLS 1.2 or 1.3 on that server, on port 443, with a certificate for the domain."
        case 526:
            "Install a certificate on that server which is valid for the domain: of a public authority, or of Cloudflare's "
                + "Origin CA."
        case 530: "Correct the server's name or address in Cloudflare's DNS, or start its tunnel."
        default: "See that server's error log, and its record in Cloudflare's DNS."
        }
    }
}
