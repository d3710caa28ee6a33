/// One way to make many fetches.
protocol Contender: Sendable {
    var name: String { get }

    /// Makes the fetches and counts their cost, from nothing to nothing: what the contender builds up first (handles, trust
    /// store, connections, a process) is part of it.
    ///
    /// - Throws: `BenchFault` for the first fetch that is not answered with the whole file.
    func sample(_ workload: Workload, fetches: Int) async throws -> Sample
}
