import Evidence

extension Diagnosis {
    /// Any diagnosis with this text among its arguments.
    package static func saying(_ text: String) -> Diagnosis { .monitor(.ownFault(detail: text)) }
}
