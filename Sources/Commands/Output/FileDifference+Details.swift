// What `diff` says beside the rules: of an example, and of services.

import AASA
import Evidence

extension FileDifference {
    /// What is to be known of an example before it is believed.
    struct Remarks {
        /// The points on which sources disagree.
        let contested: [ContestedPoint]
        /// What looks like a wildcard in the rules that decide, and is none: nobody visits such a URL.
        let literals: [String]

        init(on example: String, _ files: [AppLinks?]) {
            guard let url = MatchableURL(example) else {
                (contested, literals) = ([], [])
                return
            }
            let results = files.compactMap { $0?.match(url) }
            let points = results.flatMap(\.contested)
            contested = ContestedPoint.allCases.filter(points.contains)
            let parts = results.flatMap(\.attempts).filter { $0.mismatch == nil }.compactMap(\.rule.literalNotation)
            literals = Array(Set(parts.map(\.written))).sorted()
        }

        func lines(_ style: TextStyle) -> [String] {
            let literals = literals.map {
                "\($0.displayable.shortened(to: 80)) is no wildcard: devices compare it as it stands"
            }
            return (literals + contested.map { "not documented by Apple: " + $0.explanation }).flatMap {
                style.wrapped($0, indentation: 6, hanging: 6)
            }
        }
    }
}

/// An app that a service other than applinks names in one of the two files only.
struct ServiceChange {
    let service: String
    let app: String
    /// Whether the newer file names it.
    let isOn: Bool

    static func all(from old: AssociationFile?, to new: AssociationFile?) -> [ServiceChange] {
        func apps(_ file: AssociationFile?) -> [String: [String]] {
            Dictionary(
                (file?.services ?? []).filter(\.isKnown).map { ($0.name, $0.appIDs.filter { !AppID.isTemplate($0) }) },
                uniquingKeysWith: { $1 })
        }
        let (olds, news) = (apps(old), apps(new))
        return Set(olds.keys).union(news.keys).subtracting(["applinks"]).sorted().flatMap { service in
            let (before, after) = (olds[service] ?? [], news[service] ?? [])
            return Set(after).subtracting(before).sorted().map { ServiceChange(service: service, app: $0, isOn: true) }
                + Set(before).subtracting(after).sorted().map { ServiceChange(service: service, app: $0, isOn: false) }
        }
    }

    var words: String {
        let app = app.displayable.shortened(to: 200)
        return switch service {
        case "appclips":
            isOn
                ? "the App Clip \(app) can be opened by links now" : "the App Clip \(app) is opened by no link any more"
        case "webcredentials":
            isOn
                ? "\(app) can use the site's passwords and passkeys now"
                : "\(app) cannot use the site's passwords and passkeys any more"
        case "activitycontinuation":
            isOn ? "\(app) takes Handoff from the site now" : "\(app) takes no Handoff from the site any more"
        default: "service \(service): \(app) \(isOn ? "is associated now" : "is not associated any more")"
        }
    }
}
