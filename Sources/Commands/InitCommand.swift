import ArgumentParser
import Evidence
import Foundation
import MonitorConfiguration
import Monitoring

/// `aasa-monitor init`: a configuration to begin with.
struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Write a commented configuration.",
        discussion: """
            Takes the domains as arguments, from the entitlements of apps, or both. For a wildcard such as \
            *.example.com the file of example.com is watched. For an entry with mode=developer or mode=managed, \
            Apple's CDN is not watched. --channel adds a channel. Its address goes into a separate file, because \
            anyone who knows the address can post there. Existing files are never overwritten.
            """)

    @Option(
        help: ArgumentHelp(
            "An app's entitlements, to watch its associated domains. Can be given several times.", valueName: "file"),
        completion: .file(extensions: ["entitlements", "plist"]))
    var entitlements: [String] = []

    @Option(
        help: ArgumentHelp(
            "The chat that gets the alerts: \(ChannelKind.ofOneAddress.map(\.rawValue).joined(separator: ", ")).",
            valueName: "type"),
        completion: .list(ChannelKind.ofOneAddress.map(\.rawValue)))
    var channel: String?

    @Option(
        name: [.short, .long], help: ArgumentHelp("Where to write it; - for standard output.", valueName: "file"),
        completion: .file())
    var output = "monitor.yaml"

    @Argument(help: "Domains, URLs or entitlements such as applinks:example.com; @FILE and - read a list.")
    var targets: [String] = []

    func run() async throws {
        var named = targets.isEmpty ? [] : try Targets.read(targets)
        for path in entitlements {
            var claimed: [Target] = []
            for entry in try Entitlements(at: path).entries {
                switch entry.meaning {
                case .success(let claim): claimed.append(Target(domain: claim.domain, mode: claim.mode))
                case .failure(let fault):
                    Console.remark("\(path.displayable): '\(entry.shown)' is left out: \(fault.words)")
                }
            }
            guard !claimed.isEmpty else {
                throw CommandFailure(
                    .noInput, "\(path.displayable) names no associated domain that can be watched (\(Entitlements.key))"
                )
            }
            named += claimed
        }
        let type = try channelType()
        let text = InitialConfiguration.text(watching: named, notifying: type)
        guard output != "-" else {
            Console.write(text, to: STDOUT_FILENO)
            return
        }
        try write(text)
        let count = max(1, Set(named.map(\.domain)).count)
        let domains = count == 1 ? "1 domain" : "\(count) domains"
        var next = "add a channel to the file, then: aasa-monitor config check --config \(output)"
        if let type {
            let folder = output.lastIndex(of: "/").map { String(output[...$0]) } ?? ""
            let file = folder + InitialConfiguration.addressFile(type)
            try prepareAddress(file)
            next =
                "put the channel's address into \(file), then: aasa-monitor alert test"
                + (output == "monitor.yaml" ? "" : " --config \(output)")
        }
        Console.print("\(output): \(domains)\(named.isEmpty ? " as an example, replace it with yours" : ""); \(next)")
    }

    private func channelType() throws -> ChannelKind? {
        guard let channel else { return nil }
        guard let type = ChannelKind.ofOneAddress.first(where: { $0.rawValue == channel }) else {
            let known = ChannelKind.ofOneAddress.map(\.rawValue).joined(separator: ", ")
            let isOther = ChannelKind(rawValue: channel) != nil
            throw CommandFailure(
                .usage,
                isOther
                    ? "a channel of type \(channel) needs more than an address: write it into the file as described in "
                        + "docs/reference/channels.md; --channel takes \(known)"
                    : "--channel takes \(known), not '\(channel.displayable)'")
        }
        return type
    }

    /// Creates an empty file that only its user can read. An existing file stays unchanged.
    private func prepareAddress(_ path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw CommandFailure(
                .noInput, "\(path) cannot be written: \(String(cString: strerror(errno)).lowercased())")
        }
        close(file)
    }

    private func write(_ text: String) throws {
        let file = open(output, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard file >= 0 else {
            let fault = errno
            if fault == EEXIST {
                throw CommandFailure(
                    .usage, "\(output) already exists and stays unchanged; name another file with --output")
            }
            throw CommandFailure(
                .noInput, "\(output) cannot be written: \(String(cString: strerror(fault)).lowercased())")
        }
        defer { close(file) }
        guard Console.write(text, to: file) else {
            unlink(output)
            throw CommandFailure(.software, "\(output) cannot be written completely; is the disk full?")
        }
    }
}

/// The configuration that `init` writes: `monitor.yaml` of this project, with other domains.
enum InitialConfiguration {
    /// `targets`: if empty, the example's domain stays. A domain in several modes is watched in production: those
    /// devices read Apple's copy of the same file.
    static func text(watching targets: [Target], notifying type: ChannelKind?) -> String {
        var example = String(decoding: PackageResources.monitor_yaml, as: UTF8.self)
        if let type {
            let channel = "    - {name: ops, type: \(type.rawValue), url_file: \(addressFile(type))}\n"
            example = example.replacing("\n  channels:\n", with: "\n  channels:\n" + channel, maxReplacements: 1)
        }
        guard !targets.isEmpty else { return example }
        return example.replacing("\n  - example.com\n", with: "\n" + entries(targets).joined(), maxReplacements: 1)
    }

    /// In the folder of the configuration.
    static func addressFile(_ type: ChannelKind) -> String { "\(type.rawValue).url" }

    private static func entries(_ targets: [Target]) -> [String] {
        var seen: Set<Domain> = []
        return targets.filter { seen.insert($0.domain).inserted }.map { first in
            let modes = targets.filter { $0.domain == first.domain }.map(\.mode)
            let mode = modes.contains(.production) ? .production : first.mode
            return mode == .production
                ? "  - \(first.domain)\n" : "  - {domain: \(first.domain), mode: \(mode.rawValue)}\n"
        }
    }
}
