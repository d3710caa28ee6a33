// What one check saw of one domain: plain facts, no opinion. Everything here can be written down and read again.

import Facts
import Foundation

/// One look at one domain from one place.
package struct Observation: Codable, Equatable, Sendable {
    package var domain: Domain
    /// When the check began.
    package var checkedAt: Date
    /// The place that the check was made from.
    package var vantage: String
    package var mode: AssociationMode
    package var origin: Retrieval
    package var cdn: CDNLook
    /// What a full check saw besides; nil for a light one.
    package var full: FullLook?
    /// What this machine was seen to be able to do, where something failed; nil where nothing did.
    package var control: ControlLook?
    /// The bodies that the retrievals name by their hash. Kept apart so that facts can be stored without them.
    package var contents: [ContentHash: Data] = [:]

    package init(
        domain: Domain, checkedAt: Date, vantage: String = ownVantage, mode: AssociationMode = .production,
        origin: Retrieval, cdn: CDNLook, full: FullLook? = nil, contents: [ContentHash: Data] = [:]
    ) {
        self.domain = domain
        self.checkedAt = checkedAt
        self.vantage = vantage
        self.mode = mode
        self.origin = origin
        self.cdn = cdn
        self.full = full
        self.contents = contents
    }

    /// The name of this machine among the vantages.
    package static let ownVantage = "local"

    package var depth: Depth { full == nil ? .light : .full }

    private enum CodingKeys: String, CodingKey {
        case domain, checkedAt = "checked_at", vantage, mode, origin, cdn, full, control
    }
}

/// The answer of Apple's CDN, or why it was not asked.
package enum CDNLook: Codable, Equatable, Sendable {
    case asked(Retrieval)
    case notAsked(Reason)

    package enum Reason: String, Codable, Sendable {
        /// The origin has no file yet and never had one: asking would make Apple remember a failure.
        case originHasNoFile = "origin_has_no_file"
        /// Devices in developer or managed mode go to the origin themselves.
        case mode
    }

    /// The answer that stands for the CDN: by its name, or of the first edge that answered.
    package var retrieval: Retrieval? {
        if case .asked(let retrieval) = self { retrieval } else { nil }
    }
}

/// Facts about this machine and its network, looked up by a check in which something failed: `Control` tells by them, and by the
/// answers of Apple's CDN, what a site can be blamed for.
package struct ControlLook: Codable, Equatable, Sendable {
    /// What the name server says of the CDN's name at the same moment.
    package var name: Resolution?
    /// The CDN, asked for a connection and nothing else; nil where it was asked about the domain.
    package var reference: ConnectionLook?
    /// 4, 6: the families in which this machine has an address of its own; nil: not known.
    package var families: [Int]?
    /// The environment variable that names a proxy, where this program was given none: it uses no such variable.
    package var unusedProxy: String?
    /// The time by the answer of Apple's CDN, and by this machine's clock at that moment.
    package var clock: ClockLook?

    package init(
        name: Resolution? = nil, reference: ConnectionLook? = nil, families: [Int]? = nil, unusedProxy: String? = nil,
        clock: ClockLook? = nil
    ) {
        self.name = name
        self.reference = reference
        self.families = families
        self.unusedProxy = unusedProxy
        self.clock = clock
    }
}

/// What came of a connection over which nothing was asked.
package struct ConnectionLook: Codable, Equatable, Sendable {
    package var failure: Failure?
    package var connection: Connection?

    package init(failure: Failure?, connection: Connection?) {
        self.failure = failure
        self.connection = connection
    }
}

package struct ClockLook: Codable, Equatable, Sendable {
    package var apple: Date
    package var own: Date

    package init(apple: Date, own: Date) {
        self.apple = apple
        self.own = own
    }

    /// Seconds that this machine's clock is ahead.
    package var ahead: TimeInterval { own.timeIntervalSince(apple) }
}

// MARK: - What a full check sees besides

// Beyond the two plain requests of a light one: each address, each edge, other user agents, the root copy, other places, the pages
// behind the links.

/// How much one check asks.
package enum Depth: String, Codable, Sendable, CaseIterable {
    /// One request to the origin and one to the CDN.
    case light
    /// Everything that can be seen from outside.
    case full
}

/// The part of an observation that only a full check has.
package struct FullLook: Codable, Equatable, Sendable {
    package var resolution: Resolution
    /// Each address of the origin, asked by itself; empty where the addresses are not known here.
    package var addresses: [AddressLook]
    /// The same request under the names of Apple's own clients.
    package var agents: [AgentLook]
    /// `/apple-app-site-association`, where devices before iOS 9.3 and some guides have the file; nil where it was not
    /// asked for.
    package var rootCopy: Retrieval?
    package var vantages: [VantageLook]
    /// Each address of the CDN, asked by itself; empty where the CDN, or its addresses, were not asked.
    package var edges: [EdgeLook]
    package var pages: [PageLook]
    /// Why a light check would not have asked Apple's CDN where this one did; nil where it would have.
    package var lightSkipsCDN: CDNLook.Reason?

    package init(
        resolution: Resolution, addresses: [AddressLook] = [], agents: [AgentLook] = [], rootCopy: Retrieval? = nil,
        vantages: [VantageLook] = [], edges: [EdgeLook] = [], pages: [PageLook] = []
    ) {
        self.resolution = resolution
        self.addresses = addresses
        self.agents = agents
        self.rootCopy = rootCopy
        self.vantages = vantages
        self.edges = edges
        self.pages = pages
    }

    /// Every retrieval that may have brought a copy of the file.
    package var copies: [Retrieval] {
        addresses.map(\.retrieval) + agents.map(\.retrieval) + [rootCopy].compactMap(\.self)
            + vantages.map(\.retrieval) + edges.map(\.retrieval)
    }
}

/// Where a name leads.
package struct Resolution: Codable, Equatable, Sendable {
    package var source: Source
    /// In the order in which the system would try them; at most `maximumAddresses`.
    package var addresses: [ResolvedAddress]
    /// Why there are none.
    package var failure: Failure?
    package var milliseconds: Double
    /// 4 or 6 where addresses of the other family were left out; nil: all that there are.
    package var onlyFamily: Int?

    package static let maximumAddresses = 32

    package init(
        source: Source, addresses: [ResolvedAddress] = [], failure: Failure? = nil, milliseconds: Double = 0,
        onlyFamily: Int? = nil
    ) {
        self.source = source
        self.addresses = addresses
        self.failure = failure
        self.milliseconds = milliseconds
        self.onlyFamily = onlyFamily
    }

    package enum Source: String, Codable, Sendable {
        /// The system's resolver, /etc/hosts included.
        case system
        /// The user's own `--resolve` or `--connect-to`: says nothing about what Apple sees.
        case rules
        /// A proxy resolves; the addresses are not known here.
        case proxy
    }
}

/// One address of the origin, asked by itself under the domain's own name. Redirects are noted, not followed.
package struct AddressLook: Codable, Equatable, Sendable {
    package var address: ResolvedAddress
    package var retrieval: Retrieval

    package init(address: ResolvedAddress, retrieval: Retrieval) {
        self.address = address
        self.retrieval = retrieval
    }
}

/// The well-known request under another user agent, to the same address as the look that it is compared with. Redirects
/// are noted, not followed.
package struct AgentLook: Codable, Equatable, Sendable {
    package var agent: Agent
    /// Where it was sent, whether or not that answered; nil where addresses are not known here.
    package var address: String?
    package var retrieval: Retrieval

    package init(agent: Agent, address: String? = nil, retrieval: Retrieval) {
        self.agent = agent
        self.address = address
        self.retrieval = retrieval
    }

    package enum Agent: String, Codable, Sendable, CaseIterable {
        /// What Apple's CDN sends. https://developer.apple.com/documentation/appclip/associating-your-app-clip-with-your-website
        case crawler
        /// What a device's swcd sends.
        case device

        package var userAgent: String {
            switch self {
            case .crawler: "AASA-Bot/1.0.0"
            case .device: "com.apple.swcd (unknown version) CFNetwork/3826.500.131 Darwin/24.5.0"
            }
        }
    }
}

/// The origin as another place sees it, redirects followed as from here.
package struct VantageLook: Codable, Equatable, Sendable {
    package var name: String
    package var retrieval: Retrieval

    package init(name: String, retrieval: Retrieval) {
        self.name = name
        self.retrieval = retrieval
    }
}

/// One address of the CDN, asked by itself over a connection that is kept.
package struct EdgeLook: Codable, Equatable, Sendable {
    package var address: String
    package var retrieval: Retrieval

    package init(address: String, retrieval: Retrieval) {
        self.address = address
        self.retrieval = retrieval
    }
}

/// The web page at an expected URL, redirects followed within HTTPS.
package struct PageLook: Codable, Equatable, Sendable {
    /// As the configuration has it.
    package var url: String
    package var retrieval: Retrieval
    /// Where the redirects ended in an App Store link, which is not asked for.
    package var appStore: String?

    package init(url: String, retrieval: Retrieval, appStore: String? = nil) {
        self.url = url
        self.retrieval = retrieval
        self.appStore = appStore
    }
}
