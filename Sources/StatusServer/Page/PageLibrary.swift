import Evidence
import HTTPTypes
import Hummingbird
import Mustache
import NIOCore

/// The templates. They are built in, so what is wrong with one is our own fault.
struct PageLibrary: Sendable {
    private let library: MustacheLibrary

    enum View: String {
        case overview, domain, incidents, incident, silences, login
    }

    init() throws {
        MustacheContentTypes.register(ScalarHTML(), named: ScalarHTML.name)
        var library = MustacheLibrary()
        let texts: [(String, [UInt8])] = [
            ("overview", PackageResources.overview_mustache), ("domain", PackageResources.domain_mustache),
            ("incidents", PackageResources.incidents_mustache), ("incident", PackageResources.incident_mustache),
            ("silences", PackageResources.silences_mustache), ("silencing", PackageResources.silencing_mustache),
            ("refusal", PackageResources.refusal_mustache), ("numbers", PackageResources.numbers_mustache),
            ("login", PackageResources.login_mustache), ("head", PackageResources.head_mustache),
            ("marks", PackageResources.marks_mustache), ("top", PackageResources.top_mustache),
            ("foot", PackageResources.foot_mustache), ("row", PackageResources.row_mustache),
            ("propagation", PackageResources.propagation_mustache), ("places", PackageResources.places_mustache),
            ("history", PackageResources.history_mustache), ("changes", PackageResources.changes_mustache),
            ("findings", PackageResources.findings_mustache),
        ]
        for (name, text) in texts {
            // A partial does not take the content type of what includes it.
            try library.register(
                "{{% CONTENT_TYPE: \(ScalarHTML.name)}}\n" + String(decoding: text, as: UTF8.self), named: name)
        }
        self.library = library
    }

    func render(_ view: View, _ model: Any) -> String {
        library.render(Fields.of(model), withTemplate: view.rawValue) ?? ""
    }
}

/// Escapes for HTML byte by byte.
///
/// Mustache's own escaping compares characters, and a character is more than a scalar: after a letter of the class
/// Prepend (such as U+0D4E), or before a combining mark, a `<` is no longer equal to `"<"` and would pass as it is. The bytes
/// of these five occur in UTF-8 for nothing else.
struct ScalarHTML: MustacheContentType {
    /// The name by which a template asks for it, in `{{% CONTENT_TYPE: … }}`.
    static let name = "SCALAR_HTML"

    func escapeText(_ text: String) -> String { Self.escape(text) }

    static func escape(_ text: String) -> String {
        guard text.utf8.contains(where: isSpecial) else { return text }
        var escaped: [UInt8] = []
        escaped.reserveCapacity(text.utf8.count + 32)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "<"): escaped += "&lt;".utf8
            case UInt8(ascii: ">"): escaped += "&gt;".utf8
            case UInt8(ascii: "&"): escaped += "&amp;".utf8
            case UInt8(ascii: "\""): escaped += "&quot;".utf8
            case UInt8(ascii: "'"): escaped += "&#39;".utf8
            default: escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "&")
            || byte == UInt8(ascii: "\"")
            || byte == UInt8(ascii: "'")
    }
}

/// From a view model to what Mustache reads: each property is looked at once, not once for each of its uses in a template.
///
/// The properties of a structure by name, those inside as well. An optional without a value is `false`, so that a section of
/// that name is not taken from the model around it.
enum Fields {
    static func of(_ value: Any) -> Any {
        switch value {
        case is String, is Bool: return value
        case let number as Int: return String(number)
        default: break
        }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional: return mirror.children.first.map { of($0.value) } ?? false
        case .collection: return mirror.children.map { of($0.value) }
        case .enum: return String(describing: value)
        default:
            return Dictionary(
                mirror.children.compactMap { child in child.label.map { ($0, of(child.value)) } }
            ) { first, _ in first }
        }
    }
}

/// The files beside the pages. Their address holds a hash of them all, so that a browser may keep them.
enum Assets {
    private static let files: [String: (bytes: [UInt8], type: String)] = {
        var files: [String: (bytes: [UInt8], type: String)] = [
            "page.css": (PackageResources.page_css, "text/css; charset=utf-8"),
            "page.js": (PackageResources.page_js, "text/javascript; charset=utf-8"),
        ]
        let icon = String(decoding: PackageResources.icon_svg, as: UTF8.self)
        for (tone, colour) in [
            ("fail", "#b3211b"), ("warn", "#b26b00"), ("prog", "#175cae"), ("ok", "#1c6e3e"), ("soft", "#858e99"),
        ] {
            files["icon-\(tone).svg"] = (Array(icon.replacing("#000000", with: colour).utf8), "image/svg+xml")
        }
        return files
    }()

    static let version = String(
        ContentHash(of: files.sorted { $0.key < $1.key }.flatMap(\.value.bytes)).hex.prefix(10))

    /// Open without a token: they hold nothing, and the login form needs them.
    static let path = "/assets/"

    static func answer(_ name: String?) -> Response {
        guard let file = name.flatMap({ files[$0] }) else {
            return Response(plain: "404 no such file\n", status: .notFound)
        }
        return Response(
            status: .ok,
            headers: [.contentType: file.type, .cacheControl: "public, max-age=31536000, immutable"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: file.bytes)))
    }
}
