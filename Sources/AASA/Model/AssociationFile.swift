// A parsed file: the JSON text with positions, and its services and rules. The entry point of this library.

/// An apple-app-site-association (AASA) file, read as Apple's devices read it.
/// https://developer.apple.com/documentation/xcode/supporting-associated-domains
public struct AssociationFile: Sendable {
    /// The parsed JSON, with the position of each value.
    public let document: JSONDocument
    /// The universal links; nil if the file has no `applinks` object.
    public let applinks: AppLinks?
    /// Every object at the root of the file, unknown service names included, in file order.
    public let services: [AppService]

    /// The maximum size in bytes after decompression. Devices reject a larger file (NSURLErrorDomain -1103).
    public static let sizeLimit = 131_072

    /// A service, such as `webcredentials`, and the apps that it names.
    public struct AppService: Sendable {
        public let name: String
        /// For applinks, the app IDs of all entries without repetition. For other services, the strings of `apps`.
        public let appIDs: [String]
        package let node: JSONNode

        /// Whether Apple's systems use a service of this name.
        public var isKnown: Bool { Association.isKnown(name) }
    }

    /// Parses a file. Accepts wrong types and unknown keys, as Apple's devices do; `Linter` reports them.
    /// - Throws: `JSONSyntaxError` if the bytes are not valid JSON.
    public init(parsing bytes: [UInt8]) throws(JSONSyntaxError) {
        self.init(try JSONDocument(parsing: bytes))
    }

    package init(_ document: JSONDocument) {
        self.document = document
        var services: [AppService] = []
        var applinks: AppLinks?
        let others = document.duplicates.listed.isEmpty ? nil : document.root.keepingFirstDuplicates["applinks"]
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

    /// The line and column at which a value begins.
    public func position(of node: JSONNode) -> SourcePosition { document.position(of: node.range.lowerBound) }

    /// The line and column at which a rule begins.
    public func position(of rule: URLRule) -> SourcePosition { position(of: rule.node) }
}

/// The services of an apple-app-site-association file.
/// https://developer.apple.com/documentation/xcode/supporting-associated-domains
package enum Association {
    /// The services that Apple's systems use.
    package static let knownServices: Set<String> = [
        "applinks", "webcredentials", "appclips", "activitycontinuation", "authsrv", "messagefilter",
        "classificationreport",
    ]

    /// Whether a key is one of `knownServices`.
    static func isKnown(_ key: String) -> Bool { exactServices.contains(ExactText(key)) }

    /// The service that a misspelt name means; nil if it is one, or if none is near.
    package static func service(near name: String) -> String? {
        KeySuggestion.nearest(to: name, among: KeySuggestion.services)
    }

    private static let exactServices = Set(knownServices.map(ExactText.init(_:)))

    /// Whether a root has an object under a known service name. Cheaper than reading the whole file.
    package static func namesKnownService(_ root: JSONNode) -> Bool {
        root.members?.contains { $0.value.members != nil && isKnown($0.key) } ?? false
    }
}

extension String {
    /// The text as one token of a JSON pointer (RFC 6901).
    var escapedForPointer: String {
        var result = ""
        // By scalars: to String, a slash and a combining mark after it are one Character.
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

/// The `applinks` object: which apps open which URLs of the domain (universal links).
/// https://developer.apple.com/documentation/bundleresources/applinks
public struct AppLinks: Sendable {
    /// How the object names its apps.
    public enum Form: Sendable, Hashable {
        /// `details` is an array. Its order counts.
        case list
        /// `details` is an object with app IDs as keys, the format of iOS 8 and 9. Its order is undefined.
        case dictionary
        /// No `details`, but app IDs in `apps`: these apps open every URL.
        case appsOnly
        /// Anything else: no app opens a URL.
        case none
    }

    public let form: Form
    package let variables: SubstitutionVariables
    /// In file order. Elements of `details` that are not objects are left out.
    public let entries: [Entry]
    package let node: JSONNode
    /// The same node with the first of duplicate keys instead of the last; nil if the file has no duplicate keys.
    let byFirstKeys: JSONNode?

    /// One entry of `details`: app IDs, and the rules that decide which URLs these apps open.
    public struct Entry: Sendable {
        public enum Form: Sendable, Hashable {
            case components
            case paths
            /// Neither `components` nor `paths` is an array: every URL matches.
            case everything
        }

        public let form: Form
        /// In file order, repetitions included.
        public let appIDs: [String]
        /// In file order. The first rule that matches a URL decides.
        public let rules: [URLRule]
        /// The JSON pointer of the entry (RFC 6901), such as `/applinks/details/0`.
        public let pointer: String
        package let node: JSONNode
        /// The rules of `paths` next to `components`, for iOS 12 and earlier. Empty if only one of the two exists.
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

    /// All app IDs, without repetition, in file order.
    public var appIDs: [String] { entries.lazy.flatMap(\.appIDs).uniqued }

    /// The entries of one app only, as if they named no other app. A device with this app uses these.
    package func only(_ appID: String) -> AppLinks {
        let own = entries.filter { $0.appIDs.containsExactly(appID) }.map { entry in
            Entry(
                form: entry.form, appIDs: [appID], rules: entry.rules, pointer: entry.pointer, node: entry.node,
                olderRules: entry.olderRules)
        }
        return AppLinks(form: form, variables: variables, entries: own, node: node, byFirstKeys: byFirstKeys)
    }
}

extension AppLinks.Entry {
    /// - Returns: nil for an element that is not an object. Apple skips it silently.
    init?(
        _ node: JSONNode, appIDs given: [String]?, defaults: RuleSettings, _ variables: SubstitutionVariables,
        pointer: String, number: Int
    ) {
        guard node.members != nil else { return nil }
        // If `appIDs` exists, `appID` is ignored: it is for iOS 12 and earlier. A string in `appIDs` names no app.
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

extension AssociationFile {
    /// The first character after a byte order mark and white space; nil if there is none in the first 1,024 bytes.
    package static func firstCharacter(of bytes: [UInt8]) -> Unicode.Scalar? {
        String(decoding: bytes.prefix(1_024), as: UTF8.self).unicodeScalars
            .first { $0 != "\u{FEFF}" && !$0.properties.isWhitespace }
    }
}
