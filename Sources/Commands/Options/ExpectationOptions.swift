import AASA
import ArgumentParser
import Evidence

/// What is expected of the files of a check; the same as `expect` in the configuration.
struct ExpectationOptions: ParsableArguments {
    @Option(
        name: .customLong("expect-url"), parsing: .singleValue,
        help: ArgumentHelp(
            "A URL or path, and the app that it must open. A path counts for each target, a URL for its own.",
            valueName: "url=app-id|nothing"))
    var urls: [String] = []

    @Option(
        name: .customLong("expect-app"), parsing: .singleValue,
        help: ArgumentHelp("An app ID that the file must name.", valueName: "app-id"))
    var apps: [String] = []

    @Option(
        name: .customLong("expect-service"), parsing: .singleValue,
        help: ArgumentHelp("A service that the file must have, such as webcredentials.", valueName: "service"),
        completion: .list(Association.knownServices.sorted()))
    var services: [String] = []

    /// What counts for each of `domains`.
    /// - Throws: `CommandFailure` for what cannot be read, or is of none of them.
    func read(for domains: [Domain]) throws -> [Domain: Expectations] {
        for service in services where !Association.knownServices.contains(service) {
            let known = Association.knownServices.sorted().joined(separator: ", ")
            throw CommandFailure(
                .usage, "--expect-service: '\(service.displayable)' is no service that Apple knows; they are \(known)")
        }
        for app in apps {
            guard let fault = Expectations.fault(ofApp: app) else { continue }
            throw CommandFailure(
                .usage,
                "--expect-app: '\(app.displayable.shortened(to: 200))' can be no app's ID: \(fault.displayable); write it as "
                    + "the app's signature has it, such as ABCDE12345.com.example.app")
        }
        var result = Dictionary(
            domains.map { ($0, Expectations(apps: apps, services: services)) }, uniquingKeysWith: { first, _ in first })
        for text in urls {
            let question = try MatchQuestion(expectation: text)
            let deciding: [Domain]
            switch try LinkOwner(of: question.url, among: domains) {
            case .any: deciding = Array(result.keys)
            case .own(let domain): deciding = [domain]
            case .above(let domain):
                LinkOwner.note(question.url, domain)
                deciding = [domain]
            // The targets are asked for the host's own file or none.
            case .other: deciding = []
            }
            for domain in deciding {
                result[domain]?.urls.append(ExpectedURL(url: question.url.text, opens: question.expected))
            }
        }
        return result
    }
}
