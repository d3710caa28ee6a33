import ArgumentParser
import Evidence
import Foundation

/// `aasa-monitor audit --entitlements FILE...`: what apps claim, compared with what their domains serve.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Check that the domains which an app claims name the app.",
        discussion: """
            For each associated domain in the entitlements of apps: do the origin's file and Apple's copy name the app, \
            for that service? Each domain is asked once for each mode, lightly; `check` says why a file is missing.

            Only the entitlements of a signed app say its ID and have no build settings: \
            codesign -d --entitlements - --xml App.app > App.entitlements. For others name it with --app.

            Exit codes: 0 each place that devices read names the app, 1 at least one does not, 64 usage, 66 a file that \
            cannot be read, 78 configuration.
            """)

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("The entitlements of apps, a file each; - is standard input.", valueName: "file"),
        completion: .file(extensions: ["entitlements", "plist", "xcent"]))
    var entitlements: [String]

    @Option(
        help: ArgumentHelp(
            "The app's ID, where a file does not say it, such as ABCDE12345.com.example.app.", valueName: "app-id"))
    var app: String?

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

    @Option(help: "text or json.") var format = Format.text

    @OptionGroup var network: NetworkOptions
    @OptionGroup var configuration: ConfigurationOptions

    /// Domains under way at once; further ones wait.
    private static let maximumConcurrent = 32

    func validate() throws {
        if let app, let fault = Expectations.fault(ofApp: app) {
            throw ValidationError(
                "--app: '\(app.displayable.shortened(to: 200))' can be no app's ID: \(fault.displayable)")
        }
    }

    func run() async throws {
        try network.connections.checkFiles()
        let apps = try entitlements.map { path in
            let file = try Entitlements(at: path)
            return (path: path, id: try id(of: file, at: path), entries: file.entries)
        }
        let reports = try await reports(of: apps.flatMap(\.entries))
        let audits = apps.map { app in
            AppAudit(
                app: app.id, path: app.path,
                entries: app.entries.map { entry in AuditedEntry(entry, of: app.id) { reports[$0] } })
        }
        switch format {
        case .json: Console.print(AppAudit.json(of: audits).text(isPretty: true))
        case .text:
            let style = TextStyle.standardOutput
            Console.print(audits.map { $0.text(style: style) }.joined(separator: "\n\n"))
        }
        if !audits.allSatisfy(\.isNamed) { throw MonitorExit.found.code }
    }

    private func id(of file: Entitlements, at path: String) throws -> String {
        if let known = file.app ?? app { return known }
        throw CommandFailure(
            .usage,
            "\(path.displayable) does not say which app it is of; name it with --app, such as "
                + "ABCDE12345.com.example.app, or take the entitlements of the signed app")
    }

    /// Each domain and mode once, also where several entries name it.
    private func reports(of entries: [Entitlements.Entry]) async throws -> [Target: CheckReport] {
        let targets = Set(entries.compactMap { try? $0.meaning.get().target }).sorted {
            $0.domain.name < $1.domain.name
        }
        let checker = try OneShotChecker(
            connections: network.connections, timeout: network.timeout, asksCDN: false, targets: targets.count,
            configuration: try configuration.loadIfPresent())
        var reports: [Target: CheckReport] = [:]
        try await checker.close(after: {
            try await OrderedWork.run(targets, maximumConcurrent: Self.maximumConcurrent) { target in
                // The configuration's mode is of what it watches; here the entitlement decides.
                (target, try await checker.check(target, in: target.mode, depth: .light))
            } each: { target, report in
                reports[target] = report
            }
        })
        return reports
    }
}
