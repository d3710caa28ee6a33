// Stories of sites that serve two versions of the file, or have addresses of two kinds: nobody is refused, and this machine is
// not to blame.

import Evidence
import Facts
import Foundation
import TestSupport

extension Story {
    static let versions = rollouts + mixedAddresses + outlooks

    private static let refusing = ["refuse", "firewall", "bot", "Bot Fight", "blocks", "Allow"]
    private static let two = "serves two versions of the file"

    private static func rollout(
        _ name: String, origin: Reply = good, _ scene: Scene, _ findings: [String], _ id: DiagnosisID, _ words: [String]
    ) -> Story {
        Story(name, origin: origin, cdn: good, scene: scene, findings: findings, id: id, words: [two] + words) {
            $0.unsaid = refusing + ["how long it keeps the copy"]
        }
    }

    private static var calm: Scene { .calm(good, cdn: good) }

    private static let rollouts: [Story] = [
        rollout(
            "half of the servers have the new file", calm.addresses([good, old]), ["origin.address-differs error"],
            .addressesDiffer, ["192.0.2.2", "may get any", "same file to every server"]),
        rollout(
            "the same, and Apple's agents meet the other one", calm.addresses([good, old]).refusing(old),
            ["origin.address-differs error"], .addressesDiffer, ["192.0.2.2", "may get any"]),
        rollout(
            "another place meets the other version", calm.with { $0.vantages = [("abroad", old)] },
            ["origin.address-differs error"], .vantageDiffers, ["from abroad", "same file to every server"]),
        rollout(
            "another place meets the version that an address has here too",
            calm.addresses([good, old]).with { $0.vantages = [("abroad", old)] }, ["origin.address-differs error"],
            .addressesDiffer, ["192.0.2.2"]),
        Story(
            "Apple's agents get another file everywhere", cdn: good, scene: calm.refusing(old),
            findings: ["origin.address-differs error"], id: .addressesDiffer,
            words: [two, "gives the user agents AASA-Bot and CFNetwork a different file", "same file"]
        ) { $0.unsaid = refusing },
        Story(
            "Apple's agents get an error message as JSON", cdn: good,
            scene: calm.refusing(.file(#"{"error":"forbidden"}"#)), findings: ["origin.crawler-refused error"],
            id: .agentRefused, words: ["serves something that is not the file", "AASA-Bot and CFNetwork"]),
        Story(
            "one of two addresses answers with an error message as JSON", cdn: good,
            scene: calm.addresses([good, .file(#"{"error":"no backend"}"#)]),
            findings: ["origin.address-differs error"], id: .addressesDiffer,
            words: ["192.0.2.2 serves something that is not the file"]
        ) { $0.unsaid = ["versions of the file"] },
    ]

    private static func mixed(_ cdn: Reply) -> Scene {
        Scene.calm(good, cdn: cdn).with {
            $0.addresses = [("192.0.2.1", .public, good), ("10.1.2.3", .private, .failed(.timedOut))]
        }
    }

    private static let publicAlone = "Remove the addresses that are not public from the A and AAAA records"
    private static let ownResolver = ["VPN", "public DNS", "hosts file", "Nothing needs to be done at the site"]

    private static let mixedAddresses: [Story] = [
        Story(
            "public and private addresses, and Apple has the file", cdn: good, scene: mixed(good),
            findings: ["origin.not-public-address warning"], id: .privateAddress,
            words: ["Links work.", "1 of the domain's 2 addresses", "10.1.2.3", publicAlone]
        ) { $0.unsaid = ownResolver + ["how long it keeps the copy"] },
        Story(
            "public and private addresses, and Apple has nothing", cdn: .status(404), scene: mixed(.status(404)),
            findings: ["origin.not-public-address error", "cdn.missing error"], id: .privateAddress,
            words: ["1 of the domain's 2 addresses", "10.1.2.3", publicAlone]
        ) { $0.unsaid = ownResolver },
        Story(
            "public and private addresses, and Apple is refused", cdn: forbidden, scene: mixed(forbidden),
            findings: ["origin.not-public-address error", "cdn.crawler-error error"], id: .crawlerRefusedByAddress,
            words: ["answers Apple's crawler with 403"]
        ) { $0.unsaid = ownResolver },
    ]

    private static let keeps = "Apple does not say how long it keeps the copy"

    private static let outlooks: [Story] = [
        Story(
            "another place is refused, and Apple has the file", cdn: good,
            scene: calm.with { $0.vantages = [("abroad", .status(403))] }, findings: ["origin.vantage-refused error"],
            id: .vantageRefused, words: ["from abroad"]
        ) { $0.unsaid = [keeps] },
        Story(
            "this machine alone is turned away, and Apple has the file", origin: .status(403), cdn: good,
            findings: ["origin.status warning"], id: .turnedAwayHere, words: ["only this machine"]
        ) { $0.unsaid = [keeps] },
        Story(
            "everybody is turned away, and Apple has a copy", origin: .status(401, ["WWW-Authenticate": "Basic"]),
            cdn: good, findings: ["origin.status error"], id: .originFault, words: [keeps]),
        Story(
            "a page in place of the file, and Apple has a copy", origin: .file("<html>"), cdn: good,
            findings: ["aasa.json-syntax error"], id: .pageInsteadOfFile, words: [keeps]),
        Story(
            "an internal server has no file, and Apple has it", origin: .status(404), cdn: good,
            scene: Scene.calm(.status(404), cdn: good).with { $0.addresses = [("10.1.2.3", .private, .status(404))] },
            findings: ["origin.not-public-address warning", "origin.status warning"], id: .privateAddressHere,
            words: ["10.1.2.3"]
        ) { $0.unsaid = [keeps] },
    ]
}
