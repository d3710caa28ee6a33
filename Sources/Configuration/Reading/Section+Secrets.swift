// Secrets of the format: each key `x` may stand as `x_file` instead, which names a file that holds it.

extension Section {
    /// A secret with the place to complain about; its own text is for checks only, never for messages.
    struct SecretText {
        let value: String
        let position: SourcePosition
        let isFromFile: Bool
    }

    /// Nil where neither key is given, and after telling what is wrong with them.
    func secret(_ key: String, isRequired: Bool = false) -> SecretText? {
        let fileKey = key + "_file"
        let (isDirect, isFile) = (isGiven(key), isGiven(fileKey))
        guard !isDirect || !isFile else {
            let position = max(entry(key)?.position ?? .start, entry(fileKey)?.position ?? .start)
            reading.error("'\(key)' and '\(fileKey)' are both given \(title); keep one of them", at: position)
            return nil
        }
        if isFile {
            return text(fileKey, "a path", isRequired: true).flatMap { path in
                reading.secret(inFile: path, for: fileKey).map {
                    SecretText(value: $0, position: path.position, isFromFile: true)
                }
            }
        }
        guard isDirect else {
            if isRequired { reading.error("'\(key)' (or '\(fileKey)') is missing \(title)", at: position) }
            return nil
        }
        return text(key, "a text", isRequired: true, isConcealed: true).map {
            SecretText(value: $0.value, position: $0.position, isFromFile: false)
        }
    }
}
