// The files beside the pages. Their address holds a hash of them all, so that a browser may keep them.

import Evidence
import HTTPTypes
import Hummingbird
import NIOCore

enum Assets {
    private struct File {
        let bytes: [UInt8]
        let type: String
    }

    private static let files: [String: File] = {
        var files = [
            "page.css": File(bytes: PackageResources.page_css, type: "text/css; charset=utf-8"),
            "page.js": File(bytes: PackageResources.page_js, type: "text/javascript; charset=utf-8"),
        ]
        let icon = String(decoding: PackageResources.icon_svg, as: UTF8.self)
        for (tone, colour) in [
            ("fail", "#b3211b"), ("warn", "#b26b00"), ("prog", "#175cae"), ("ok", "#1c6e3e"), ("soft", "#858e99"),
        ] {
            files["icon-\(tone).svg"] = File(
                bytes: Array(icon.replacing("#000000", with: colour).utf8), type: "image/svg+xml")
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
