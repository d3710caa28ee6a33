// Another place meets another server, or another file: no rule by country or address, and not to be mended as one.

extension Diagnosis {
    static let vantageRows: [Row] = [
        { context in
            guard context.error("origin.crawler-refused") == nil, let seen = context.vantageFault, !seen.fault.isOfPlace
            else { return nil }
            return .access(.vantageDiffers(seen.fault, seen.places, context.crawlerFailure.map(AppleWord.init)))
        }
    ]
}

extension DiagnosisContext {
    /// What other places are given where this machine gets the file, and which: the fault that is reported first.
    var vantageFault: (fault: VantageFault, places: [GivenAt])? {
        guard let finding = error("origin.vantage-refused"),
            case .origin(.vantageDiffers(let fault, let given, _, _)) = finding.matter
        else { return nil }
        return (fault, Array(given.prefix(3)))
    }
}
