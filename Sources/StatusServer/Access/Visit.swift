// What the server knows of a request beside its bytes: who sends it, and what its path names.

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
    /// What `AccessGate` lets it do.
    var role = Role.visitor

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = source.channel.remoteAddress?.ipAddress.flatMap { HostAddress($0) }
    }

    /// A parameter of the path as text, without percent encoding; empty where it has none or a broken one.
    func parameter(_ name: String) -> String { parameters.get(name)?.removingPercentEncoding ?? "" }

    /// The client's address, which limits go by. Behind trusted proxies it is the last untrusted one of
    /// `X-Forwarded-For`: each proxy adds the address that it sees, and what stands further left can be anybody's claim.
    /// nil where a trusted proxy does not say: its own address is everybody's.
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
