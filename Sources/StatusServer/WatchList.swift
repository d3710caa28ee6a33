import Synchronization

/// The domains of the running configuration; a reload replaces them while the server goes on.
final class WatchList: Sendable {
    private let current: Mutex<[WatchedDomainInfo]>

    init(_ domains: [WatchedDomainInfo]) { current = Mutex(domains) }

    var domains: [WatchedDomainInfo] { current.withLock { $0 } }

    func replace(with domains: [WatchedDomainInfo]) { current.withLock { $0 = domains } }
}
