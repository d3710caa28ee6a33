/// How one attempt to deliver went, as far as it is written down.
package struct Attempt: Equatable, Sendable {
    /// The class of the outcome: a fixed word, fit for a metric.
    package let `class`: String
    /// The HTTP status, where one came.
    package let status: Int?
    /// Words of the receiver or of the network, free of secrets; cut to 500 characters.
    package let error: String?
    /// Whether the receiver may have the message in spite of what came back: a reset or a 500 does not say. False where it
    /// took it, refused it, or was never reached.
    package let isUnclear: Bool

    package init(class: String, status: Int?, error: String?, isUnclear: Bool = false) {
        self.class = `class`
        self.status = status
        self.error = error.map { String($0.prefix(500)) }
        self.isUnclear = isUnclear
    }
}
