// What a full check saw in addition to the two plain requests, in short form.

import Evidence
import Facts
import Foundation

/// The other requests of one check, and their replies.
package struct Scene: Sendable {
    package var source = Resolution.Source.system
    package var addresses: [(address: String, scope: AddressScope, reply: Reply)] = []
    package var agents: [(agent: AgentResult.Agent, reply: Reply)] = []
    package var rootCopy: Reply?
    /// The replies of other places of the file that the user named, by URL.
    package var namedPlaces: [String: Reply] = [:]
    package var vantages: [(name: String, reply: Reply)] = []
    package var edges: [(address: String, reply: Reply)] = []
    package var pages: [(url: String, reply: Reply, appStore: String?)] = []

    /// Only a lookup by a proxy. A test sets everything else that it needs.
    package init() { source = .proxy }

    /// A domain with an IPv4 and an IPv6 address, and a CDN with edges of both families. All give the same replies.
    package static func calm(_ origin: Reply, cdn: Reply? = nil) -> Scene {
        var scene = Scene()
        scene.source = .system
        scene.addresses = [("192.0.2.1", .public, origin), ("2001:db8::1", .public, origin)]
        scene.agents = AgentResult.Agent.allCases.map { ($0, origin) }
        scene.rootCopy = .status(404)
        if let cdn { scene.edges = [("198.51.100.1", cdn), ("2001:db8:e::1", cdn)] }
        return scene
    }

    /// The same scene after a change.
    package func with(_ change: (inout Scene) -> Void) -> Scene {
        var copy = self
        change(&copy)
        return copy
    }

    /// The agents get this reply instead.
    package func refusing(_ reply: Reply) -> Scene { with { $0.agents = $0.agents.map { ($0.agent, reply) } } }

    /// The edges' replies by number. Their addresses are 198.51.100.1 and so on.
    package func edges(_ replies: [Reply]) -> Scene {
        with { $0.edges = replies.enumerated().map { ("198.51.100.\($0.offset + 1)", $0.element) } }
    }

    /// The replies of the origin's addresses by number: 192.0.2.1 and so on, and 2001:db8::1 and so on.
    package func addresses(_ four: [Reply], six: [Reply] = []) -> Scene {
        with {
            $0.addresses =
                four.enumerated().map { ("192.0.2.\($0.offset + 1)", .public, $0.element) }
                + six.enumerated().map { ("2001:db8::\($0.offset + 1)", .public, $0.element) }
        }
    }

    fileprivate func result(of domain: Domain) -> FullCheck {
        let url = domain.wellKnownURL
        let cdnURL = "https://app-site-association.cdn-apple.com/a/v1/\(domain.name)"
        let first = addresses.first { $0.reply.failure == nil }?.address
        var full = FullCheck(
            resolution: Resolution(
                source: source, addresses: addresses.map { ResolvedAddress(address: $0.address, scope: $0.scope) }),
            addresses: addresses.map {
                AddressResult(
                    address: ResolvedAddress(address: $0.address, scope: $0.scope),
                    retrieval: $0.reply.retrieval(of: url, at: $0.address))
            },
            agents: agents.map { AgentResult(agent: $0.agent, retrieval: $0.reply.retrieval(of: url, at: first)) },
            rootCopy: rootCopy?.retrieval(of: "https://\(domain.name)/apple-app-site-association"),
            vantages: vantages.map { VantageResult(name: $0.name, retrieval: $0.reply.retrieval(of: url)) },
            edges: edges.map {
                EdgeResult(address: $0.address, retrieval: $0.reply.retrieval(of: cdnURL, at: $0.address))
            },
            pages: pages.map {
                PageResult(url: $0.url, retrieval: $0.reply.retrieval(of: $0.url), appStore: $0.appStore)
            })
        if !namedPlaces.isEmpty {
            full.namedPlaces = namedPlaces.sorted { $0.key < $1.key }.map { $0.value.retrieval(of: $0.key) }
        }
        return full
    }

    fileprivate var replies: [Reply] {
        addresses.map(\.reply) + agents.map(\.reply) + [rootCopy].compactMap(\.self) + Array(namedPlaces.values)
            + vantages.map(\.reply)
            + edges.map(\.reply)
    }
}

extension Observation {
    /// One full check. If the scene has edges, the first one that answered stands for the CDN.
    package static func of(
        _ name: String = "example.com", at instant: Date = .testing, mode: AssociationMode = .production,
        origin: Reply, cdn: Reply?, unasked: CDNResult.Reason = .originHasNoFile, scene: Scene
    ) throws -> Observation {
        var observation = try of(
            name, at: instant, mode: mode, origin: origin, cdn: cdn, unasked: unasked)
        let result = scene.result(of: observation.domain)
        observation.full = result
        let scopes = scene.source == .system ? scene.addresses.map(\.scope) : []
        observation.origin.ownScope = scopes.contains(.public) ? nil : scopes.first
        if let first = result.edges.first(where: { $0.retrieval.answer != nil }) ?? result.edges.first {
            observation.cdn = .asked(first.retrieval)
        }
        for reply in scene.replies {
            if let hash = reply.hash { observation.contents[hash] = reply.body }
        }
        return observation
    }
}

extension Reply {
    fileprivate func retrieval(of url: String, at address: String?) -> Retrieval {
        var retrieval = retrieval(of: url)
        if let address { retrieval.connection?.address = address }
        return retrieval
    }
}
