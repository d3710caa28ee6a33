// The domains of the running configuration. A reload replaces them while the server runs.

import AASA
import Evidence
import Monitoring
import Storage
import Synchronization

final class WatchList: Sendable {
    private struct State {
        var index: WatchIndex
        var revision = 0
        /// The revision that the store's lists show.
        var shown = -1
    }

    private let state: Mutex<State>

    init(_ domains: [WatchedDomain]) { state = Mutex(State(index: WatchIndex(domains))) }

    var index: WatchIndex { state.withLock(\.index) }

    func replace(with domains: [WatchedDomain]) {
        let index = WatchIndex(domains)
        state.withLock {
            $0.index = index
            $0.revision += 1
        }
    }

    /// Makes the store's lists show these domains.
    /// - Throws: `StoreError`.
    func show(in store: Store) async throws {
        let (index, revision, shown) = state.withLock { ($0.index, $0.revision, $0.shown) }
        guard revision != shown else { return }
        try await store.watch(index.domains)
        // If a reload came meanwhile, its write may have happened before or after this one.
        state.withLock { $0.shown = $0.revision == revision ? revision : -1 }
    }
}

/// The watched domains by name and by label.
struct WatchIndex: Sendable {
    /// Sorted by name.
    let domains: [WatchedDomain]
    private let byDomain: [Domain: Int]
    /// `key=value` and how many domains have it, the most frequent first.
    let labels: [(text: String, count: Int)]

    init(_ domains: [WatchedDomain]) {
        let domains = domains.sorted { $0.domain.name < $1.domain.name }
        self.domains = domains
        byDomain = Dictionary(domains.indices.map { (domains[$0].domain, $0) }) { first, _ in first }
        var counts: [String: [String: Int]] = [:]
        for domain in domains {
            for (key, value) in domain.labels { counts[key, default: [:]][value, default: 0] += 1 }
        }
        labels = counts.flatMap { key, values in values.map { (text: "\(key)=\($0.key)", count: $0.value) } }
            .sorted { ($1.count, $0.text) < ($0.count, $1.text) }
    }

    subscript(domain: Domain) -> WatchedDomain? { byDomain[domain].map { domains[$0] } }

    /// How many watched domains a silence applies to.
    func count(of scope: SilenceScope) -> Int { domains.count { scope.isAbout($0.domain, labels: $0.labels) } }

    /// Why a silence matches no watched domain, with the name that was probably meant; nil: it matches one.
    func mismatch(of scope: SilenceScope) -> String? {
        guard count(of: scope) == 0 else { return nil }
        let pairs = scope.labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let meant =
            scope.domains.lazy.compactMap(\.domain).map { nearest(to: $0.name) }
            + pairs.lazy.map { Spelling.suggestion(for: $0, among: labels.map(\.text)) }
        return "no watched domain matches \(SilenceScope(domains: scope.domains, labels: scope.labels))"
            + (meant.first { !$0.isEmpty } ?? "")
    }

    private func nearest(to name: String) -> String {
        Spelling.suggestion(for: name, among: domains.lazy.map(\.domain.name))
    }
}

/// A value that a reload replaces while the server runs: the maintenance windows, and why the last reload was refused.
final class Shared<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    init(_ value: Value) { self.value = Mutex(value) }

    var current: Value { value.withLock { $0 } }

    func replace(with new: Value) { value.withLock { $0 = new } }
}
