/// What the owner of a domain wants its file to say.
package struct Expectations: Sendable, Equatable {
    /// What a URL should do on a device that has the app.
    package enum Opening: Sendable, Equatable {
        case nothing
        /// The application identifier, `TEAMID.bundle`.
        case app(String)
    }

    /// One URL with what should become of it.
    package struct ExpectedURL: Sendable, Equatable {
        /// A path of the domain that starts with `/`, or a whole https URL.
        package var url: String
        /// Nil: not judged.
        package var opens: Opening?
        /// Whether somebody without the app should find a web page there; nil: not judged.
        package var page: Bool?

        package init(url: String, opens: Opening? = nil, page: Bool? = nil) {
            self.url = url
            self.opens = opens
            self.page = page
        }
    }

    /// Application identifiers that the file must name.
    package var apps: [String]
    /// Services that the file must have, such as `applinks`.
    package var services: [String]
    package var urls: [ExpectedURL]

    package init(apps: [String] = [], services: [String] = [], urls: [ExpectedURL] = []) {
        self.apps = apps
        self.services = services
        self.urls = urls
    }
}
