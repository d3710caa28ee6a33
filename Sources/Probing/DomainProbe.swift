// Looks at one domain: the origin first, Apple's CDN after it. Returns facts; what they mean is for `Evidence`.

import Curl
import Evidence
import Foundation

package struct DomainProbe: Sendable {
    private let settings: ProbeSettings
    private let origin: OriginProbe
    private let cdn: CDNProbe

    package init(driver: CurlDriver, settings: ProbeSettings) {
        self.settings = settings
        origin = OriginProbe(driver: driver, settings: settings)
        cdn = CDNProbe(driver: driver, settings: settings)
    }

    /// One observation of one domain. `hadFile` says whether the origin was ever seen to serve a file; `timeout` is for
    /// each of origin and CDN, the settings' own where nil. Throws `CancellationError` only: what goes wrong on the network
    /// is part of the observation.
    package func observe(
        _ domain: Domain, mode: AssociationMode = .production, hadFile: Bool, timeout: Duration? = nil, now: Date
    ) async throws -> Observation {
        let timeout = timeout ?? settings.timeout
        var seen = try await origin.retrieve(domain, timeout: timeout)
        var observation = Observation(
            domain: domain, checkedAt: now, mode: mode, origin: seen.retrieval, cdn: .notAsked(.mode),
            contents: seen.contents)
        guard mode.readsCDN else { return observation }
        guard hadFile || settings.asksBeforeOrigin || !Self.hasNoFile(seen.retrieval) else {
            observation.cdn = .notAsked(.originHasNoFile)
            return observation
        }
        let copy = try await cdn.retrieve(domain, timeout: timeout)
        // Apple may have seen a change between our two requests. Before its copy is called different, the origin is read
        // again: the later answer is the one to compare with.
        if copy.retrieval.answer?.status == 200, seen.retrieval.answer?.status == 200,
            copy.retrieval.answer?.body.hash != seen.retrieval.answer?.body.hash
        {
            let again = try await origin.retrieve(domain, timeout: timeout)
            if again.retrieval.answer?.status == 200, again.retrieval.answer?.body.end == .complete { seen = again }
        }
        observation.origin = seen.retrieval
        observation.cdn = .asked(copy.retrieval)
        observation.contents = seen.contents.merging(copy.contents) { first, _ in first }
        return observation
    }

    /// The origin's copy alone, with its body where that came whole.
    package func original(of domain: Domain) async throws -> (Retrieval, Data?) {
        try await origin.retrieve(domain, timeout: settings.timeout).withBody
    }

    /// Apple's copy alone, with its body where that came whole. The CDN is asked whatever the origin has.
    package func copy(of domain: Domain) async throws -> (Retrieval, Data?) {
        try await cdn.retrieve(domain, timeout: settings.timeout).withBody
    }

    package func cdnURL(of domain: Domain) -> String { cdn.url(of: domain) }

    /// No such name, or an answer that says that there is no such file: Apple would remember the failure.
    private static func hasNoFile(_ retrieval: Retrieval) -> Bool {
        if let status = retrieval.answer?.status { return status == 404 || status == 410 }
        return retrieval.failure?.kind == .nameNotFound
    }
}

/// A retrieval with the bodies that it names by their hash.
struct Sight: Sendable {
    var retrieval: Retrieval
    var contents: [ContentHash: Data]

    var withBody: (Retrieval, Data?) { (retrieval, retrieval.answer?.body.hash.flatMap { contents[$0] }) }
}
