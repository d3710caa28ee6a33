// Opens the web page of an expected URL as the browser of a person without the app does.

import Curl
import Evidence
import Foundation

struct PageProbe: Sendable {
    let driver: CurlDriver
    let settings: ProbeSettings

    /// Only status and target matter, so no more of the page is read.
    private static let bodyLimit = 65_536
    /// Some sites turn unknown agents away; the probe must see what a person sees.
    private static let userAgent =
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
        + "Version/18.5 Mobile/15E148 Safari/604.1"

    /// Follows HTTPS redirects up to an App Store link, which counts as reached and is not requested.
    func open(_ url: String, timeout: Duration) async throws -> PageResult {
        let redirects = Redirects(
            driver: driver,
            request: { url, left, policy in
                TransferRequest(
                    url: url, userAgent: Self.userAgent,
                    limits: TransferLimits(connectTimeout: left, totalTimeout: left, bodyBytes: Self.bodyLimit),
                    family: settings.family, addressPolicy: policy)
            }, isArrival: Self.isAppStore)
        let walk = try await redirects.walk(from: url, timeout: timeout)
        var retrieval = walk.fetched.retrieval
        // The page's text is not kept.
        if case .answered(var answer) = retrieval.outcome {
            answer.body.hash = nil
            retrieval.outcome = .answered(answer)
        }
        return PageResult(url: url, retrieval: retrieval, appStore: walk.arrival)
    }

    private static func isAppStore(_ target: String) -> Bool {
        guard let parts = CurlURL.components(target) else {
            return ["itms-apps:", "itms-appss:"].contains { target.lowercased().hasPrefix($0) }
        }
        if ["itms-apps", "itms-appss"].contains(parts.scheme) { return true }
        return parts.scheme == "https"
            && ["apps.apple.com", "itunes.apple.com", "appclip.apple.com"].contains(parts.host)
    }
}
