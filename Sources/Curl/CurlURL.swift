// libcurl's URL parser, so that what we judge of a URL is what a transfer will make of it.

import CCurl

/// URLs as libcurl reads them: <https://curl.se/libcurl/c/libcurl-url.html>
package enum CurlURL {
    /// A redirect's target: absolute, dots resolved, without fragment. A user and password in it are taken away, so that a
    /// redirect can never make us send credentials. nil when it cannot be parsed. Any scheme is kept: judge it by
    /// `components`.
    package static func resolve(_ location: String, against base: String) -> String? {
        let flags = UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE)
        guard let parser = Parser(), parser.set(CURLUPART_URL, base, flags) else { return nil }
        // An empty reference is the same document; libcurl would take the last part of the path away.
        guard location.isEmpty || parser.set(CURLUPART_URL, location, flags) else { return nil }
        return parser.clear([CURLUPART_FRAGMENT, CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_OPTIONS])
            ? parser.get(CURLUPART_URL) : nil
    }

    /// The parts of an absolute URL; scheme and host in lower case, an IPv6 host in brackets, the port that counts (0 where
    /// the scheme has none known and none is given), the path with its query. nil when it cannot be parsed.
    package static func components(_ url: String) -> (scheme: String, host: String, port: Int, path: String)? {
        guard let parser = Parser(), parser.set(CURLUPART_URL, url, UInt32(CURLU_NON_SUPPORT_SCHEME)),
            let scheme = parser.get(CURLUPART_SCHEME), let host = parser.get(CURLUPART_HOST)
        else { return nil }
        let port = parser.get(CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT)).flatMap { Int($0) } ?? 0
        let query = parser.get(CURLUPART_QUERY).map { "?" + $0 } ?? ""
        return (scheme.lowercased(), host.lowercased(), port, (parser.get(CURLUPART_PATH) ?? "/") + query)
    }

    /// The same URL for messages, without user and password; a placeholder where it cannot be parsed.
    static func withoutCredentials(_ url: String) -> String {
        guard let parser = Parser(), parser.set(CURLUPART_URL, url, UInt32(CURLU_NON_SUPPORT_SCHEME)),
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

    deinit { curl_url_cleanup(handle) }

    func set(_ part: CURLUPart, _ value: String, _ flags: UInt32 = 0) -> Bool {
        // C would read only as far as a NUL.
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
