// The whole file: text with positions, and what it says. The entry to everything else in this library.

/// An apple-app-site-association file.
public struct AssociationFile: Sendable {
    public let document: JSONDocument
    /// nil where the file has no `applinks` object.
    public let applinks: AppLinks?
    /// All services, those of other names included, in the order of the file.
    public let services: [AppService]

    /// Bytes of decoded data that a device reads; of more it takes nothing (NSURLErrorDomain -1103).
    public static let sizeLimit = 131_072

    /// A service and the apps that it names.
    public struct AppService: Sendable {
        public let name: String
        /// For applinks: of `details`. For all others: of `apps`.
        public let appIDs: [String]
        package let node: JSONNode

        public var isKnown: Bool { Association.isKnown(name) }
    }

    /// - Throws: `JSONSyntaxError`. Everything else is read leniently, as Apple reads it; `Linter` tells the rest.
    public init(parsing bytes: [UInt8]) throws(JSONSyntaxError) {
        self.init(try JSONDocument(parsing: bytes))
    }

    package init(_ document: JSONDocument) {
        self.document = document
        var services: [AppService] = []
        var applinks: AppLinks?
        let others = document.duplicates.listed.isEmpty ? nil : document.root.withFirstMembersAlone["applinks"]
        for member in document.root.members ?? [] where member.value.members != nil {
            if member.name == "applinks" {
                let links = AppLinks(member.value, byFirstKeys: others)
                applinks = links
                services.append(AppService(name: member.key, appIDs: links.appIDs, node: member.value))
            } else {
                let apps = member.value["apps"]?.strings ?? []
                services.append(AppService(name: member.key, appIDs: apps, node: member.value))
            }
        }
        self.services = services
        self.applinks = applinks
    }

    /// Where a value stands.
    public func position(of node: JSONNode) -> SourcePosition { document.position(of: node.range.lowerBound) }

    /// Where a rule stands.
    public func position(of rule: URLRule) -> SourcePosition { position(of: rule.node) }
}

/// The services of an apple-app-site-association file.
/// https://developer.apple.com/documentation/xcode/supporting-associated-domains
package enum Association {
    /// The services that some part of Apple's systems asks for.
    package static let knownServices: Set<String> = [
        "applinks", "webcredentials", "appclips", "activitycontinuation", "authsrv", "messagefilter",
        "classificationreport",
    ]

    /// Whether a key of a file names one of them.
    static func isKnown(_ key: String) -> Bool { exactServices.contains(ExactText(key)) }

    private static let exactServices = Set(knownServices.map(ExactText.init(_:)))

    /// Whether a file names one of them. Cheaper than to read the file.
    package static func namesKnownService(_ root: JSONNode) -> Bool {
        root.members?.contains { $0.value.members != nil && isKnown($0.key) } ?? false
    }
}

extension String {
    /// A reference token of RFC 6901.
    var escapedForPointer: String {
        var result = ""
        // Scalars, since a slash with a combining mark is one character.
        for scalar in unicodeScalars {
            switch scalar {
            case "~": result += "~0"
            case "/": result += "~1"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

public struct AppLinks: Sendable {
    public enum Form: Sendable, Hashable {
        /// `details` is an array: the order decides.
        case list
        /// `details` is an object keyed by app ID, the form of iOS 8 and 9: its order is undefined.
        case dictionary
        /// No `details`: the apps of `apps` open every URL.
        case appsOnly
        /// Neither.
        case none
    }

    public let form: Form
    package let variables: SubstitutionVariables
    public let entries: [Entry]
    package let node: JSONNode
    /// What stands here where of equal keys of the file the first counts; nil where no key stands twice.
    let byFirstKeys: JSONNode?

    /// One entry of `details`: apps, and the rules that decide about their URLs.
    public struct Entry: Sendable {
        public enum Form: Sendable, Hashable {
            case components
            case paths
            /// Neither list is an array: every URL matches.
            case everything
        }

        public let form: Form
        /// In the order of the file, repetitions included.
        public let appIDs: [String]
        /// The first that matches decides.
        public let rules: [URLRule]
        public let pointer: String
        package let node: JSONNode
        /// The rules of `paths` beside `components`: what iOS 12 and older read. Empty where the entry has one form.
        package let olderRules: [URLRule]
    }
}

extension AppLinks {
    init(_ node: JSONNode, byFirstKeys: JSONNode? = nil) {
        self.node = node
        self.byFirstKeys = byFirstKeys
        let variables = SubstitutionVariables(node["substitutionVariables"])
        self.variables = variables
        let defaults = RuleSettings(node["defaults"], variables)
        if let elements = node["details"]?.elements {
            form = .list
            entries = elements.enumerated().compactMap { index, element in
                Entry(
                    element, appIDs: nil, defaults: defaults, variables, pointer: "/applinks/details/\(index)",
                    number: index)
            }
        } else if let members = node["details"]?.lastMembers {
            form = .dictionary
            entries = members.enumerated().compactMap { index, member in
                Entry(
                    member.value, appIDs: [member.key], defaults: defaults, variables,
                    pointer: "/applinks/details/\(member.key.escapedForPointer)", number: index)
            }
        } else if node["details"] == nil, let apps = node["apps"], let ids = apps.strings, !ids.isEmpty {
            form = .appsOnly
            entries = [Entry(everythingFor: ids, node: apps, pointer: "/applinks/apps", number: 0)]
        } else {
            form = .none
            entries = []
        }
    }

    /// All app IDs, without repetition, in the order of the file.
    public var appIDs: [String] { entries.lazy.flatMap(\.appIDs).uniqued }
}

extension AppLinks.Entry {
    /// Elements that are no objects are skipped in silence, as Apple skips them.
    init?(
        _ node: JSONNode, appIDs given: [String]?, defaults: RuleSettings, _ variables: SubstitutionVariables,
        pointer: String, number: Int
    ) {
        guard node.members != nil else { return nil }
        // `appIDs` alone counts where it is there, `appID` is for iOS 12 and older; a string as `appIDs` names no app.
        let appIDs: [String] =
            if let given {
                given
            } else if let list = node["appIDs"] {
                list.strings ?? []
            } else {
                node["appID"]?.string.map { [$0] } ?? []
            }
        let paths = node["paths"]?.elements?.enumerated().map { index, path in
            URLRule(path: path, variables, place: .init(entry: pointer, number: number, list: .paths, index: index))
        }
        if let components = node["components"]?.elements {
            let settings = RuleSettings(node["defaults"], variables).over(defaults)
            let rules = components.enumerated().map { index, component in
                URLRule(
                    component: component, defaults: settings, variables,
                    place: .init(entry: pointer, number: number, list: .components, index: index))
            }
            self.init(
                form: .components, appIDs: appIDs, rules: rules, pointer: pointer, node: node, olderRules: paths ?? [])
        } else if let paths {
            self.init(form: .paths, appIDs: appIDs, rules: paths, pointer: pointer, node: node, olderRules: [])
        } else {
            self.init(everythingFor: appIDs, node: node, pointer: pointer, number: number)
        }
    }

    init(everythingFor appIDs: [String], node: JSONNode, pointer: String, number: Int) {
        let rule = URLRule(
            matchingEverything: node, place: .init(entry: pointer, number: number, list: .none, index: 0))
        self.init(form: .everything, appIDs: appIDs, rules: [rule], pointer: pointer, node: node, olderRules: [])
    }
}
