import ArgumentParser
import Curl
import MonitorConfiguration
import Probing

/// The options of every command that asks each place once, with curl's names and meaning.
struct NetworkOptions: ParsableArguments {
    @OptionGroup var connections: ConnectionOptions

    @Option(
        name: .customLong("max-time"),
        help: ArgumentHelp(
            "Time limit for the origin, and again for the CDN: seconds, or a duration such as 1m30s (default: 10s).",
            valueName: "time"), transform: TimeSpan.reading(.milliseconds(1)...(.seconds(3600))))
    var maxTime: TimeSpan?

    var timeout: Duration? { maxTime?.duration }
}
