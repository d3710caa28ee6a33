// libcurl's URL parser, so that our judgement of a URL matches what a transfer does with it.

import CCurl
import Foundation

/// URLs as libcurl reads them: <https://curl.se/libcurl/c/libcurl-url.html>
package enum CurlURL {
    /// The target of a redirect: absolute, dot segments resolved, without fragment, an international host in ASCII.
    /// User and password are removed, so that a redirect never makes us send credentials. nil if it cannot be parsed.
    /// Any scheme is kept; check it with `components`.
    package static func resolve(_ location: String, against base: String) -> String? {
        let flags = UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE)
        guard let joined = Parser(), joined.set(CURLUPART_URL, base, flags) else { return nil }
        // An empty reference means the same document; libcurl would drop the last path segment.
        guard location.isEmpty || joined.set(CURLUPART_URL, location, flags) else { return nil }
        guard let parser = joined.inASCII() else { return nil }
        return parser.clear([CURLUPART_FRAGMENT, CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_OPTIONS])
            ? parser.get(CURLUPART_URL) : nil
    }

    /// The parts of an absolute URL: scheme and host in lower case, an IPv6 host in brackets, an international host in
    /// ASCII (the name that is looked up and shown), the effective port (0 if none is given and the scheme has no
    /// default), the path with its query. nil if the URL cannot be parsed.
    package static func components(_ url: String) -> (scheme: String, host: String, port: Int, path: String)? {
        guard let parser = Parser.asWritten(url)?.inASCII(), let scheme = parser.get(CURLUPART_SCHEME),
            let host = parser.get(CURLUPART_HOST)
        else { return nil }
        let port = parser.get(CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT)).flatMap { Int($0) } ?? 0
        let query = parser.get(CURLUPART_QUERY).map { "?" + $0 } ?? ""
        return (scheme.lowercased(), host.lowercased(), port, (parser.get(CURLUPART_PATH) ?? "/") + query)
    }

    /// The URL for libcurl, with an international host in ASCII; nil if it cannot be parsed. libcurl would convert the
    /// host by its own rules and by the locale of this process.
    static func inASCII(_ url: String) -> String? {
        if url.utf8.allSatisfy({ $0 < 0x80 }), !url.contains("%") { return url }
        guard let parser = Parser.asWritten(url), let host = parser.get(CURLUPART_HOST) else { return nil }
        return host.utf8.allSatisfy { $0 < 0x80 } ? url : parser.inASCII()?.get(CURLUPART_URL)
    }

    /// The URL for messages, without user and password. If it cannot be parsed, one with an `@` is hidden.
    static func withoutCredentials(_ url: String) -> String {
        guard let parser = Parser.asWritten(url),
            parser.clear([CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_OPTIONS]), let clean = parser.get(CURLUPART_URL)
        else { return url.contains("@") ? "(not shown)" : url }
        return clean
    }
}

/// One CURLU handle, freed with its owner.
private struct Parser: ~Copyable {
    private let handle: OpaquePointer

    init?() {
        guard let handle = curl_url() else { return nil }
        self.handle = handle
    }

    /// Parses an absolute URL; nil if it is not one.
    static func asWritten(_ url: String) -> Parser? {
        guard let parser = Parser(), parser.set(CURLUPART_URL, url, UInt32(CURLU_NON_SUPPORT_SCHEME)) else {
            return nil
        }
        return parser
    }

    deinit { curl_url_cleanup(handle) }

    /// The same URL with an international host in ASCII (UTS #46, as in browsers); nil if that gives no valid name.
    ///
    /// The URL is parsed again: its ASCII host may be an address (`127。0。0。1`).
    consuming func inASCII() -> Parser? {
        guard let host = get(CURLUPART_HOST), !host.utf8.allSatisfy({ $0 < 0x80 }) else { return self }
        var components = URLComponents()
        components.scheme = "https"
        components.host = host
        guard let ascii = components.encodedHost,
            !ascii.isEmpty, ascii.utf8.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "%") }),
            set(CURLUPART_HOST, ascii.lowercased()), let url = get(CURLUPART_URL)
        else { return nil }
        return Parser.asWritten(url)
    }

    func set(_ part: CURLUPart, _ value: String, _ flags: UInt32 = 0) -> Bool {
        // A C string ends at a NUL.
        !value.utf8.contains(0) && curl_url_set(handle, part, value, flags) == CURLUE_OK
    }

    func clear(_ parts: [CURLUPart]) -> Bool { parts.allSatisfy { curl_url_set(handle, $0, nil, 0) == CURLUE_OK } }

    func get(_ part: CURLUPart, _ flags: UInt32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}
