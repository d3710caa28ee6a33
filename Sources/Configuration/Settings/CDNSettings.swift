/// How Apple's CDN is asked.
package struct CDNSettings: Sendable, Equatable {
    /// Without a final slash; a domain's name is appended as one more path component.
    package var baseURL = "https://app-site-association.cdn-apple.com/a/v1"
    /// Whether each address of the CDN is asked, not only the first.
    package var edges = true
    /// For all domains together; more than 0.
    package var requestsPerSecond: Double = 50
    /// Whether the CDN is asked for a domain whose origin has no file yet; Apple would remember the failure.
    package var askBeforeOrigin = false

    package init() {}
}
