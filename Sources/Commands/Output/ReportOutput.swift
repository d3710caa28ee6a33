/// Prints reports in the format asked for: at once where the format allows, else at the end.
struct ReportOutput {
    private let format: CheckCommand.Format
    private let isSingle: Bool
    private let style = TextStyle.standardOutput
    private var collected: [OrderedJSON] = []
    private var printed = 0

    init(format: CheckCommand.Format, isSingle: Bool) {
        self.format = format
        self.isSingle = isSingle
    }

    mutating func add(_ report: CheckReport) {
        switch format {
        case .text:
            Console.print((printed > 0 ? "\n" : "") + report.text(style: style))
            printed += 1
        case .json: collected.append(report.json)
        case .jsonl: Console.print(report.json.text(isPretty: false))
        }
    }

    /// An array where several targets were asked for, the object itself for a single one.
    mutating func finish() {
        guard format == .json, let first = collected.first else { return }
        Console.print((isSingle ? first : .array(collected)).text(isPretty: true))
    }
}
