/// What the command line asks for.
struct Options {
    /// The parts in which the bench runs, in the order of their names; all that take seconds, by default.
    private(set) var parts: Set<String> = ["fetch", "file", "check", "store"]
    private(set) var load = LoadSettings()

    static let usage = """
        usage: aasa-monitor-bench [fetch] [file] [check] [store] [load [--domains N] [--interval SECONDS] [--monitor PATH]]
        """

    /// nil where it cannot be read.
    init?(_ arguments: [String]) {
        let known = parts.union(["load"])
        var chosen: Set<String> = []
        var rest = arguments[...]
        while let word = rest.popFirst() {
            if known.contains(word) {
                chosen.insert(word)
                continue
            }
            guard let value = rest.popFirst() else { return nil }
            switch (word, Int(value)) {
            case ("--domains", let count?) where (1...99_999).contains(count): load.domains = count
            case ("--interval", let seconds?) where (1...86_400).contains(seconds): load.interval = seconds
            case ("--monitor", _): load.monitor = value
            default: return nil
            }
        }
        if !chosen.isEmpty { parts = chosen }
    }
}
