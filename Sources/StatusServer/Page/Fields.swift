// From a view model to what Mustache reads: each property is looked at once, not once for each of its uses in a template.

/// The properties of a structure by name, those inside as well. An optional without a value is `false`, so that a section of
/// that name is not taken from the model around it.
enum Fields {
    static func of(_ value: Any) -> Any {
        switch value {
        case is String, is Bool: return value
        case let number as Int: return String(number)
        default: break
        }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional: return mirror.children.first.map { of($0.value) } ?? false
        case .collection: return mirror.children.map { of($0.value) }
        case .enum: return String(describing: value)
        default:
            return Dictionary(
                mirror.children.compactMap { child in child.label.map { ($0, of(child.value)) } }
            ) { first, _ in first }
        }
    }
}
