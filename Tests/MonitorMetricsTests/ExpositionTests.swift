import TestTraits
import Testing

@testable import MonitorMetrics

@Suite("MonitorMetrics", .inTurn) struct ExpositionTests {
    private func text(_ exposition: Exposition) -> String { String(decoding: exposition.bytes, as: UTF8.self) }

    @Test(
        "values are written as Prometheus reads them",
        arguments: [
            (0, "0"), (1, "1"), (-2, "-2"), (0.25, "0.25"), (1_795_244_400, "1795244400"), (.infinity, "+Inf"),
            (-.infinity, "-Inf"), (.nan, "NaN"), (1e300, "1e+300"),
        ] as [(Double, String)])
    func values(_ value: Double, _ expected: String) { #expect(Exposition.text(value) == expected) }

    @Test("labels are escaped, whatever they hold")
    func labels() {
        var exposition = Exposition()
        exposition.family("x", .gauge, "Help")
        exposition.sample("x", Labels(["a": "q\"u\\o\nte", "b": "ü"]) + Labels(["c": "1"]), 1)
        exposition.sample("x", Labels() + Labels(), 2)
        #expect(
            text(exposition) == """
                # HELP x Help
                # TYPE x gauge
                x{a="q\\"u\\\\o\\nte",b="ü",c="1"} 1
                x 2

                """)
    }

    @Test("a histogram counts each value once, in the buckets at and above it")
    func histogram() {
        let histogram = Histogram([0.1, 1])
        for value in [0.05, 0.1, 0.5, 1, 7] { histogram.observe(value) }
        var exposition = Exposition()
        histogram.write("h_seconds", "Help", to: &exposition)
        #expect(
            text(exposition).split(separator: "\n").dropFirst(2) == [
                #"h_seconds_bucket{le="0.1"} 2"#, #"h_seconds_bucket{le="1"} 4"#, #"h_seconds_bucket{le="+Inf"} 5"#,
                "h_seconds_sum 8.65", "h_seconds_count 5",
            ])
    }

    @Test("without samples for each domain the text does not grow with their number")
    func bounded() {
        func lines(_ count: Int, isByDomain: Bool) -> Int {
            let metrics = MetricsRegistry()
            for number in 0..<count {
                metrics.set(
                    "d\(number).example.com",
                    DomainGauges(
                        isOriginUp: true, isInSync: true, lagSeconds: nil, edges: (8, 8), certificateExpiry: 1,
                        state: "in_sync", findings: []))
            }
            let exposition = metrics.exposition(
                MetricsRegistry.Environment(
                    version: "1", incidents: [("cdn.stale", 0)], pending: [], deliveries: [], isByDomain: isByDomain))
            return text(exposition).split(separator: "\n").count
        }
        #expect(lines(1, isByDomain: false) == lines(1000, isByDomain: false))
        #expect(lines(1000, isByDomain: true) - lines(1, isByDomain: true) == 999 * 6)
    }

    @Test("a domain that is no longer watched has no samples")
    func removed() {
        let metrics = MetricsRegistry()
        metrics.set(
            "gone.example.com",
            DomainGauges(
                isOriginUp: false, isInSync: nil, lagSeconds: nil, edges: nil, certificateExpiry: nil,
                state: "not_compared", findings: [Labels(["rule": "origin.status", "severity": "error"])]))
        metrics.set("gone.example.com", nil)
        let exposition = metrics.exposition(
            MetricsRegistry.Environment(version: "1", incidents: [], pending: [], deliveries: [], isByDomain: true))
        #expect(!text(exposition).contains("gone.example.com"))
    }
}
