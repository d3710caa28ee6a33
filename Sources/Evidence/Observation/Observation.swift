// What one check saw of one domain: facts without judgement. Everything here can be stored and read again.

import Facts
import Foundation

/// One check of one domain from one location.
package struct Observation: Codable, Equatable, Sendable {
    package var domain: Domain
    /// When the check began.
    package var checkedAt: Date
    /// The name of the location from which the check was made.
    package var vantage: String
    package var mode: AssociationMode
    package var origin: Retrieval
    package var cdn: CDNResult
    /// What a full check adds; nil for a light one.
    package var full: FullCheck?
    /// Facts about this machine; nil if nothing failed, the clock agrees with Apple's, and the lookup was fast.
    package var control: ControlResult?
    /// The bodies that the retrievals name by hash. Separate, so that facts can be stored without them.
    package var contents: [ContentHash: Data] = [:]

    package init(
        domain: Domain, checkedAt: Date, vantage: String = ownVantage, mode: AssociationMode = .production,
        origin: Retrieval, cdn: CDNResult, full: FullCheck? = nil, contents: [ContentHash: Data] = [:]
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
package enum CDNResult: Codable, Equatable, Sendable {
    case asked(Retrieval)
    case notAsked(Reason)

    package enum Reason: String, Codable, Sendable {
        /// The origin has no file yet and never had one: a request would make Apple cache the failure.
        case originHasNoFile = "origin_has_no_file"
        /// Devices in developer or managed mode ask the origin themselves.
        case mode
    }

    /// The answer that represents the CDN: by its name, or that of the first edge that answered.
    package var retrieval: Retrieval? {
        if case .asked(let retrieval) = self { retrieval } else { nil }
    }
}

/// Facts about this machine and its network, collected by a check in which something failed. From these, and from the
/// answers of Apple's CDN, `Control` concludes what a site can be blamed for.
package struct ControlResult: Codable, Equatable, Sendable {
    /// The name server's answer for the CDN's name at the same moment.
    package var name: Resolution?
    /// A connection to the CDN without a request; nil if the CDN was asked about the domain.
    package var reference: ConnectionResult?
    /// 4, 6: the families in which this machine has an address; nil if unknown.
    package var families: [Int]?
    /// The environment variable that names a proxy, if this program was given none: it ignores such variables.
    package var unusedProxy: String?
    /// The time in the answer of Apple's CDN, and this machine's clock at that moment.
    package var clock: ClockResult?

    package init(
        name: Resolution? = nil, reference: ConnectionResult? = nil, families: [Int]? = nil, unusedProxy: String? = nil,
        clock: ClockResult? = nil
    ) {
        self.name = name
        self.reference = reference
        self.families = families
        self.unusedProxy = unusedProxy
        self.clock = clock
    }
}

/// The outcome of a connection without a request.
package struct ConnectionResult: Codable, Equatable, Sendable {
    package var failure: Failure?
    package var connection: Connection?

    package init(failure: Failure?, connection: Connection?) {
        self.failure = failure
        self.connection = connection
    }
}

package struct ClockResult: Codable, Equatable, Sendable {
    package var apple: Date
    package var own: Date

    package init(apple: Date, own: Date) {
        self.apple = apple
        self.own = own
    }

    /// How many seconds this machine's clock is ahead.
    package var ahead: TimeInterval { own.timeIntervalSince(apple) }
}

// MARK: - What a full check adds

// Beyond the two plain requests of a light check: each address, each edge, other user agents, the root copy, other
// locations, and the pages behind the links.

/// How much one check requests.
package enum Depth: String, Codable, Sendable, CaseIterable {
    /// One request to the origin and one to the CDN.
    case light
    /// Everything that can be seen from outside.
    case full
}

/// The part of an observation that only a full check has.
package struct FullCheck: Codable, Equatable, Sendable {
    package var resolution: Resolution
    /// Each address of the origin, probed on its own; empty if the addresses are not known here.
    package var addresses: [AddressResult]
    /// The same request with the user agents of Apple's clients.
    package var agents: [AgentResult]
    /// `/apple-app-site-association`, where devices before iOS 9.3 and some guides expect the file; nil if not
    /// requested.
    package var rootCopy: Retrieval?
    /// The file at other paths that a person named, where it may be by mistake; nil if none was named, or the file is
    /// where it belongs.
    package var namedPlaces: [Retrieval]?
    package var vantages: [VantageResult]
    /// Each address of the CDN, probed on its own; empty if the CDN, or its addresses, were not asked.
    package var edges: [EdgeResult]
    package var pages: [PageResult]
    /// Why a light check would not have asked Apple's CDN although this one did; nil if it would have.
    package var lightSkipsCDN: CDNResult.Reason?

    package init(
        resolution: Resolution, addresses: [AddressResult] = [], agents: [AgentResult] = [], rootCopy: Retrieval? = nil,
        vantages: [VantageResult] = [], edges: [EdgeResult] = [], pages: [PageResult] = []
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
        addresses.map(\.retrieval) + agents.map(\.retrieval) + [rootCopy].compactMap(\.self) + (namedPlaces ?? [])
            + vantages.map(\.retrieval) + edges.map(\.retrieval)
    }
}

/// The addresses of a name.
package struct Resolution: Codable, Equatable, Sendable {
    package var source: Source
    /// In the order in which the system would try them; at most `maximumAddresses`.
    package var addresses: [ResolvedAddress]
    /// Why there are none.
    package var failure: Failure?
    package var milliseconds: Double
    /// 4 or 6 if addresses of the other family were left out; nil if these are all.
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
        /// A proxy resolves the name; the addresses are not known here.
        case proxy
    }
}

/// One address of the origin, probed on its own under the domain's name. Redirects are noted, not followed.
package struct AddressResult: Codable, Equatable, Sendable {
    package var address: ResolvedAddress
    package var retrieval: Retrieval

    package init(address: ResolvedAddress, retrieval: Retrieval) {
        self.address = address
        self.retrieval = retrieval
    }
}

/// The well-known request with another user agent, to the same address as the probe that it is compared with. Redirects
/// are noted, not followed.
package struct AgentResult: Codable, Equatable, Sendable {
    package var agent: Agent
    /// Where it was sent, even without an answer; nil if the addresses are not known here.
    package var address: String?
    package var retrieval: Retrieval

    package init(agent: Agent, address: String? = nil, retrieval: Retrieval) {
        self.agent = agent
        self.address = address
        self.retrieval = retrieval
    }

    package enum Agent: String, Codable, Sendable, CaseIterable {
        /// What Apple's CDN sends.
        /// https://developer.apple.com/documentation/appclip/associating-your-app-clip-with-your-website
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

/// The origin as seen from another location; redirects are followed as from here.
package struct VantageResult: Codable, Equatable, Sendable {
    package var name: String
    package var retrieval: Retrieval

    package init(name: String, retrieval: Retrieval) {
        self.name = name
        self.retrieval = retrieval
    }
}

/// One address of the CDN, probed on its own over a kept connection.
package struct EdgeResult: Codable, Equatable, Sendable {
    package var address: String
    package var retrieval: Retrieval

    package init(address: String, retrieval: Retrieval) {
        self.address = address
        self.retrieval = retrieval
    }
}

/// The web page at an expected URL; redirects are followed within HTTPS.
package struct PageResult: Codable, Equatable, Sendable {
    /// As written in the configuration.
    package var url: String
    package var retrieval: Retrieval
    /// The App Store link at which the redirects ended; it is not requested.
    package var appStore: String?

    package init(url: String, retrieval: Retrieval, appStore: String? = nil) {
        self.url = url
        self.retrieval = retrieval
        self.appStore = appStore
    }
}
