// The answers of hosting platforms that are no file: how each is recognised, and what it means. What to do about it is in
// HostingFault.swift. The platform's error header comes first, then the code in an XML error, then words of a
// page, then the server's name alone. docs/rules.md shows the table, and a test compares the two.

enum HostingTable {
    struct Row: Sendable {
        let platform: HostingPlatform
        let meaning: HostingMeaning
        let sign: AnswerSign

        /// Neither code nor words: nothing that could be quoted.
        var isByServerAlone: Bool {
            sign.code == nil && sign.words.isEmpty
                && sign.headers.allSatisfy { ["server", "vary"].contains($0.name) }
        }
    }

    static let rows = byHeader + byCode + byWords + byServer

    // MARK: - The platform's error header

    private static let byHeader: [Row] =
        [
            s3(403, "AccessDenied", .missingOrPrivate), s3(404, "NoSuchKey", .missing),
            s3(404, "NoSuchBucket", .unknownSite),
        ]
        + [
            azure(404, "BlobNotFound", .missing), azure(404, "WebContentNotFound", .missing),
            azure(404, "ResourceNotFound", .missingOrPrivate),
            azure(409, "PublicAccessNotPermitted", .missingOrPrivate),
            azure(404, "ContainerNotFound", .unknownSite), azure(403, "AccountIsDisabled", .stopped),
        ]
        + [
            vercel(404, "DEPLOYMENT_NOT_FOUND", .unknownSite), vercel(410, "DEPLOYMENT_DELETED", .unknownSite),
            vercel(402, "DEPLOYMENT_DISABLED", .stopped), vercel(503, "DEPLOYMENT_PAUSED", .stopped),
            vercel(403, "DEPLOYMENT_BLOCKED", .stopped), vercel(404, "NOT_FOUND", .missing),
            vercel(500, "FUNCTION_INVOCATION_FAILED", .failing), vercel(504, "FUNCTION_INVOCATION_TIMEOUT", .failing),
            vercel(500, "MIDDLEWARE_INVOCATION_FAILED", .failing),
            vercel(504, "MIDDLEWARE_INVOCATION_TIMEOUT", .failing),
        ]

    /// The header is of website endpoints. Without the permission to list, a missing object is 403.
    private static func s3(_ status: Int, _ code: String, _ meaning: HostingMeaning) -> Row {
        Row(
            platform: .amazonS3, meaning: meaning,
            sign: AnswerSign(
                statuses: status...status, headers: [.init("x-amz-error-code", code)], source: .recorded))
    }

    private static func azure(_ status: Int, _ code: String, _ meaning: HostingMeaning) -> Row {
        Row(
            platform: .azureStorage, meaning: meaning,
            sign: AnswerSign(
                statuses: status...status, headers: [.init("x-ms-error-code", code)],
                source: .documented(
                    "https://learn.microsoft.com/rest/api/storageservices/common-rest-api-error-codes")))
    }

    /// The codes and statuses are documented; that the header carries them is recorded.
    private static func vercel(_ status: Int, _ code: String, _ meaning: HostingMeaning) -> Row {
        Row(
            platform: .vercel, meaning: meaning,
            sign: AnswerSign(
                statuses: status...status, headers: [.init("x-vercel-error", code)],
                source: .documented("https://vercel.com/docs/errors")))
    }

    // MARK: - The code in an XML error

    private static let s3Codes = "https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html"
    private static let googleCodes = "https://docs.cloud.google.com/storage/docs/xml-api/reference-status"

    /// A distribution of CloudFront passes the server's name on; its own refusals name CloudFront.
    private static let byCode: [Row] =
        [
            xml(.amazonS3, "server", "AmazonS3", 403, "AccessDenied", .missingOrPrivate, s3Codes),
            xml(.amazonS3, "server", "AmazonS3", 404, "NoSuchKey", .missing, s3Codes),
            xml(.amazonS3, "server", "AmazonS3", 404, "NoSuchBucket", .unknownSite, s3Codes),
            xml(.googleCloudStorage, "x-guploader-uploadid", "", 403, "AccessDenied", .missingOrPrivate, googleCodes),
            xml(.googleCloudStorage, "x-guploader-uploadid", "", 404, "NoSuchKey", .missing, googleCodes),
            xml(.googleCloudStorage, "x-guploader-uploadid", "", 404, "NoSuchBucket", .unknownSite, googleCodes),
        ]

    private static func xml(
        _ platform: HostingPlatform, _ header: String, _ part: String, _ status: Int, _ code: String,
        _ meaning: HostingMeaning, _ reference: String
    ) -> Row {
        Row(
            platform: platform, meaning: meaning,
            sign: AnswerSign(
                statuses: status...status, headers: [.init(header, part)], code: code, source: .documented(reference)))
    }

    // MARK: - Words of a page

    private static let heroku = "https://devcenter.heroku.com/articles/error-pages"

    private static let byWords: [Row] = [
        Row(
            platform: .heroku, meaning: .unknownSite,
            sign: AnswerSign(
                statuses: 404...404, words: ["no-such-app.html", "<title>No such app</title>"],
                source: .documented(heroku))),
        Row(
            platform: .heroku, meaning: .failing,
            sign: AnswerSign(
                statuses: 503...503, words: ["herokucdn.com/error-pages/application-error.html"],
                source: .documented(heroku))),
        Row(
            platform: .fastly, meaning: .unknownSite,
            sign: AnswerSign(
                statuses: 500...500, words: ["Fastly error: unknown domain"], source: .recorded)),
        Row(
            platform: .azureAppService, meaning: .unknownSite,
            sign: AnswerSign(
                statuses: 404...404, words: ["404 Web Site not found"], source: .recorded)),
        Row(
            platform: .azureAppService, meaning: .stopped,
            sign: AnswerSign(
                statuses: 403...403, words: ["This web app is stopped"], source: .recorded)),
        Row(
            platform: .gitHubPages, meaning: .unknownSite,
            sign: AnswerSign(
                statuses: 404...404, headers: [.init("server", "GitHub.com")],
                words: ["There isn't a GitHub Pages site here"], source: .recorded)),
        Row(
            platform: .netlify, meaning: .unknownSite,
            sign: AnswerSign(
                statuses: 404...404, headers: [.init("server", "Netlify")], words: ["Not Found - Request ID"],
                source: .recorded)),
        Row(
            platform: .firebase, meaning: .unknownSite,
            sign: AnswerSign(
                statuses: 404...404, headers: [.init("vary", "x-fh-requested-host")], words: ["Site Not Found"],
                source: .recorded)),
    ]

    // MARK: - The server's name alone

    /// Netlify, Vercel and S3 publish `.well-known` like any folder: https://github.com/netlify/cli keeps it among the
    /// files that begin with a dot.
    private static let byServer: [Row] = [
        Row(
            platform: .gitHubPages, meaning: .dotFolderDropped,
            sign: AnswerSign(
                statuses: 404...404, headers: [.init("server", "GitHub.com")],
                source: .documented(
                    "https://docs.github.com/en/pages/setting-up-a-github-pages-site-with-jekyll/"
                        + "about-github-pages-and-jekyll"))),
        Row(
            platform: .firebase, meaning: .dotFolderDropped,
            sign: AnswerSign(
                statuses: 404...404, headers: [.init("vary", "x-fh-requested-host")],
                source: .documented("https://firebase.google.com/docs/hosting/full-config#ignore"))),
        Row(
            platform: .netlify, meaning: .missing,
            sign: AnswerSign(statuses: 404...404, headers: [.init("server", "Netlify")], source: .recorded)),
    ]
}

/// The names that clouds give to what they host. An alias of one that no longer exists is a site that was given up there, and
/// in some clouds anybody may take the name.
enum CloudNames {
    static let suffixes: [(suffix: String, service: String)] = [
        ("azurewebsites.net", "Azure App Service"), ("cloudapp.azure.com", "Azure"), ("cloudapp.net", "Azure"),
        ("trafficmanager.net", "Azure Traffic Manager"), ("core.windows.net", "Azure Storage"),
        ("azureedge.net", "Azure CDN"), ("azurefd.net", "Azure Front Door"),
        ("azurestaticapps.net", "Azure Static Web Apps"),
        ("herokuapp.com", "Heroku"), ("herokudns.com", "Heroku"), ("elasticbeanstalk.com", "AWS Elastic Beanstalk"),
        ("elb.amazonaws.com", "AWS Load Balancing"), ("cloudfront.net", "Amazon CloudFront"), ("amazonaws.com", "AWS"),
        ("github.io", "GitHub Pages"), ("netlify.app", "Netlify"), ("vercel.app", "Vercel"),
        ("vercel-dns.com", "Vercel"), ("web.app", "Firebase Hosting"), ("firebaseapp.com", "Firebase Hosting"),
        ("run.app", "Google Cloud Run"), ("fly.dev", "Fly.io"), ("onrender.com", "Render"),
        ("pages.dev", "Cloudflare Pages"), ("fastly.net", "Fastly"),
    ]

    static func service(of name: String) -> String? {
        let name = name.lowercased()
        return suffixes.first { name == $0.suffix || name.hasSuffix("." + $0.suffix) }?.service
    }
}
