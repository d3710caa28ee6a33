// The CDN's edges disagree: which of them a phone meets is chance and geography.

extension Diagnosis {
    static let edgeRows: [Row] = [
        { context in
            guard context.isMixed, let tally = context.comparison.edges, tally.missing > 0 else { return nil }
            return .copy(.edgesWithoutCopy(tally.missing, of: tally.asked, Array(context.absenceReasons.prefix(4))))
        },
        { context in
            guard context.finding("cdn.edges-differ")?.severity == .note, let tally = context.comparison.edges,
                let lag = context.comparison.lagSeconds
            else { return nil }
            return .copy(.edgesCatchingUp(tally.inSync, of: tally.asked, lagSeconds: lag))
        },
        { context in
            guard context.isMixed, context.finding("cdn.edges-differ") != nil, let tally = context.comparison.edges
            else { return nil }
            return .copy(.edgesDiffer(tally, lagSeconds: context.comparison.lagSeconds))
        },
    ]
}
