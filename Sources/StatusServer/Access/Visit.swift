// What the server knows about a request besides its bytes: its sender, and the parameters of its path.

import Evidence
import Facts
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

struct Visit: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// Who opened the connection: the client, or a proxy.
    let peer: HostAddress?
    /// What `AccessGate` allows.
    var role = Role.visitor

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = source.channel.remoteAddress?.ipAddress.flatMap { HostAddress($0) }
    }

    /// A parameter of the path, percent-decoded; empty if it is missing or malformed.
    func parameter(_ name: String) -> String { parameters.get(name)?.removingPercentEncoding ?? "" }

    /// The client's address, for rate limits. Behind trusted proxies it is the last untrusted entry of `X-Forwarded-For`:
    /// each proxy appends the address that it sees, and a client can forge the entries further left. nil if a trusted
    /// proxy sends no entry, because all clients share the proxy's own address.
    func client(of request: Request, trusting proxies: [AddressRange]) -> HostAddress? {
        func isTrusted(_ address: HostAddress) -> Bool { proxies.contains { $0.contains(address) } }
        guard let peer, isTrusted(peer) else { return peer }
        guard let name = HTTPField.Name("X-Forwarded-For") else { return nil }
        var client: HostAddress?
        for entry in request.headers[values: name].joined(separator: ",").split(separator: ",").reversed() {
            guard let address = Self.address(entry.trimmingPrefix { $0 == " " }) else { return nil }
            client = address
            if !isTrusted(address) { break }
        }
        return client
    }

    /// Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`.
    private static func address(_ entry: Substring) -> HostAddress? {
        let entry = entry.prefix { $0 != " " && $0 != "\t" }
        if let address = HostAddress(host: entry) { return address }
        guard let colon = entry.lastIndex(of: ":") else { return nil }
        return HostAddress(host: entry[..<colon])
    }
}
