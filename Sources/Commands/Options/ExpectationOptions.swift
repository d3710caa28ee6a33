import AASA
import ArgumentParser
import Evidence

/// What is expected of the files of a check; the same as `expect` in the configuration.
struct ExpectationOptions: ParsableArguments {
    @Option(
        name: .customLong("expect-url"), parsing: .singleValue,
        help: ArgumentHelp(
            "A URL or path, and the app that it must open. For several targets it counts for each.",
            valueName: "url=app-id|nothing"))
    var urls: [String] = []

    @Option(
        name: .customLong("expect-app"), parsing: .singleValue,
        help: ArgumentHelp("An app ID that the file must name.", valueName: "app-id"))
    var apps: [String] = []

    @Option(
        name: .customLong("expect-service"), parsing: .singleValue,
        help: ArgumentHelp("A service that the file must have, such as webcredentials.", valueName: "service"))
    var services: [String] = []

    /// - Throws: `CommandFailure` for what cannot be read.
    func read() throws -> Expectations {
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
        return Expectations(
            apps: apps, services: services,
            urls: try urls.map { text in
                let question = try MatchQuestion(expectation: text)
                return ExpectedURL(url: question.url.text, opens: question.expected)
            })
    }
}
