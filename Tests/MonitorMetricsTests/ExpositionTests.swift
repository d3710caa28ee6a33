import TestTraits
import Testing

@testable import MonitorMetrics

@Suite("MonitorMetrics", .inTurn) struct ExpositionTests {
    private func text(_ exposition: Exposition) -> String {
        String(decoding: exposition.bytes(as: .text), as: UTF8.self)
    }

    @Test(
        "values are written in the format of Prometheus",
        arguments: [
            (0, "0"), (1, "1"), (-2, "-2"), (0.25, "0.25"), (1_795_244_400, "1795244400"), (.infinity, "+Inf"),
            (-.infinity, "-Inf"), (.nan, "NaN"), (1e300, "1e+300"),
        ] as [(Double, String)])
    func values(_ value: Double, _ expected: String) { #expect(Exposition.text(value) == expected) }

    @Test("any label value is escaped")
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

    @Test("a histogram counts each value once, in all buckets with a limit at or above it")
    func histogram() {
        let histogram = Histogram([0.1, 1])
        for value in [0.05, 0.1, 0.5, 1, 7] { histogram.observe(value) }
        var exposition = Exposition()
        histogram.write("h_seconds", "Help", to: &exposition)
        #expect(
            text(exposition).split(separator: "\n").dropFirst(2) == [
                #"h_seconds_bucket{le="0.1"} 2"#, #"h_seconds_bucket{le="1.0"} 4"#, #"h_seconds_bucket{le="+Inf"} 5"#,
                "h_seconds_sum 8.65", "h_seconds_count 5",
            ])
    }

    @Test("without per-domain samples the text does not grow with the number of domains")
    func bounded() {
        func lines(_ count: Int, isByDomain: Bool) -> Int {
            let metrics = MetricsRegistry()
            for number in 0..<count {
                metrics.set(
                    "d\(number).example.com",
                    DomainGauges(
                        isOriginUp: true, isInSync: true, lagSeconds: nil, edges: (8, 8), certificateExpiry: 1,
                        checkedAt: 1, state: "in_sync", findings: []))
            }
            let exposition = metrics.exposition(environment(isByDomain: isByDomain))
            return text(exposition).split(separator: "\n").count
        }
        #expect(lines(1, isByDomain: false) == lines(1000, isByDomain: false))
        #expect(lines(1000, isByDomain: true) - lines(1, isByDomain: true) == 999 * 7)
    }

    @Test("a removed domain has no samples")
    func removed() {
        let metrics = MetricsRegistry()
        metrics.set(
            "gone.example.com",
            DomainGauges(
                isOriginUp: false, isInSync: nil, lagSeconds: nil, edges: nil, certificateExpiry: nil,
                checkedAt: 1, state: "not_compared", findings: [Labels(["rule": "origin.status", "severity": "error"])])
        )
        metrics.set("gone.example.com", nil)
        #expect(!text(metrics.exposition(environment())).contains("gone.example.com"))
    }

    @Test("OpenMetrics names a counter's family without _total, and marks the end of the text")
    func openMetrics() {
        let text = String(
            decoding: MetricsRegistry().exposition(environment()).bytes(as: .openMetrics), as: UTF8.self)
        let lines = text.split(separator: "\n")
        #expect(lines.last == "# EOF")
        #expect(lines.contains("# TYPE aasa_checks counter"))
        #expect(lines.contains("# HELP aasa_checks Checks by verdict"))
        #expect(lines.contains(#"aasa_checks_total{outcome="ok"} 0"#))
        #expect(!lines.contains { $0.hasPrefix("#") && $0.contains("_total ") })
    }

    @Test("every state has a sample, and every domain its labels")
    func complete() {
        let lines = text(MetricsRegistry().exposition(environment())).split(separator: "\n")
        #expect(
            lines.filter { $0.hasPrefix("aasa_domains{") } == [
                #"aasa_domains{state="in_sync"} 0"#, #"aasa_domains{state="stale"} 0"#,
            ])
        #expect(lines.contains(#"aasa_domain_info{domain="a.test",team="growth"} 1"#))
    }

    @Test("the process has metrics")
    func process() throws {
        let lines = text(MetricsRegistry().exposition(environment())).split(separator: "\n")
        func value(_ name: String) throws -> Double {
            let line = try #require(lines.first { $0.hasPrefix(name + " ") }, "\(name)")
            return try #require(Double(line.dropFirst(name.count + 1)))
        }
        #expect(try value("process_cpu_seconds_total") > 0)
        #expect(try value("process_resident_memory_bytes") > 1_000_000)
        let virtual = try value("process_virtual_memory_bytes")
        #expect(try virtual >= value("process_resident_memory_bytes"))
        // Standard input, output and error.
        #expect(try value("process_open_fds") >= 3)
        #expect(try value("process_start_time_seconds") > 1_700_000_000)
    }

    private func environment(isByDomain: Bool = true) -> MetricsRegistry.Environment {
        MetricsRegistry.Environment(
            version: "1", domains: isByDomain ? [Labels(byName: ["team": "growth", "domain": "a.test"])] : [],
            states: ["in_sync", "stale"], incidents: [("cdn.stale", "error", 0)], pending: [], deliveries: [],
            storeBytes: 1, configuration: (1, true), isByDomain: isByDomain)
    }
}
