// A fleet of 32 domains of all kinds: as many as the overview can show on two screens.

import Evidence
import Facts
import Foundation
import Monitoring
import Storage
import TestSupport

extension StageScenes {
    private static let hour: TimeInterval = 3600
    private static let day: TimeInterval = 86400

    /// The twelve, and twenty more with other problems.
    package static func fleet(now: Date) -> [StageSite] {
        func site(_ name: String, team: String? = nil, _ change: (inout StageSite) -> Void = { _ in }) -> StageSite {
            var site = calm(
                name, versions: 1, last: 12.2 * day, took: 0, labels: team.map { ["team": $0] } ?? [:], now: now)
            change(&site)
            return site
        }
        func failing(_ name: String, team: String? = nil, for hours: Double, _ reply: Reply) -> StageSite {
            site(name, team: team) { site in
                site.deploys.append((now - hours * hour, reply))
                site.pickUps.append(Array(repeating: nil, count: 8))
            }
        }
        /// What its origin has served since the beginning.
        func always(_ name: String, _ reply: Reply) -> StageSite {
            site(name) { $0.deploys = [($0.deploys[0].at, reply.expiring(at: now + 53 * day))] }
        }
        let page = Reply.file("<!doctype html><title>Shop</title><p>Not here</p>").with {
            $0.headers["Content-Type"] = "text/html"
        }
        let many = (0..<7000).map { "/product/\($0)" }
        let lost = Reply.crawler("SWCERR00101 Bad HTTP Response: 503 Service Unavailable")
        func lateFile(_ name: String) -> Reply {
            let app = "9JA89QQLNQ." + name.split(separator: ".").reversed().joined(separator: ".")
            return associationFile(app, ["/open/*", "/www/*"]).expiring(at: now + 53 * day)
        }
        func late(_ name: String, _ hours: Double, has: Int) -> StageSite {
            site(name, team: "travel") { site in
                site.deploys.append((now - hours * hour, lateFile(name)))
                site.pickUps.append((0..<8).map { $0 < has ? hour : nil })
                site.extraChecks = [now - hours * hour - 60]
            }
        }
        /// All edges give this answer since so many hours.
        func edges(_ site: StageSite, for hours: Double, _ reply: Reply) -> StageSite {
            var site = site
            for edge in 0..<8 { site.edgeTroubles.append((edge, now - hours * hour, .distantFuture, reply)) }
            return site
        }
        let content = Reply.crawler("SWCERR00401 Bad JSON content")
        let lint = Reply.file(
            #"{"applinks": {"details": [{"appIDs": ["com.example.app"], "components": [{"/": "/a/*"}]}]}}"#)
        var flapping = site("flap.example") { site in
            site.deploys += [(now - 11.1 * hour, .status(503)), (now - 0.1 * hour, site.deploys[0].reply)]
            site.pickUps += [Array(repeating: nil, count: 8), Array(repeating: 0, count: 8)]
        }
        flapping.extraChecks = [now - 240, now - 180, now - 120]
        return twelve(now: now) + [
            edges(failing("html.example", team: "growth", for: 24.9, page), for: 23, content),
            edges(
                failing("big.example", team: "growth", for: 290, associationFile("9JA89QQLNQ.example.big", many)),
                for: 288, .crawler("SWCERR00402 File too large")),
            edges(failing("ack.example", for: 8, .status(503)), for: 7.5, lost),
            edges(failing("silent.example", for: 9, .status(500)), for: 8.5, lost),
            late("www.travel.example", 40, has: 0), late("edge.example", 73, has: 0),
            edges(site("divergent.example", team: "growth"), for: 41.6, lateFile("divergent.example")),
            failing("cert.shop.example", for: 13, .certificate(.expired)),
            failing("api.old.example", for: 290, .failed(.nameNotFound, .resolving)),
            failing("broken.example", for: 30, .status(500)),
            failing("timeout.example", for: 22, .failed(.timedOut)),
            failing("slow.example", for: 21, .failed(.timedOut)),
            edges(failing("blind.example", for: 4, .failed(.timedOut)), for: 4, .failed(.timedOut)),
            site("new.example") { $0.deploys = [(now - 12.2 * day, .status(404))] }.withoutCopies(now - 12.3 * day),
            always("lint.example", lint), always("xn--wgv71a119e.example", lint),
            site("redirect.example") { site in
                site.deploys = site.deploys.map { ($0.at, $0.reply.redirected(to: "https://www.redirect.example/")) }
            },
            site("reverted.example") { site in
                site.deploys += [(now - 9 * day, .status(503)), (now - 8.8 * day, site.deploys[0].reply)]
                site.pickUps += [Array(repeating: nil, count: 8), Array(repeating: 0, count: 8)]
            }, flapping, site("quiet.example"),
        ]
    }
}

extension StageSite {
    fileprivate func withoutCopies(_ instant: Date) -> StageSite {
        var site = self
        for edge in 0..<8 {
            site.edgeTroubles.append(
                (edge, instant, .distantFuture, .crawler("SWCERR00101 Bad HTTP Response: 404 Not Found")))
        }
        return site
    }
}
