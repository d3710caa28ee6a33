import ArgumentParser
import Curl
import Evidence
import Facts
import Foundation
import MonitorConfiguration
import Probing

/// How a command reaches sites and Apple's CDN, with curl's names and meaning. `Limit`: what its time limit is for.
///
/// One flat group: a debug build of the parser checks a group five times for each level of nesting, at every start.
struct NetworkOptions<Limit: TimeLimit>: ParsableArguments {
    @Option(
        name: .customLong("cacert"),
        help: ArgumentHelp("Trust the certificates of this PEM file instead of the system's.", valueName: "file"),
        completion: .file())
    var caFile: String?

    @Option(
        name: .customLong("connect-to"), parsing: .singleValue,
        help: ArgumentHelp(
            "Connect to HOST2:PORT2 instead of HOST1:PORT1; an empty part matches any.",
            valueName: "HOST1:PORT1:HOST2:PORT2"))
    var connectTo: [String] = []

    @Option(
        name: .customLong("resolve"), parsing: .singleValue,
        help: ArgumentHelp("Use these addresses for HOST:PORT.", valueName: "HOST:PORT:ADDRESS[,ADDRESS]"))
    var resolve: [String] = []

    @Option(
        help: ArgumentHelp("Use this proxy; the environment's proxy variables are ignored.", valueName: "url"))
    var proxy: String?

    @Flag(name: [.customShort("4"), .customLong("ipv4")], help: "Use IPv4 only.")
    var isIPv4Only = false

    @Flag(name: [.customShort("6"), .customLong("ipv6")], help: "Use IPv6 only.")
    var isIPv6Only = false

    @Option(
        name: .customLong("cdn-url"),
        help: ArgumentHelp("Ask this copy of Apple's CDN (default: \(AppleCDN.baseURL)).", valueName: "url"))
    var cdnURL: String?

    @Option(name: .customLong("max-time"), help: Limit.help, transform: TimeSpan.reading(Limit.range))
    var maxTime: TimeSpan?

    @Option(name: .customLong("config"), help: ConfigurationOptions.help, completion: .file())
    var configurationPath: String?

    var configuration: ConfigurationOptions { ConfigurationOptions(path: configurationPath) }

    func validate() throws {
        if isIPv4Only, isIPv6Only { throw ValidationError("give -4 or -6, not both") }
        do {
            try Curl.NetworkSettings(connectTo: connectTo, resolve: resolve, proxy: proxy).validate()
        } catch {
            throw ValidationError("--\(error.failure.detail)")
        }
        if let cdnURL {
            if let fault = WebAddress.fault(cdnURL, isBase: true) {
                throw ValidationError("--cdn-url: '\(cdnURL.displayable.shortened(to: 200))' \(fault)")
            }
        }
    }

    /// What ArgumentParser's validation cannot report with the right exit code.
    /// - Throws: `CommandFailure`.
    func checkFiles() throws {
        if let caFile { try CertificateFile.check(caFile, as: "'\(caFile.displayable)'", option: "--cacert") }
    }

    /// The limit for the origin, and again for the CDN; nil: the configuration's.
    var timeout: Duration? { Limit.isOfOneCheck ? maxTime?.duration : nil }

    var family: TransferRequest.AddressFamily { isIPv4Only ? .v4 : isIPv6Only ? .v6 : .any }
}

/// What `--max-time` limits.
protocol TimeLimit {
    static var help: ArgumentHelp { get }
    static var range: ClosedRange<Duration> { get }
    static var isOfOneCheck: Bool { get }
}

/// The limit of a command that asks each place once.
enum LimitOfOneCheck: TimeLimit {
    static let help = ArgumentHelp(
        "Time limit for the origin, and again for the CDN: seconds, or a duration such as 1m30s (default: 10s).",
        valueName: "time")
    static let range = Duration.milliseconds(1)...(.seconds(3600))
    static let isOfOneCheck = true
}

/// The limit of a command that asks again and again.
enum LimitOfWholeWatch: TimeLimit {
    static let help = ArgumentHelp(
        "Time limit for the whole watch: seconds, or a duration such as 1h (default: 1d). Each request takes at most "
            + "the timeout in the configuration's defaults (default: 10s), and never more than the time left.",
        valueName: "time")
    /// A year is enough for users who mean "for ever".
    static let range = Duration.milliseconds(1)...(.seconds(365 * 86_400))
    static let isOfOneCheck = false
}

/// A file of trusted certificates that the user named. If it contains no certificate, every check would fail, and not
/// because of the site.
enum CertificateFile {
    /// The system's whole trust store is below 1 MiB.
    private static let limit = 16 << 20

    /// Checks the file that a configuration names, if any.
    /// - Throws: `CommandFailure`.
    static func check(of file: ConfigurationFile) throws(CommandFailure) {
        guard let path = file.network.caFile else { return }
        try check(path, as: file.shown("'\(path.displayable)'", of: "network.ca_file"), option: "network.ca_file")
    }

    /// `shown`: what messages call it.
    /// - Throws: `CommandFailure`.
    static func check(_ path: String, as shown: String, option: String) throws(CommandFailure) {
        let data: Data
        do {
            data = Data(try SmallFile.bytes(at: path, limit: limit))
        } catch {
            throw CommandFailure(.noInput, "\(option): cannot read \(shown): \(error.reason)")
        }
        guard
            data.firstRange(of: Data("-----BEGIN CERTIFICATE-----".utf8)) != nil
                || data.firstRange(of: Data("-----BEGIN TRUSTED CERTIFICATE-----".utf8)) != nil
        else {
            throw CommandFailure(.noInput, "\(option): the file \(shown) contains no PEM certificate")
        }
    }
}
