// Names are looked up before libcurl gets a request: it would wait for dead name servers in threads that nothing can end, and
// does not tell why a name has no address.

import Foundation

extension CurlDriver {
    /// Makes one transfer and returns what came of it, failures included. Never blocks a thread of the caller's.
    ///
    /// - Throws: only `CancellationError`, where the task is cancelled, or the driver is or gets shut down, before it is over.
    package func perform(_ request: TransferRequest) async throws -> TransferResult {
        // An international name is libcurl's to turn into what DNS knows.
        guard request.address == nil, let parts = CurlURL.components(request.url),
            parts.host.utf8.allSatisfy({ $0 < 0x80 })
        else {
            return try await transfer(request)
        }
        let start = ContinuousClock.now
        let all: [String]
        var name: (host: String, port: Int)?
        var resolved: [String] = []
        switch network.with(proxy: request.proxy).route(host: parts.host, port: parts.port) {
        case .proxy: return try await transfer(request)
        case .addresses(let listed): all = listed
        case .name(let host, let port):
            name = (host, port)
            let found = try await resolver.addresses(
                of: host, isRecentEnough: request.connection == .kept,
                timeout: min(request.limits.connectTimeout, request.limits.totalTimeout))
            switch found {
            case .success(let addresses):
                all = addresses
                if host == parts.host { resolved = addresses }
            case .failure(let fault):
                return TransferResult(failed: CurlError(fault), after: start.duration(to: .now))
            }
        }
        let spent = start.duration(to: .now)
        let addresses = all.filter { request.family.accepts($0) }
        if let fault = CurlError(missing: request.family, of: parts.host, though: all, addresses) {
            return TransferResult(failed: fault, after: spent)
        }
        guard let name else { return try await transfer(request) }
        var request = request
        // The plus sign: not for ever.
        request.lookedUp = [
            "+\(name.host):\(name.port):" + addresses.map { $0.contains(":") ? "[\($0)]" : $0 }.joined(separator: ",")
        ]
        request.limits.connectTimeout = max(.milliseconds(1), request.limits.connectTimeout - spent)
        request.limits.totalTimeout = max(.milliseconds(1), request.limits.totalTimeout - spent)
        var result = try await transfer(request)
        result.facts.begin(after: spent)
        result.facts.resolved = resolved
        return result
    }
}

extension TransferRequest.AddressFamily {
    /// 4 or 6; nil for both.
    package var number: Int? {
        switch self {
        case .any: nil
        case .v4: 4
        case .v6: 6
        }
    }

    /// Whether an address, without brackets, is of the family.
    package func accepts(_ address: String) -> Bool { number.map { $0 == (address.contains(":") ? 6 : 4) } ?? true }
}

extension CurlError {
    package init(_ fault: LookUpFault) {
        let code: Code =
            switch fault.kind {
            case .noSuchName: .nameNotFound
            case .noAddress: .noAddress
            case .serverFailure: .serverFailure
            case .noServer: .noNameServer
            case .own: .outOfMemory
            }
        self.init(code: code, phase: .resolving, message: fault.detail, alias: fault.alias)
    }

    /// That a host has addresses, but none of the family that was asked for; nil where it has one.
    package init?(
        missing family: TransferRequest.AddressFamily, of host: String, though all: [String], _ kept: [String]
    ) {
        guard kept.isEmpty, let number = family.number else { return nil }
        self.init(
            code: number == 4 ? .noIPv4Address : .noIPv6Address, phase: .resolving,
            message: "\(host) has no IPv\(number) address, only \(all.prefix(4).joined(separator: ", "))")
    }
}

extension TransferResult {
    fileprivate init(failed error: CurlError, after spent: Duration) {
        self.init(error: error, facts: ConnectionFacts(timings: ConnectionFacts.Timings(total: spent)))
    }
}

extension ConnectionFacts {
    /// Counts the name look-up as the first step.
    fileprivate mutating func begin(after spent: Duration) {
        if !reusedConnection { timings.dns = spent }
        timings.connect = timings.connect.map { $0 + spent }
        timings.tls = timings.tls.map { $0 + spent }
        timings.firstByte = timings.firstByte.map { $0 + spent }
        timings.total += spent
    }
}
