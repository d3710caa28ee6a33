// `applinks` with everything that decides which app opens a URL, read as Apple reads it.
// https://developer.apple.com/documentation/bundleresources/applinks

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
        let compiler = PatternCompiler(variables)
        let defaults = RuleSettings(node["defaults"], compiler)
        if let elements = node["details"]?.elements {
            form = .list
            entries = elements.enumerated().compactMap { index, element in
                Entry(
                    element, appIDs: nil, defaults: defaults, compiler, pointer: "/applinks/details/\(index)",
                    number: index)
            }
        } else if let members = node["details"]?.lastMembers {
            form = .dictionary
            entries = members.enumerated().compactMap { index, member in
                Entry(
                    member.value, appIDs: [member.key], defaults: defaults, compiler,
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

    /// What the components of an entry take over.
    func settings(of entry: Entry, _ compiler: PatternCompiler) -> RuleSettings {
        RuleSettings(entry.node["defaults"], compiler).over(RuleSettings(node["defaults"], compiler))
    }

    /// The same file where entries are other ones.
    func with(_ entries: [Entry]) -> AppLinks {
        AppLinks(form: form, variables: variables, entries: entries, node: node, byFirstKeys: nil)
    }
}

extension AppLinks.Entry {
    /// Elements that are no objects are skipped in silence, as Apple skips them.
    init?(
        _ node: JSONNode, appIDs given: [String]?, defaults: RuleSettings, _ compiler: PatternCompiler,
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
            URLRule(path: path, compiler, place: .init(entry: pointer, number: number, list: .paths, index: index))
        }
        if let components = node["components"]?.elements {
            let settings = RuleSettings(node["defaults"], compiler).over(defaults)
            let rules = components.enumerated().map { index, component in
                URLRule(
                    component: component, defaults: settings, compiler,
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

    func with(appIDs: [String], _ rules: [URLRule]) -> AppLinks.Entry {
        AppLinks.Entry(
            form: form, appIDs: appIDs, rules: rules, pointer: pointer, node: node, olderRules: olderRules)
    }
}
