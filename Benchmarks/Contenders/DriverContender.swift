import Curl
import Synchronization

/// Our `CurlDriver`, used as the monitor does: many tasks, each waiting for its own fetch.
struct DriverContender: Contender {
    let name = "CurlDriver (ours)"

    func sample(_ workload: Workload, fetches: Int) async throws -> Sample {
        let meter = Meter()
        let driver = try CurlDriver(
            network: NetworkSettings(caFile: workload.caFile, resolve: [workload.resolve]),
            maximumConcurrent: workload.concurrency)
        let connections: Int
        do {
            connections = try await fetchAll(workload, fetches, with: driver)
        } catch {
            await driver.shutdown()
            throw error
        }
        await driver.shutdown()
        return meter.sample(name: name, fetches: fetches, connections: connections)
    }

    private func fetchAll(_ workload: Workload, _ fetches: Int, with driver: CurlDriver) async throws -> Int {
        let request = TransferRequest(
            url: workload.url, userAgent: "aasa-monitor-bench", connection: workload.scene == .fresh ? .fresh : .kept)
        let started = Counter()
        return try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<workload.concurrency {
                group.addTask {
                    var connections = 0
                    while started.next() <= fetches {
                        connections += try await fetch(request, workload, with: driver)
                    }
                    return connections
                }
            }
            return try await group.reduce(0, +)
        }
    }

    private func fetch(_ request: TransferRequest, _ workload: Workload, with driver: CurlDriver) async throws -> Int {
        let result = try await driver.perform(request)
        if let error = result.error { throw BenchFault("\(name): \(error)") }
        try workload.check(status: result.status ?? 0, bytes: result.body.count, by: name)
        return result.facts.reusedConnection ? 0 : 1
    }
}

private final class Counter: Sendable {
    private let value = Atomic(0)

    func next() -> Int { value.add(1, ordering: .relaxed).newValue }
}
