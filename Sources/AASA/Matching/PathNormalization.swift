// The normalisation that Apple's tool applies to a path pattern and to a URL's path alike, before they are compared.
// Observed in Apple's binaries and with `swcutil`; TN3155 agrees that `/test/*` covers `/test`.

enum PathNormalization {
    /// Empty becomes `/`; runs of `*` and of `/` shrink to one; a leading slash is added except before `*`; a final slash
    /// is added except after `*`. One character alone is left as it is.
    static func normalize(_ path: String) -> String {
        // Bytes, since only ASCII counts; but one character beyond ASCII is one character.
        let source = path.utf8
        guard let first = source.first else { return "/" }
        if path.unicodeScalars.dropFirst().isEmpty { return path }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(source.count + 2)
        if first != slash, first != star { bytes.append(slash) }
        for byte in source {
            if byte == slash || byte == star, bytes.last == byte { continue }
            bytes.append(byte)
        }
        if let last = bytes.last, last != slash, last != star { bytes.append(slash) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let slash = UInt8(ascii: "/")
    private static let star = UInt8(ascii: "*")
}
