import Mustache

/// The overview as HTML.
package struct OverviewPage: Sendable {
    private let template: MustacheTemplate

    /// - Throws: what is wrong with the template, which is built in: our own fault.
    package init() throws {
        MustacheContentTypes.register(ScalarHTML(), named: ScalarHTML.name)
        template = try MustacheTemplate(string: PageText.filled(PackageResources.overview_mustache))
    }

    package func render(_ overview: Overview) -> String { template.render(overview) }
}
