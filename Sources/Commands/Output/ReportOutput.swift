import Evidence

/// Prints reports in the format asked for: at once where the format allows, else at the end.
struct ReportOutput {
    private let format: CheckCommand.Format
    private let isSingle: Bool
    private let style = TextStyle.standardOutput
    private var collected: [OrderedJSON] = []
    private var printed = 0
    private var levels: [Verdict.Level: Int] = [:]
    private var plugin = PluginOutput()

    init(format: CheckCommand.Format, isSingle: Bool) {
        self.format = format
        self.isSingle = isSingle
    }

    /// `isShown`: else it is only counted.
    mutating func add(_ report: CheckReport, isShown: Bool) {
        levels[report.verdict.level, default: 0] += 1
        guard isShown else { return }
        switch format {
        case .text:
            Console.print((printed > 0 ? "\n" : "") + report.text(style: style))
            printed += 1
        case .markdown:
            Console.print((printed > 0 ? "\n" : "") + report.markdown)
            printed += 1
        case .github: report.annotations.forEach(Console.print)
        case .nagios: plugin.add(report)
        case .json: collected.append(report.json)
        case .jsonl: Console.print(report.json.text(isPretty: false))
        }
    }

    /// JSON: an array where several targets were asked for, the object itself for a single one. Text: of several how many
    /// are how.
    mutating func finish() {
        switch format {
        case .json:
            // Where `--failing` leaves nothing, an empty array is still JSON.
            let single = isSingle ? collected.first : nil
            Console.print((single ?? .array(collected)).text(isPretty: true))
        case .jsonl, .github: return
        case .nagios: Console.print(plugin.text)
        case .markdown:
            guard !isSingle else { return }
            Console.print((printed > 0 ? "\n" : "") + totals)
        case .text:
            guard !isSingle else { return }
            Console.print((printed > 0 ? "\n" : "") + totals)
        }
    }

    private var totals: String {
        let counts = [(Verdict.Level.failing, "failing"), (.warning, "warning"), (.ok, "OK")]
            .compactMap { level, word in levels[level].map { "\($0) \(word)" } }
        return "\(levels.values.reduce(0, +)) domains: \(counts.joined(separator: ", "))"
    }

    /// What a plugin exits with.
    var pluginStatus: PluginOutput.Status { plugin.status }
}
