import ArgumentParser
import Curl
import MonitorConfiguration
import Probing

/// The options of every command that asks each place once, with curl's names and meaning.
struct NetworkOptions: ParsableArguments {
    @OptionGroup var connections: ConnectionOptions

    @Option(
        name: .customLong("max-time"),
        help: ArgumentHelp("Time limit for the origin, and again for the CDN (default: 10).", valueName: "seconds"))
    var maxTime: Double?

    func validate() throws {
        if let maxTime, !(maxTime > 0 && maxTime <= 3600) {
            throw ValidationError("--max-time takes seconds above 0 and up to 3600, not \(maxTime)")
        }
    }

    var timeout: Duration? { maxTime.map { .milliseconds(Int64($0 * 1000)) } }
}
