// The domains of the charts: one for each state, with a history.

import Evidence
import Facts
import Foundation
import TestSupport

package enum StageScenes {
    private static let hour: TimeInterval = 3600
    private static let day: TimeInterval = 86400

    /// A site whose changes took up to `took`; the last one began `last` ago.
    static func calm(
        _ name: String, versions: Int, last: TimeInterval, took: TimeInterval, labels: [String: String] = [:], now: Date
    ) -> StageSite {
        let app = "9JA89QQLNQ." + name.split(separator: ".").reversed().joined(separator: ".")
        var deploys: [(at: Date, reply: Reply)] = []
        for index in 0..<versions {
            let reply = associationFile(app, ["/open/*", "/v\(index)/*"]).expiring(at: now + 53 * day)
            deploys.append((now - last - Double(versions - 1 - index) * 4 * day, reply))
        }
        var pickUps: [[TimeInterval?]] = []
        for index in 0..<versions {
            let share = index == 0 ? 0 : index == versions - 1 ? 1 : 0.6 + 0.13 * Double(index % 5)
            let slowest: TimeInterval = took * share
            pickUps.append((0..<8).map { edge in slowest * Double(edge + 3) / 10 })
        }
        return StageSite(name: name, labels: labels, deploys: deploys, pickUps: pickUps)
    }

    /// The stale domain, with fourteen earlier changes.
    static func stale(_ name: String, now: Date) -> StageSite {
        let app = "9JA89QQLNQ.example.travel"
        let hours: [Double] = [3.2, 5.5, 6, 51.6, 4.1, 6.4, 8, 5.1, 12.2, 6.9, 1.1, 18.7, 4.4, 7.5]
        var deploys: [(at: Date, reply: Reply)] = []
        var pickUps: [[TimeInterval?]] = []
        for index in 0..<14 {
            let paths =
                index == 13
                ? ["/booking/*", "!/help/web/*", "/account/*"] : ["/booking/*", "/account/*", "/sale-\(index)/*"]
            deploys.append(
                (now - (4 + Double(13 - index) * 6) * day, associationFile(app, paths).expiring(at: now + 53 * day)))
            let slowest: TimeInterval = index == 0 ? 0 : hours[index] * hour
            pickUps.append((0..<8).map { edge in slowest * Double(edge + 3) / 10 })
        }
        deploys.append(
            (
                now - 31.2 * hour,
                associationFile(app, ["/trips/*", "!/help/web/*", "/help/*", "/account/*"], credentials: true)
                    .expiring(at: now + 53 * day)
            ))
        pickUps.append([9.1 * hour, 11.7 * hour, nil, nil, nil, nil, nil, nil])
        var site = StageSite(
            name: name, labels: ["team": "travel", "tier": "1"], deploys: deploys, pickUps: pickUps)
        site.extraChecks = (0..<(24 * 6)).map { now - Double($0) * 600 }
        site.edgeTroubles = [
            (6, now - 28 * hour, now - 22 * hour, .failed(.timedOut)),
            (7, now - 3.2 * day, now - 2.9 * day, .crawler("SWCERR00101 Bad HTTP Response: 404 Not Found")),
        ]
        return site
    }

    package static func twelve(now: Date) -> [StageSite] {
        var sites = [stale("links.travel.example", now: now)]
        var missing = calm(
            "app.bank.example", versions: 2, last: 60 * day, took: 5 * hour, labels: ["team": "payments", "tier": "1"],
            now: now)
        let refusal = Reply.crawler("SWCERR00101 Bad HTTP Response: 403 Forbidden")
        missing.edgeTroubles = (0..<8).map { ($0, now - 3.2 * hour, now + day, refusal) }
        missing.agents = (now - 3.2 * hour, .status(403))
        sites.append(missing)
        var propagating = calm(
            "shop.example", versions: 8, last: 2.66 * hour, took: 5 * hour, labels: ["team": "retail"], now: now)
        propagating.pickUps[7] = [0.5, 0.8, 1.2, 1.9, 2.5, nil, nil, nil].map { $0.map { $0 * hour } }
        sites.append(propagating)
        var expiring = calm(
            "pay.market.example", versions: 4, last: 30 * day, took: 6 * hour, labels: ["team": "payments"], now: now)
        expiring.deploys = expiring.deploys.map { ($0.at, $0.reply.expiring(at: now + 9.2 * day)) }
        expiring.extraChecks = [now - 5 * day]
        sites.append(expiring)
        let healthy: [(String, Int, Double, Double)] = [
            ("academy.example", 7, 19, 5.2), ("docs.example", 12, 25, 6), ("events.travel.example", 3, 74, 11.6),
            ("go.example", 9, 2, 3.9), ("help.example", 9, 4, 4.3), ("news.example", 8, 11, 50.3),
            ("universal-links.loyalty.eu-central-1.production.contoso-hospitality-group.example", 2, 108, 7.8),
        ]
        for (name, versions, days, hours) in healthy {
            sites.append(
                calm(
                    name, versions: versions, last: days * day, took: hours * hour,
                    labels: name == "academy.example" ? ["team": "growth"] : [:], now: now))
        }
        var developer = calm("dev.travel.example", versions: 2, last: 3 * day, took: hour, now: now)
        developer.mode = .developer
        sites.append(developer)
        return sites
    }

    /// One healthy site.
    package static func single(now: Date) -> [StageSite] {
        [calm("go.shop.example", versions: 3, last: 12.4 * day, took: 5.2 * hour, now: now)]
    }

    /// Many sites, some with problems.
    package static func many(_ count: Int, now: Date) -> [StageSite] {
        let teams = ["growth", "retail", "payments", "hotels", "partners", "travel", "labs", "loyalty", "news", "ads"]
        return (0..<count).map { index in
            let labels = ["team": teams[index % teams.count], "tier": "\(index % 3 + 1)"]
            var site = calm(
                "links\(index).\(teams[index % teams.count])-campaigns.example", versions: 1,
                last: Double(index % 40 + 2) * day, took: 0, labels: labels, now: now)
            switch index % 100 {
            case 3 where index % 300 == 3:
                site.edgeTroubles = (0..<8).map {
                    ($0, now - 34 * 60, now + day, .crawler("SWCERR00101 Bad HTTP Response: 403 Forbidden"))
                }
                site.agents = (now - 34 * 60, .status(403))
            case 17:
                site.deploys.append(
                    (now - (index % 200 == 17 ? 40 : 2.4) * hour, associationFile("9JA89QQLNQ.example.app", ["/new/*"]))
                )
                site.pickUps.append([600, 1200, 1800, nil, nil, nil, nil, nil])
            case 41 where index % 400 == 41:
                site.deploys.append((now - 51 * 60, .failed(.nameNotFound, .resolving)))
                site.pickUps.append(Array(repeating: nil, count: 8))
            case 77 where index % 200 == 77:
                site.deploys = site.deploys.map { ($0.at, $0.reply.expiring(at: now + 5 * day)) }
            default: break
            }
            return site
        }
    }

    /// A site with markup in each field that a page may show.
    package static func hostile(now: Date) -> [StageSite] {
        let payload = #"<img src=x onerror=\"window.hit=1\"><script>window.hit=1</script>{{#x}}"#
        let app = "ABCDE12345.com.example.app"
        var site = calm(
            "hostile.example", versions: 2, last: 3 * hour, took: hour,
            labels: ["team": #""><script>window.hit=1</script>"#], now: now)
        site.deploys = [
            (now - 9 * day, associationFile(app, ["/a/*", "/\(payload)/*"])),
            (now - 30 * hour, associationFile(app, ["/b/*", "/\(payload)/new/*", "/'\"/*"])),
        ]
        site.deploys = site.deploys.map { at, reply in
            (
                at,
                reply.with {
                    $0.headers["Server"] = #"<script>window.hit=1</script>"#
                    $0.headers["Content-Type"] = #"text/html"><script>window.hit=1</script>"#
                }
            )
        }
        site.pickUps = [Array(repeating: 0, count: 8), [3600, nil, nil, nil, nil, nil, nil, nil]]
        site.edgeTroubles = [
            (
                7, now - 5 * hour, now + day,
                .crawler(#"<script>window.hit=1</script>"#, details: #"javascript:alert(1)"#)
            )
        ]
        site.agents = (
            now - 9 * day, .status(403, ["Server": "<svg onload=window.hit=1>", "Location": "javascript:window.hit=1"])
        )
        return [site]
    }
}
