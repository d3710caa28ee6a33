// What to do about each of Apple's failure codes.

enum CrawlerAdvice {
    static func fix(for failure: CrawlerFailure) -> String {
        switch failure.family {
        case .status:
            switch failure.originStatus {
            case 401, 403, 429, 503:
                "let the user agents AASA-Bot and CFNetwork pass your firewall or bot protection, from any address in "
                    + "the world"
            case 404, 410:
                "the file was not there when Apple asked; once it is, Apple asks again by itself"
            default:
                "make the origin answer every client with status 200"
            }
        case .address:
            "publish the domain on a public address; an internal host needs ?mode=developer or ?mode=managed in the app"
        case .network:
            "look for a firewall or geo rule that drops Apple's packets, a published IPv6 address that does not answer, "
                + "or a server that is too slow"
        case .content:
            "serve a valid JSON file to every client, with no HTML page in its place"
        case .unknown:
            "let every client in the world read the file over HTTPS, with status 200 and without redirects"
        }
    }
}
