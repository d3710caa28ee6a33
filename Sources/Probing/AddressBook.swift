// Where a host's connections go: by the user's own rules first, as libcurl takes them, by the system's resolver else.

import Curl
import Evidence
import Facts

struct AddressBook: Sendable {
    let network: NetworkSettings
    let family: TransferRequest.AddressFamily
    var resolver = Resolver.shared

    /// Every address that a request to this host may be sent to. `isRecentEnough`: an answer of the last minute will do, and an
    /// older one where no name server answers. `reachableFamiliesOnly` leaves out a family that this
    /// machine has no address of; without it a published address that only others can use is seen as well. Throws
    /// `CancellationError` only.
    func resolution(
        of host: String, port: Int = 443, isRecentEnough: Bool = false, reachableFamiliesOnly: Bool = false,
        timeout: Duration
    ) async throws -> Resolution {
        switch network.route(host: host, port: port) {
        case .proxy: return Resolution(source: .proxy)
        case .addresses(let listed): return resolution(.rules, of: host, to: listed)
        case .name(let name, _):
            let source = name == host ? Resolution.Source.system : .rules
            let start = ContinuousClock.now
            let result = try await resolver.addresses(of: name, isRecentEnough: isRecentEnough, timeout: timeout)
            let milliseconds = start.duration(to: .now) / .milliseconds(1)
            switch result {
            case .failure(let fault):
                return Resolution(source: source, failure: fault, milliseconds: milliseconds)
            case .success(let all):
                var found = resolution(source, of: host, to: all, milliseconds: milliseconds)
                if reachableFamiliesOnly {
                    let reachable = Set(LocalFamilies.now.reachable(all))
                    found.addresses.removeAll { !reachable.contains($0.address) }
                }
                return found
            }
        }
    }

    private func resolution(
        _ source: Resolution.Source, of host: String, to listed: [String], milliseconds: Double = 0
    ) -> Resolution {
        var seen: Set<String> = []
        let kept = listed.filter { family.accepts($0) && seen.insert($0).inserted }.prefix(Resolution.maximumAddresses)
        return Resolution(
            source: source, addresses: kept.map { ResolvedAddress($0) },
            failure: Failure(missing: family, of: host, though: listed, Array(kept)), milliseconds: milliseconds,
            onlyFamily: family.number)
    }
}
