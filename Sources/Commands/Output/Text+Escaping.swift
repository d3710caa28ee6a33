extension String {
    /// The text with some scalars replaced. By scalars, as readers of markup see them: a combining mark behind a sign makes
    /// another `Character` of the two.
    func escaped(_ replacement: (Unicode.Scalar) -> String?) -> String {
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if let text = replacement(scalar) {
                result.append(contentsOf: text.unicodeScalars)
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }
}
