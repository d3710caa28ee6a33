import Evidence
import Mustache

/// The templates. They are built in, so what is wrong with one is our own fault.
struct PageLibrary: Sendable {
    private let library: MustacheLibrary

    enum View: String, CaseIterable {
        case overview, domain, incidents, incident, login
    }

    init() throws {
        MustacheContentTypes.register(ScalarHTML(), named: ScalarHTML.name)
        var library = MustacheLibrary()
        let texts: [(String, [UInt8])] = [
            ("overview", PackageResources.overview_mustache), ("domain", PackageResources.domain_mustache),
            ("incidents", PackageResources.incidents_mustache), ("incident", PackageResources.incident_mustache),
            ("login", PackageResources.login_mustache), ("head", PackageResources.head_mustache),
            ("marks", PackageResources.marks_mustache), ("top", PackageResources.top_mustache),
            ("foot", PackageResources.foot_mustache), ("row", PackageResources.row_mustache),
            ("propagation", PackageResources.propagation_mustache), ("places", PackageResources.places_mustache),
            ("history", PackageResources.history_mustache),
        ]
        for (name, text) in texts {
            // A partial does not take the content type of what includes it.
            try library.register(
                "{{% CONTENT_TYPE: \(ScalarHTML.name)}}\n" + String(decoding: text, as: UTF8.self), named: name)
        }
        self.library = library
    }

    func render(_ view: View, _ model: Any) -> String {
        library.render(Fields.of(model), withTemplate: view.rawValue) ?? ""
    }
}
