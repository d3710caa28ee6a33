import ArgumentParser
import Curl
import MonitorConfiguration
import Probing

/// Where connections go and whom they trust: the options of every command that uses the network, with curl's names and
/// meaning.
struct ConnectionOptions: ParsableArguments {
    @Option(
        name: .customLong("cacert"),
        help: ArgumentHelp("Trust the certificates of this PEM file instead of the system's.", valueName: "file"),
        completion: .file())
    var caFile: String?

    @Option(
        name: .customLong("connect-to"), parsing: .singleValue,
        help: ArgumentHelp(
            "Connect to HOST2:PORT2 where HOST1:PORT1 is asked for; an empty part fits all.",
            valueName: "HOST1:PORT1:HOST2:PORT2"))
    var connectTo: [String] = []

    @Option(
        name: .customLong("resolve"), parsing: .singleValue,
        help: ArgumentHelp("Use these addresses for HOST:PORT.", valueName: "HOST:PORT:ADDRESS[,ADDRESS]"))
    var resolve: [String] = []

    @Option(
        help: ArgumentHelp("Go through this proxy; the environment's proxy variables never count.", valueName: "url"))
    var proxy: String?

    @Flag(name: [.customShort("4"), .customLong("ipv4")], help: "Use IPv4 only.")
    var isIPv4Only = false

    @Flag(name: [.customShort("6"), .customLong("ipv6")], help: "Use IPv6 only.")
    var isIPv6Only = false

    @Option(
        name: .customLong("cdn-url"),
        help: ArgumentHelp("Ask this copy of Apple's CDN (default: \(ProbeSettings.applesCDN)).", valueName: "url"))
    var cdnURL: String?

    func validate() throws {
        if isIPv4Only, isIPv6Only { throw ValidationError("-4 and -6 exclude each other") }
        do {
            try Curl.NetworkSettings(connectTo: connectTo, resolve: resolve, proxy: proxy).validate()
        } catch {
            throw ValidationError("--\(error)")
        }
        if let cdnURL {
            if let fault = WebAddress.fault(cdnURL, isBase: true) {
                throw ValidationError("--cdn-url \(fault), not '\(cdnURL)'")
            }
        }
    }

    /// What ArgumentParser's validation cannot report with the right exit code.
    /// - Throws: `CommandFailure`.
    func checkFiles() throws {
        if let caFile { try CertificateFile.check(caFile, option: "--cacert") }
    }

    var family: TransferRequest.AddressFamily { isIPv4Only ? .v4 : isIPv6Only ? .v6 : .any }
}
