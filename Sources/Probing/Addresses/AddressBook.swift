// Where a host's connections go: by the user's own rules first, as libcurl takes them, by the system's resolver else.

import Curl
import Evidence
import Foundation

struct AddressBook: Sendable {
    let network: NetworkSettings
    let family: TransferRequest.AddressFamily
    var resolver = SystemResolver.shared

    /// Every address that a request to this host may be sent to. `reachableFamiliesOnly` leaves out a family that this
    /// machine has no address of; without it a published address that only others can use is seen as well. Throws
    /// `CancellationError` only.
    func resolution(
        of host: String, port: Int = 443, reachableFamiliesOnly: Bool = false, timeout: Duration
    ) async throws -> Resolution {
        guard network.proxy == nil else { return Resolution(source: .proxy) }
        let target = network.connectTarget(host: host, port: port)
        let name = target?.host ?? host
        if let listed = IPAddress.isLiteral(name)
            ? [name] : network.resolvedAddresses(host: name, port: target?.port ?? port)
        {
            return resolution(.rules, of: host, to: listed)
        }
        let source = target == nil ? Resolution.Source.system : .rules
        let clock = ContinuousClock()
        let begin = clock.now
        let result = try await resolver.addresses(
            of: name, reachableFamiliesOnly: reachableFamiliesOnly, timeout: timeout)
        let milliseconds = (clock.now - begin) / .milliseconds(1)
        switch result {
        case .failure(let failure):
            return Resolution(
                source: source, failure: Failure(kind: failure.kind, phase: .resolving, detail: failure.detail),
                milliseconds: milliseconds)
        case .success(let addresses):
            return resolution(source, of: host, to: addresses, milliseconds: milliseconds)
        }
    }

    private func resolution(
        _ source: Resolution.Source, of host: String, to listed: [String], milliseconds: Double = 0
    ) -> Resolution {
        let kept = entries(listed)
        let missing = kept.isEmpty && !listed.isEmpty ? Failure(missing: family, of: host, though: listed) : nil
        return Resolution(
            source: source, addresses: kept, failure: missing, milliseconds: milliseconds, onlyFamily: family.number)
    }

    private func entries(_ addresses: [String]) -> [ResolvedAddress] {
        var seen: Set<String> = []
        return
            addresses
            .filter { address in
                family.number.map { $0 == (address.contains(":") ? 6 : 4) } ?? true
            }
            .filter { seen.insert($0).inserted }
            .prefix(Resolution.maximumAddresses)
            .map { ResolvedAddress(address: $0, scope: AddressScope(IPAddress.scope(of: $0))) }
    }
}

extension AddressScope {
    init(_ scope: IPAddress.Scope) {
        self =
            switch scope {
            case .public: .public
            case .loopback: .loopback
            case .private: .private
            case .carrierGrade: .carrierGrade
            case .linkLocal: .linkLocal
            case .reserved: .reserved
            }
    }
}

extension TransferRequest.AddressFamily {
    /// 4 or 6; nil for both.
    var number: Int? {
        switch self {
        case .any: nil
        case .v4: 4
        case .v6: 6
        }
    }
}

extension Failure {
    /// That a host has addresses, but none of the family that was asked for; nil where both were.
    fileprivate init?(missing family: TransferRequest.AddressFamily, of host: String, though listed: [String]) {
        guard let number = family.number else { return nil }
        self.init(
            kind: number == 4 ? .noIPv4Address : .noIPv6Address, phase: .resolving,
            detail: "\(host) has no IPv\(number) address, only \(listed.prefix(4).joined(separator: ", "))")
    }
}

extension CurlDriver {
    /// To libcurl a name without an address of the one family that was asked for is a name that does not resolve. It is
    /// looked up once more, so that the failure can say which of the two it is.
    func nameMissingFamily(in sight: inout Sight, of request: TransferRequest, within time: Duration) async throws {
        guard sight.retrieval.failure?.kind == .nameNotFound, request.family != .any, request.proxy == nil,
            let parts = CurlURL.components(request.url)
        else { return }
        let resolution = try await AddressBook(network: network, family: request.family)
            .resolution(of: parts.host, port: parts.port, timeout: max(time, .seconds(1)))
        guard let failure = resolution.failure, [.noIPv4Address, .noIPv6Address].contains(failure.kind) else {
            return
        }
        sight.retrieval.outcome = .failed(failure)
    }
}
