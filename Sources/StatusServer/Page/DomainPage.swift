import Mustache

/// One domain as HTML.
package struct DomainPage: Sendable {
    private let template: MustacheTemplate

    /// - Throws: what is wrong with the template, which is built in: our own fault.
    package init() throws {
        MustacheContentTypes.register(ScalarHTML(), named: ScalarHTML.name)
        template = try MustacheTemplate(string: PageText.filled(PackageResources.domain_mustache))
    }

    package func render(_ domain: DomainDetail) -> String { template.render(domain) }
}
