// Another place meets another server, or another file: no rule by country or address, and not to be mended as one.

extension Diagnosis {
    static let vantageRows: [DiagnosisRow] = [
        DiagnosisRow("vantage-differs") { context in
            guard let finding = context.error("origin.vantage-refused"), context.error("origin.crawler-refused") == nil,
                finding.evidence["seen"].flatMap(VantageFault.init(rawValue:))?.isOfPlace == false
            else { return nil }
            let apple = context.crawlerFailure.map { ", and Apple's crawler fails too (\($0.reason))" } ?? ""
            return "\(finding.message)\(apple): \(finding.fix); \(context.afterRepair)"
        }
    ]
}
