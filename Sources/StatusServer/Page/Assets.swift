import Evidence
import HTTPTypes
import Hummingbird
import NIOCore

/// The files that pages load. Their address contains a hash of all of them, so a browser may cache them forever.
enum Assets {
    private static let files: [String: (bytes: [UInt8], type: String)] = {
        var files: [String: (bytes: [UInt8], type: String)] = [
            // One file for all pages: what they share, then the rules of single pages.
            "page.css": (
                PackageResources.page_css + PackageResources.overview_css + PackageResources.domain_css,
                "text/css; charset=utf-8"
            ),
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

    /// Open without a token: they contain no data, and the login form needs them.
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
