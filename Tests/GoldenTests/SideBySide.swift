// What each surface says about one state, side by side, from the golden files. One line shows where two of them
// disagree.

import Foundation
import Testing

struct SideBySide {
    let state: String
    private let folder: URL

    init(_ state: String, in folder: URL) {
        self.state = state
        self.folder = folder
    }

    static let heads = [
        "state", "check", "nagios", "status", "status nagios", "api", "page", "badge", "incidents", "message",
    ]

    /// In the order of the headings.
    var cells: [String] {
        [state, check, plugin("check.nagios.txt"), status, plugin("status.nagios.txt"), api, page, badge]
            + [incidents.map { "\($0.kind) \($0.state)" }.joined(separator: ", "), message].map {
                $0.isEmpty ? "-" : $0
            }
    }

    /// A surface that is calm although something fires; nil: there is none.
    var calm: String? {
        guard incidents.contains(where: { $0.state == "firing" }) else { return nil }
        let calm = [
            ["OK", "UNKNOWN"].contains(where: status.hasPrefix) ? "status" : nil,
            ["OK", "UNKNOWN"].contains(plugin("status.nagios.txt")) ? "status --format nagios" : nil,
            page.hasPrefix("ok ") || page.hasPrefix("soft ") ? "the page" : nil,
            badge.hasSuffix(" green") || badge.hasSuffix(" grey") ? "the badge" : nil,
        ].compactMap(\.self)
        return calm.isEmpty
            ? nil : "\(state): an incident fires, and \(calm.joined(separator: ", ")) shows nothing of it"
    }

    // MARK: - Surfaces

    private func text(_ name: String) -> String {
        (try? String(contentsOf: folder.appending(path: name), encoding: .utf8)) ?? ""
    }

    private func json(_ name: String) -> [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(text(name).utf8))) as? [String: Any] ?? [:]
    }

    private func judgement(_ document: [String: Any]) -> String {
        let comparison = document["comparison"] as? [String: Any]
        return [document["verdict"], comparison?["state"]].compactMap { $0 as? String }.joined(separator: " ")
    }

    private var check: String { judgement(json("check.json")) }

    private var api: String {
        let document = json("api-domain.json")
        return document.isEmpty ? text("api-domain.json").prefix { $0 != "\n" }.description : judgement(document)
    }

    private func plugin(_ name: String) -> String {
        text(name).firstMatch(of: /AASA ([A-Z]+)/).map { String($0.1) } ?? "-"
    }

    /// The state of the domain according to `status`.
    private var status: String {
        text("status-short.txt").firstMatch(of: /(?:links|site1)\.example\.com  +([A-Z]+)  +([^·,:\n]+[^·,:\n ])/)
            .map { "\($0.1) \($0.2)" } ?? "-"
    }

    private var page: String {
        let main = text("page-domain.html")
        guard let badge = main.firstMatch(of: /<p class="badge (\w+)">/) else {
            return main.prefix { $0 != "\n" }.description
        }
        let words = main[badge.range.upperBound...].firstMatch(of: /<\/svg>␣([^\n]+)/)
        return "\(badge.1) \(words?.1 ?? "")"
    }

    private static let colours = [
        "#b3211b": "red", "#855000": "amber", "#175cae": "blue", "#1c6e3e": "green", "#565f6b": "grey",
    ]

    private var badge: String {
        let image = text("badge.svg")
        guard let words = image.firstMatch(of: /aria-label="universal links: ([^"]+)"/) else {
            return image.prefix { $0 != "\n" }.description
        }
        let fills = image.matches(of: /fill="(#\w+)"/).map { String($0.1) }
        return "\(words.1) \(fills.count > 1 ? Self.colours[fills[1]] ?? fills[1] : "")"
    }

    private var incidents: [(kind: String, state: String)] {
        (json("api-domain.json")["incidents"] as? [[String: Any]] ?? []).compactMap { incident in
            guard let kind = incident["kind"] as? String, let state = incident["state"] as? String else { return nil }
            return (kind, state)
        }
    }

    /// The first line of the last message to the chat.
    private var message: String {
        guard let last = text("slack.txt").matches(of: /"text": "([^"]+)"/).last else { return "" }
        return last.1.trimmingCharacters(in: ["*"])
    }
}
