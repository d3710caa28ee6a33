/// What the command line asks for.
struct Options {
    /// The parts in which the bench runs, in the order of their names; all that take seconds, by default.
    private(set) var parts: Set<String> = ["fetch", "file", "check", "dead", "store"]
    private(set) var load = LoadSettings()

    static let usage = """
        usage: aasa-monitor-bench [fetch] [file] [check] [dead] [store]
                                  [sweep] [steady] [load] [pages] [--domains N] [--interval SECONDS] [--hanging N]
                                                                  [--full-every HOURS] [--settle INTERVALS] [--soak MINUTES]
                                                                  [--monitor PATH] [--record FILE]
               aasa-monitor-bench plot --record FILE
        """

    /// nil where it cannot be read.
    init?(_ arguments: [String]) {
        let known = parts.union(["load", "pages", "steady", "sweep", "plot"])
        var chosen: Set<String> = []
        var rest = arguments[...]
        while let word = rest.popFirst() {
            if known.contains(word) {
                chosen.insert(word)
                continue
            }
            guard let value = rest.popFirst() else { return nil }
            switch (word, Int(value)) {
            case ("--domains", let count?) where (1...100_000).contains(count): load.domains = count
            case ("--hanging", let count?) where (0...100_000).contains(count): load.hanging = count
            case ("--full-every", let hours?) where (1...24).contains(hours): load.fullEvery = hours
            case ("--settle", let intervals?) where (1...100).contains(intervals): load.settle = intervals
            case ("--soak", let minutes?) where (1...10_000).contains(minutes): load.soak = minutes
            case ("--record", _): load.record = value
            case ("--interval", let seconds?) where (1...86_400).contains(seconds): load.interval = seconds
            case ("--monitor", _): load.monitor = value
            default: return nil
            }
        }
        if !chosen.isEmpty { parts = chosen }
    }
}
