// What a file says, service by service, in the forms that Apple reads. Lenient where Apple is lenient.
// https://developer.apple.com/documentation/xcode/supporting-associated-domains

/// The content of an apple-app-site-association file.
public struct Association: Sendable {
    /// Services in the order of the file; unknown ones too, since nobody asks for them and they do no harm.
    public let services: [Service]

    /// The services that some part of Apple's systems asks for.
    public static let knownServices: Set<String> = [
        "applinks", "webcredentials", "appclips", "activitycontinuation", "authsrv", "messagefilter",
        "classificationreport",
    ]

    /// - Returns: nil where the root is not an object.
    public init?(_ root: JSONNode) {
        guard let members = root.members else { return nil }
        services = members.compactMap { member in
            member.value.members == nil ? nil : Service(name: member.key, node: member.value)
        }
    }
}

/// One service and the apps that it names.
public struct Service: Sendable {
    public let name: String
    /// App IDs of `apps`, as all services but applinks read them.
    public let apps: [String]
    /// Entries of `details`; read for applinks only.
    public let entries: [DetailsEntry]
    /// Whether `details` is there and `apps` therefore not read.
    private let readsDetails: Bool

    init(name: String, node: JSONNode) {
        self.name = name
        apps = node["apps"]?.strings ?? []
        guard name == "applinks", let details = node["details"] else {
            entries = []
            readsDetails = false
            return
        }
        readsDetails = details.elements != nil || details.members != nil
        if let elements = details.elements {
            entries = elements.enumerated().compactMap { index, element in
                DetailsEntry(element, appIDs: nil, pointer: "/applinks/details/\(index)")
            }
        } else {
            // The legacy form: an object whose keys are app IDs.
            entries = (details.members ?? []).compactMap { member in
                DetailsEntry(
                    member.value, appIDs: [member.key],
                    pointer: "/applinks/details/\(member.key.escapedForPointer)")
            }
        }
    }

    /// All app IDs that the service names, without repetition, in the order of the file.
    public var appIDs: [String] {
        var seen: Set<String> = []
        let named = readsDetails ? entries.flatMap(\.appIDs) : apps
        return named.filter { seen.insert($0).inserted }
    }
}

/// One entry of `details`: apps, and the URLs that they open.
public struct DetailsEntry: Sendable {
    public let appIDs: [String]
    /// Each component or path in a form for people, in the order that decides.
    public let patterns: [String]
    public let pointer: String

    init?(_ node: JSONNode, appIDs given: [String]?, pointer: String) {
        guard node.members != nil else { return nil }
        self.pointer = pointer
        // New systems read `appIDs` alone where it is there; `appID` is for iOS 12 and older.
        appIDs = given ?? node["appIDs"]?.strings ?? node["appID"]?.string.map { [$0] } ?? []
        if let components = node["components"]?.elements {
            patterns = components.map(Self.describe(component:))
        } else if let paths = node["paths"]?.elements {
            patterns = paths.map { $0.string ?? "everything" }
        } else {
            // Neither list is an array: the entry matches every URL.
            patterns = ["everything"]
        }
    }

    private static func describe(component: JSONNode) -> String {
        guard component.members != nil else { return "everything" }
        var text = component["/"]?.string ?? "*"
        if let query = component["?"] {
            if let string = query.string {
                text += "?\(string)"
            } else if let members = query.members {
                text += "?" + members.map { "\($0.key)=\($0.value.string ?? "*")" }.sorted().joined(separator: "&")
            }
        }
        if let fragment = component["#"]?.string { text += "#\(fragment)" }
        for flag in ["caseSensitive", "percentEncoded"] {
            if case .bool(let value)? = component[flag]?.value { text += " (\(flag): \(value))" }
        }
        if case .bool(true)? = component["exclude"]?.value { text = "NOT \(text)" }
        return text
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
