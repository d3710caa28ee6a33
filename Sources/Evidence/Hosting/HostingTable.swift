// Answers of hosting platforms that are not a file: how each is recognised, and what it means. HostingFault.swift has
// the advice. The platform's error header comes first, then the code in an XML error, then words of a page, then the
// server's name. docs/reference/rules.md shows the table, and a test compares the two.

enum HostingTable {
    struct Row: Sendable {
        let platform: HostingPlatform
        let meaning: HostingMeaning
        let sign: AnswerPattern

        /// No code and no words: there is nothing to quote.
        var isByServerAlone: Bool {
            sign.code == nil && sign.words.isEmpty
                && sign.headers.allSatisfy { ["server", "vary"].contains($0.name) }
        }
    }

    static let rows = byHeader + byCode + byWords + byServer

    // MARK: - The platform's error header

    /// Amazon S3 sends its header from website endpoints, and answers 403 for a missing object without list permission.
    /// Vercel documents its codes and statuses; the header is known from recorded answers.
    private static let byHeader: [Row] = [
        row(.amazonS3, .missingOrPrivate, 403, .init("x-amz-error-code", "AccessDenied")),
        row(.amazonS3, .missing, 404, .init("x-amz-error-code", "NoSuchKey")),
        row(.amazonS3, .unknownSite, 404, .init("x-amz-error-code", "NoSuchBucket")),
        azure(.missing, 404, "BlobNotFound"),
        azure(.missing, 404, "WebContentNotFound"),
        azure(.missingOrPrivate, 404, "ResourceNotFound"),
        azure(.missingOrPrivate, 409, "PublicAccessNotPermitted"),
        azure(.unknownSite, 404, "ContainerNotFound"),
        azure(.stopped, 403, "AccountIsDisabled"),
        vercel(.unknownSite, 404, "DEPLOYMENT_NOT_FOUND"),
        vercel(.unknownSite, 410, "DEPLOYMENT_DELETED"),
        vercel(.stopped, 402, "DEPLOYMENT_DISABLED"),
        vercel(.stopped, 503, "DEPLOYMENT_PAUSED"),
        vercel(.stopped, 403, "DEPLOYMENT_BLOCKED"),
        vercel(.missing, 404, "NOT_FOUND"),
        vercel(.failing, 500, "FUNCTION_INVOCATION_FAILED"),
        vercel(.failing, 504, "FUNCTION_INVOCATION_TIMEOUT"),
        vercel(.failing, 500, "MIDDLEWARE_INVOCATION_FAILED"),
        vercel(.failing, 504, "MIDDLEWARE_INVOCATION_TIMEOUT"),
    ]

    private static func azure(_ meaning: HostingMeaning, _ status: Int, _ code: String) -> Row {
        row(
            .azureStorage, meaning, status, .init("x-ms-error-code", code),
            documented: "https://learn.microsoft.com/rest/api/storageservices/common-rest-api-error-codes")
    }

    private static func vercel(_ meaning: HostingMeaning, _ status: Int, _ code: String) -> Row {
        row(.vercel, meaning, status, .init("x-vercel-error", code), documented: "https://vercel.com/docs/errors")
    }

    private static func row(
        _ platform: HostingPlatform, _ meaning: HostingMeaning, _ status: Int, _ header: AnswerPattern.Header? = nil,
        code: String? = nil, words: [String] = [], documented page: String? = nil
    ) -> Row {
        let sign = AnswerPattern(status...status, header, code: code, words: words, documented: page)
        return Row(platform: platform, meaning: meaning, sign: sign)
    }

    // MARK: - The code in an XML error

    /// A CloudFront distribution passes the server's name on; its own refusals name CloudFront.
    private static let byCode: [Row] = [
        s3(.missingOrPrivate, 403, "AccessDenied"),
        s3(.missing, 404, "NoSuchKey"),
        s3(.unknownSite, 404, "NoSuchBucket"),
        google(.missingOrPrivate, 403, "AccessDenied"),
        google(.missing, 404, "NoSuchKey"),
        google(.unknownSite, 404, "NoSuchBucket"),
    ]

    private static func s3(_ meaning: HostingMeaning, _ status: Int, _ code: String) -> Row {
        row(
            .amazonS3, meaning, status, .init("server", "AmazonS3"), code: code,
            documented: "https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html")
    }

    private static func google(_ meaning: HostingMeaning, _ status: Int, _ code: String) -> Row {
        row(
            .googleCloudStorage, meaning, status, .init("x-guploader-uploadid"), code: code,
            documented: "https://docs.cloud.google.com/storage/docs/xml-api/reference-status")
    }

    // MARK: - Words of a page

    private static let heroku = "https://devcenter.heroku.com/articles/error-pages"

    private static let byWords: [Row] = [
        row(.heroku, .unknownSite, 404, words: ["no-such-app.html", "<title>No such app</title>"], documented: heroku),
        row(.heroku, .failing, 503, words: ["herokucdn.com/error-pages/application-error.html"], documented: heroku),
        row(.fastly, .unknownSite, 500, words: ["Fastly error: unknown domain"]),
        row(.azureAppService, .unknownSite, 404, words: ["404 Web Site not found"]),
        row(.azureAppService, .stopped, 403, words: ["This web app is stopped"]),
        row(.gitHubPages, .unknownSite, 404, gitHubPages, words: ["There isn't a GitHub Pages site here"]),
        row(.netlify, .unknownSite, 404, netlify, words: ["Not Found - Request ID"]),
        row(.firebase, .unknownSite, 404, firebase, words: ["Site Not Found"]),
        row(.iis, .missing, 404, words: ["HTTP Error 404.0"], documented: iis),
        row(
            .iis, .extensionRefused, 404, words: ["HTTP Error 404.3", "Error 404.3", "404.3 - Not Found"],
            documented: iis),
    ]

    // MARK: - Only the server's name

    private static let gitHubPages = AnswerPattern.Header("server", "GitHub.com")
    private static let netlify = AnswerPattern.Header("server", "Netlify")
    private static let firebase = AnswerPattern.Header("vary", "x-fh-requested-host")

    /// Netlify, Vercel and S3 publish `.well-known` like any folder: https://github.com/netlify/cli keeps it among the
    /// files that begin with a dot.
    private static let byServer: [Row] = [
        row(
            .gitHubPages, .dotFolderDropped, 404, gitHubPages,
            documented: "https://docs.github.com/en/pages/setting-up-a-github-pages-site-with-jekyll/"
                + "about-github-pages-and-jekyll"),
        row(
            .firebase, .dotFolderDropped, 404, firebase,
            documented: "https://firebase.google.com/docs/hosting/full-config#ignore"),
        row(.netlify, .missing, 404, netlify),
        row(.iis, .extensionRefused, 404, .init("server", "Microsoft-IIS"), documented: iis),
    ]

    private static let iis =
        "https://learn.microsoft.com/troubleshoot/developer/webapps/iis/site-behavior-performance/http-status-code"
}

/// The domain suffixes that clouds give to hosted sites. An alias of a name that no longer exists is an abandoned site,
/// and in some clouds anybody may claim the name.
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
