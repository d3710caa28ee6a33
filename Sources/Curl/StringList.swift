import CCurl

/// A libcurl string list. libcurl keeps the pointer, so its owner must outlive the handle it is set on.
final class StringList {
    private(set) var pointer: UnsafeMutablePointer<curl_slist>?

    /// - Throws: `.outOfMemory`.
    init(_ entries: [String]) throws(CurlError) {
        for entry in entries {
            guard let longer = curl_slist_append(pointer, entry) else {
                curl_slist_free_all(pointer)
                pointer = nil
                throw CurlError(code: .outOfMemory, phase: .resolving, message: "no memory for a list of options")
            }
            pointer = longer
        }
    }

    deinit { curl_slist_free_all(pointer) }
}
