// What the people who own a domain expect of its file: `expect` of the configuration, `--expect-…` of the command line.

/// Expectations of one domain's file.
package struct Expectations: Codable, Equatable, Sendable {
    /// App IDs that the file must name: in each of `services`, or in any service where that list is empty.
    package var apps: [String]
    /// Services that the file must have.
    package var services: [String]
    package var urls: [ExpectedURL]

    package init(apps: [String] = [], services: [String] = [], urls: [ExpectedURL] = []) {
        self.apps = apps
        self.services = services
        self.urls = urls
    }

    /// These and others together.
    package func adding(_ other: Expectations) -> Expectations {
        Expectations(apps: apps + other.apps, services: services + other.services, urls: urls + other.urls)
    }

    package var isEmpty: Bool { apps.isEmpty && services.isEmpty && urls.isEmpty }
}

/// A URL and what it must do.
package struct ExpectedURL: Codable, Equatable, Sendable {
    /// Absolute, or a path.
    package var url: String
    /// nil: not expected of this URL.
    package var opens: ExpectedOpening?
    /// Whether somebody without the app must find a web page there.
    package var page: Bool?

    package init(url: String, opens: ExpectedOpening? = nil, page: Bool? = nil) {
        self.url = url
        self.opens = opens
        self.page = page
    }
}

package enum ExpectedOpening: Codable, Equatable, Sendable, CustomStringConvertible {
    case nothing
    case app(String)

    /// `nothing`, or an app ID.
    package init(parsing text: String) { self = text == "nothing" ? .nothing : .app(text) }

    package var description: String {
        switch self {
        case .nothing: "nothing"
        case .app(let app): app.displayable
        }
    }
}
