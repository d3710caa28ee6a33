// Which key was probably meant. Known misspellings first, then the nearest by edit distance.

enum KeySuggestion {
    /// The keys that count at one place.
    struct Candidates {
        let keys: Set<String>
        fileprivate let plain: [(key: String, form: [UInt8])]

        init(_ keys: [String]) {
            self.keys = Set(keys)
            plain = keys.map { ($0, KeySuggestion.plainForm($0)) }
        }
    }

    static let services = Candidates(Association.knownServices.sorted())
    static let ofService = Candidates(["apps"])
    static let ofApplinks = Candidates(["apps", "defaults", "details", "substitutionVariables"])
    static let ofEntry = Candidates(["appID", "appIDs", "components", "defaults", "paths"])
    static let ofComponent = Candidates(["#", "/", "?", "caseSensitive", "comment", "exclude", "percentEncoded"])

    /// What people write, and what they mean, where the edit distance alone would not tell.
    private static let known: [String: String] = [
        "path": "paths", "url": "/", "pattern": "/", "query": "?", "queryitems": "?", "querystring": "?", "params": "?",
        "fragment": "#", "hash": "#", "excludes": "exclude", "excluded": "exclude", "not": "exclude",
        "ignorecase": "caseSensitive", "casesensitivity": "caseSensitive", "encoded": "percentEncoded",
        "urlencoded": "percentEncoded", "description": "comment", "applicationid": "appID", "applicationids": "appIDs",
        "bundleid": "appID", "bundleids": "appIDs", "app": "apps", "component": "components", "detail": "details",
        "default": "defaults", "variables": "substitutionVariables", "substitutions": "substitutionVariables",
        "universallinks": "applinks", "links": "applinks", "deeplinks": "applinks", "credentials": "webcredentials",
        "passkeys": "webcredentials", "handoff": "activitycontinuation", "clips": "appclips",
    ]

    /// - Returns: nil where none is near, or where the key is one of them.
    static func nearest(to key: String, among candidates: Candidates) -> String? {
        guard key.utf8.count <= 40, !candidates.keys.contains(key) else { return nil }
        let plain = plainForm(key)
        guard !plain.isEmpty else { return nil }
        if let same = candidates.plain.first(where: { $0.form == plain }) { return same.key }
        let word = String(decoding: plain, as: UTF8.self)
        // In a component `path` is the pattern's own key, elsewhere it is the list.
        if candidates.keys.contains("/"), word == "path" || word == "paths" { return "/" }
        if let meant = known[word], candidates.keys.contains(meant) { return meant }
        let allowed = plain.count >= 8 ? 2 : plain.count >= 4 ? 1 : 0
        var best: (key: String, distance: Int)?
        for candidate in candidates.plain
        where candidate.form.count > 1 && abs(candidate.form.count - plain.count) <= allowed {
            let distance = distance(plain, candidate.form)
            if distance <= allowed, distance < best?.distance ?? .max { best = (candidate.key, distance) }
        }
        return best?.key
    }

    /// Without case, separators and stray characters: `App-Links` and `applinks` are one.
    private static func plainForm(_ key: String) -> [UInt8] {
        var form: [UInt8] = []
        for byte in key.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): form.append(byte + 32)
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): form.append(byte)
            default: continue
            }
        }
        return form.isEmpty ? Array(key.trimmingBlanks.utf8) : form
    }

    /// Insertions, deletions, replacements and swaps of neighbours that lead from one to the other.
    private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        var rows = [Array(0...other.count)]
        for (index, byte) in one.enumerated() {
            var row = [index + 1]
            for (column, against) in other.enumerated() {
                var best = min(rows[index][column] + (byte == against ? 0 : 1), rows[index][column + 1] + 1)
                best = min(best, row[column] + 1)
                if index > 0, column > 0, byte == other[column - 1], one[index - 1] == against {
                    best = min(best, rows[index - 1][column - 1] + 1)
                }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[one.count][other.count]
    }
}

extension String {
    /// Without blanks, line breaks and invisible characters at both ends.
    var trimmingBlanks: String {
        func isBlank(_ scalar: Unicode.Scalar) -> Bool {
            scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint || scalar.value < 0x20
        }
        let start = unicodeScalars.drop(while: isBlank)
        var end = start
        while let last = end.last, isBlank(last) { end.removeLast() }
        return String(end)
    }
}
