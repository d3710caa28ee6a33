import Evidence

/// How fast the demo tells its story.
struct DemoPace: Sendable {
    /// Story time for each second.
    let factor: Double
    /// Before the story begins, so that somebody can open the page.
    let opening: Duration
    /// Between two scenes.
    let pause: Duration
    /// For each wait; far more than it takes.
    let patience: Duration

    /// A day of staleness takes twelve seconds: for tests and pipelines.
    static let fast = DemoPace(factor: 7200, opening: .zero, pause: .zero, patience: .seconds(60))
    /// A day takes a minute: to be read, and watched on the page.
    static let readable = DemoPace(
        factor: 1440, opening: .seconds(6), pause: .seconds(4), patience: .seconds(240))

    /// What a second is in the story: `24 min`.
    var second: String { factor.inWords }
}
