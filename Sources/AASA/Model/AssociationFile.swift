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

    public init(_ document: JSONDocument) {
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
