import ArgumentParser
import Foundation

/// `aasa-monitor demo`: the real daemon on an embedded lab, with time running faster.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Show the main job on an embedded lab: a change, staleness, alerts, recovery.",
        discussion: """
            Starts origins and a copy of Apple's CDN on loopback, under a private certificate authority of its own, and \
            the real daemon on them. Nothing leaves this machine. Open the page that the first line names: it shows the \
            story while it happens. On a terminal a day takes a minute, elsewhere twelve seconds. Exits with 1 if an \
            expected alert is missing.
            """)

    @Flag(help: "Keep the lab and the status page up at the end, until Ctrl-C.")
    var keep = false

    @Flag(help: "A quarter of a minute on a terminal too.")
    var fast = false

    @Option(help: ArgumentHelp("Where the status page listens; 0 takes any free port.", valueName: "port"))
    var port = 0

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port takes a number from 0 to 65535") }
    }

    func run() async throws {
        let style = TextStyle.standardOutput
        let isWatched = isatty(STDOUT_FILENO) == 1
        let story = DemoStory(
            style: style, port: port, keepsRunning: keep, pace: isWatched && !fast ? .readable : .fast)
        guard let isComplete = try await story.tell() else { throw MonitorExit.interrupted.code }
        if !isComplete { throw MonitorExit.found.code }
    }
}
