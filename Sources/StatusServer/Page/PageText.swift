/// The text of a template, with the style that all pages share in its place.
enum PageText {
    static func filled(_ template: [UInt8]) -> String {
        String(decoding: template, as: UTF8.self)
            .replacing("/*style*/", with: String(decoding: PackageResources.style_css, as: UTF8.self))
    }
}
