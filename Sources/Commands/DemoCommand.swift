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
        commandName: "demo",
        abstract: "Show the monitor at work on an embedded lab: a change, staleness, alerts, recovery.",
        discussion: """
            Starts origins and a copy of Apple's CDN on loopback, with a private certificate authority, and lets the \
            real daemon monitor them. Nothing leaves this machine. Open the page that the first line names to watch it \
            happen. On a terminal a day takes one minute, elsewhere twelve seconds. On a busy machine it takes longer, \
            because the demo's clock waits for the daemon. Exits with 1 if an expected alert is missing.
            """)

    @Flag(help: "Keep the lab and the status page running at the end, until Ctrl-C.")
    var keep = false

    @Flag(help: "Let a day take twelve seconds on a terminal too.")
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

/// The demo, scene by scene. Each scene waits for the real event that it shows.
struct DemoStory: Sendable {
    let style: TextStyle
    let port: Int
    let keepsRunning: Bool

    let pace: DemoPace

    /// - Returns: whether everything happened as expected; nil if a signal ended it early.
    func tell() async throws -> Bool? {
        let stage = try await DemoStage.build(factor: pace.factor)
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
        let time = stage.time
        let configuration = try stage.configuration(port: port)
        let (addresses, address) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(1))
        let (stops, stop) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        var logger = MonitorLog.logger(configuration.log)
        logger.logLevel = .error
        var environment = MonitorDaemon.Environment(
            logger: logger, version: Version.number, userAgent: Version.userAgent,
            storePath: configuration.store.path)
        environment.clock = { _ in time }
        environment.onListening = { address.yield($0) }
        environment.untilStopped = { for await _ in stops { return } }
        let daemon = MonitorDaemon(configuration: configuration, environment: environment)
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
        teller.note("one second is at most \(pace.second) of demo time; times are UTC; nothing leaves this machine")
        var chat = DemoChat(stage, teller, page: page)
        // With --keep, time goes on after the demo, even after a failure.
        defer { stage.cue.end() }

        // Time to open the page, and to check each site.
        guard try await chat.passes(DemoPace.opening) else { return false }
        if let unchecked = DemoStage.all.first(where: { stage.lab.cdn.requests(for: $0).isEmpty }) {
            throw CommandFailure(.software, "the daemon did not check \(unchecked) in time")
        }
        teller.say("all well", "\(DemoStage.all.joined(separator: ", ")) are checked: origin and CDN agree.")

        stage.deployNewFile()
        teller.say(
            "deploy",
            "\(DemoStage.changing) deploys a new file with /trips/* and /help/*. Apple's CDN keeps the old one.")
        guard try await chat.passes(DemoPace.pause) else { return false }
        stage.refuseCrawler()
        teller.say("firewall", "\(DemoStage.refusing) switches on bot protection: AASA-Bot gets 403, browsers get 200.")
        chat.expect("FIRING \(DemoStage.refusing) origin.broken")
        guard try await chat.passes(DemoPace.pause) else { return false }
        stage.installWrongCertificate()
        teller.say("certificate", "\(DemoStage.misconfigured) installs a certificate for another name.")
        chat.expect("FIRING \(DemoStage.misconfigured) origin.unreachable")
        guard try await chat.passesUntilAllCame() else { return false }

        stage.admitCrawler()
        teller.say("repair", "\(DemoStage.refusing) lets AASA-Bot through; Apple asks again.")
        chat.expect("RESOLVED \(DemoStage.refusing) origin.broken")
        guard try await chat.passes(DemoPace.pause) else { return false }
        stage.installRightCertificate()
        teller.say("repair", "\(DemoStage.misconfigured) installs the right certificate.")
        chat.expect("RESOLVED \(DemoStage.misconfigured) origin.unreachable")
        guard try await chat.passesUntilAllCame() else { return false }

        chat.expect("FIRING \(DemoStage.changing) cdn.stale")
        guard try await chat.passesUntilAllCame(), try await chat.passes(DemoPace.pause) else { return false }
        stage.cdnPicksUpNewFile()
        teller.say("at last", "Apple's CDN picks up the new file of \(DemoStage.changing).")
        chat.expect("RESOLVED \(DemoStage.changing) cdn.stale")
        guard try await chat.passesUntilAllCame() else { return false }

        teller.title("Done: 3 alerts, 3 recoveries, none lost, none duplicated.")
        if !keepsRunning {
            teller.note("the page closes with the demo; to keep it open: aasa-monitor demo --keep")
        }
        teller.note("next: aasa-monitor check YOUR-DOMAIN, or aasa-monitor init YOUR-DOMAIN")
        return true
    }
}

/// How fast the demo runs. The events are the same at each pace.
struct DemoPace: Sendable {
    /// Demo time for each second, at most.
    let factor: Double

    /// A day of staleness takes twelve seconds: for tests and pipelines.
    static let fast = DemoPace(factor: 7200)
    /// A day takes a minute: slow enough to read, and to watch on the page.
    static let readable = DemoPace(factor: 1440)

    /// Before the first event, in demo time like those below. Longer than an interval, to check each site first.
    static let opening: Duration = .seconds(2 * 3600)
    /// Between two scenes.
    static let pause: Duration = .seconds(90 * 60)
    /// How long to wait for messages; far more than they take.
    static let patience: Duration = .seconds(4 * 86_400)
    /// How long the demo's clock may stand still, in real time. After that the daemon counts as stuck.
    static let timeout: Duration = .seconds(900)

    /// The demo time of one second: `24 min`.
    var second: String { factor.inWords }
}
