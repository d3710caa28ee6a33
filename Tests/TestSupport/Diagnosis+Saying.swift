import Evidence

extension Diagnosis {
    /// Any diagnosis, with a text among its arguments.
    package static func saying(_ text: String) -> Diagnosis { .monitor(.ownFault(detail: text)) }
}
