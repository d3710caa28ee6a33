import ArgumentParser
import Daemon
import Evidence
import Foundation
import Lab
import Logging
import MonitorConfiguration
import Monitoring

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

/// The demo, scene by scene. Each scene waits for what it shows; nothing is shown that did not happen.
struct DemoStory: Sendable {
    let style: TextStyle
    let port: Int
    let keepsRunning: Bool

    let pace: DemoPace

    /// - Returns: whether everything happened as shown; nil where a signal ended it before.
    func tell() async throws -> Bool? {
        let stage = try await DemoStage.build()
        let result: Bool?
        do {
            result = try await perform(on: stage)
        } catch {
            await stage.tearDown()
            throw error
        }
        await stage.tearDown()
        return result
    }

    private func perform(on stage: DemoStage) async throws -> Bool? {
        let time = AcceleratedTime(factor: pace.factor)
        let configuration = try stage.configuration(port: port)
        let (addresses, address) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(1))
        let (stops, stop) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        var logger = MonitorLog.logger(configuration.log)
        logger.logLevel = .error
        let daemon = MonitorDaemon(
            configuration: configuration,
            surroundings: MonitorDaemon.Surroundings(
                clock: { _ in time }, logger: logger, version: Version.number, userAgent: Version.userAgent,
                storePath: configuration.store.path, onListening: { address.yield($0) },
                untilStopped: { for await _ in stops { return } }))
        let teller = DemoTeller(style: style, time: time)
        return try await withThrowingTaskGroup(of: Bool?.self) { group in
            group.addTask {
                try await RunCommand.explaining { try await daemon.run() }
                return nil
            }
            group.addTask {
                var iterator = addresses.makeAsyncIterator()
                guard let page = await iterator.next() else { return false }
                return try await play(stage, teller, page)
            }
            var isComplete: Bool?
            while let result = try await group.next() {
                guard let result else { break }
                isComplete = result
                if keepsRunning {
                    teller.note("the page stays up; press Ctrl-C to end")
                } else {
                    stop.yield()
                }
            }
            group.cancelAll()
            return isComplete
        }
    }

    private func play(_ stage: DemoStage, _ teller: DemoTeller, _ page: String) async throws -> Bool {
        teller.title("Open \(page) and watch it happen.")
        teller.title("aasa-monitor demo: five sites, a copy of Apple's CDN, and the real daemon on loopback")
        teller.note("one second is \(pace.second), times are UTC; nothing leaves this machine")
        var chat = DemoChat(stage.chat, teller, page: page, timeout: pace.timeout)
        try await Task.sleep(for: pace.opening)

        try await waitForFirstChecks(stage)
        teller.say("all well", "\(DemoStage.all.joined(separator: ", ")) are checked: origin and CDN agree.")

        stage.deployNewFile()
        teller.say(
            "deploy",
            "\(DemoStage.changing) deploys a new file with /trips/* and /help/*. Apple's CDN keeps the old one.")
        try await Task.sleep(for: pace.pause)
        stage.refuseCrawler()
        teller.say("firewall", "\(DemoStage.refusing) switches on bot protection: AASA-Bot gets 403, browsers get 200.")
        try await Task.sleep(for: pace.pause)
        stage.installWrongCertificate()
        teller.say("certificate", "\(DemoStage.misconfigured) installs a certificate made out to another name.")

        guard
            await chat.expect([
                "FIRING \(DemoStage.refusing) origin.broken",
                "FIRING \(DemoStage.misconfigured) origin.unreachable",
                "FIRING \(DemoStage.changing) cdn.stale",
            ])
        else { return false }

        stage.cdnPicksUpNewFile()
        teller.say("at last", "Apple's CDN picks up the new file of \(DemoStage.changing).")
        try await Task.sleep(for: pace.pause)
        try await stage.admitCrawler(after: .seconds(3 * 30 * 60 / pace.factor))
        teller.say("repair", "\(DemoStage.refusing) lets AASA-Bot pass; Apple asks again.")
        try await Task.sleep(for: pace.pause)
        stage.installRightCertificate()
        teller.say("repair", "\(DemoStage.misconfigured) installs the right certificate.")

        guard
            await chat.expect([
                "RESOLVED \(DemoStage.refusing) origin.broken",
                "RESOLVED \(DemoStage.misconfigured) origin.unreachable",
                "RESOLVED \(DemoStage.changing) cdn.stale",
            ])
        else { return false }
        teller.title("Done: 3 alerts, 3 recoveries, none lost, none duplicated.")
        if !keepsRunning {
            teller.note("the page ends with the demo; to look around on it: aasa-monitor demo --keep")
        }
        teller.note("next: aasa-monitor check YOUR-DOMAIN, or aasa-monitor init YOUR-DOMAIN")
        return true
    }

    /// The daemon checks every site once before anything happens to one.
    private func waitForFirstChecks(_ stage: DemoStage) async throws {
        let deadline = ContinuousClock.now + pace.timeout
        while !DemoStage.all.allSatisfy({ !stage.lab.cdn.requests(for: $0).isEmpty }) {
            guard ContinuousClock.now < deadline else {
                throw CommandFailure(.software, "the daemon did not check the lab's sites in time")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        // One interval more, so that the first checks are evaluated and stored.
        try await Task.sleep(for: .milliseconds(500))
    }
}

/// How fast the demo tells its story.
struct DemoPace: Sendable {
    /// Story time for each second.
    let factor: Double
    /// Before the story begins, so that somebody can open the page.
    let opening: Duration
    /// Between two scenes.
    let pause: Duration
    /// For each wait; far more than it takes.
    let timeout: Duration

    /// A day of staleness takes twelve seconds: for tests and pipelines.
    static let fast = DemoPace(factor: 7200, opening: .zero, pause: .zero, timeout: .seconds(60))
    /// A day takes a minute: to be read, and watched on the page.
    static let readable = DemoPace(
        factor: 1440, opening: .seconds(6), pause: .seconds(4), timeout: .seconds(240))

    /// What a second is in the story: `24 min`.
    var second: String { factor.inWords }
}
