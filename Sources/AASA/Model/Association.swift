/// The services of an apple-app-site-association file.
/// https://developer.apple.com/documentation/xcode/supporting-associated-domains
public enum Association {
    /// The services that some part of Apple's systems asks for.
    public static let knownServices: Set<String> = [
        "applinks", "webcredentials", "appclips", "activitycontinuation", "authsrv", "messagefilter",
        "classificationreport",
    ]

    /// Whether a file names one of them. Cheaper than to read the file.
    public static func namesKnownService(_ root: JSONNode) -> Bool {
        root.members?.contains { $0.value.members != nil && knownServices.contains($0.key) } ?? false
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
