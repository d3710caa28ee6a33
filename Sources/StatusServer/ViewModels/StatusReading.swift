import Evidence
import Foundation
import Monitoring
import Storage

/// What the store knows of some domains now, for those who read it without the page.
package struct StatusReading: Sendable {
    package let overview: Overview
    /// For each domain the document of `/api/v1/domains/{domain}`, in the order of names; none where they were not asked for.
    package let documents: [Data]

    package init(overview: Overview, documents: [Data]) {
        self.overview = overview
        self.documents = documents
    }

    /// `domains`: those to read; none: all. Labels, intervals and maintenance windows are the configuration's, so they are
    /// not in it. Domains that the store does not know are left out.
    ///
    /// - Throws: `StoreError`.
    package init(_ store: Store, domains: Set<Domain>, withDocuments: Bool, now: Date) async throws {
        let time = PageTime(now: now)
        let context = try await IncidentContext(store, windows: [], wall: now)
        let states = try await store.states().filter { domains.isEmpty || domains.contains($0.domain) }
        overview = Overview(
            states, pending: try await store.pendingNotifications(), context: context, time: time)
        var documents: [Data] = []
        for state in states where withDocuments {
            documents.append(
                try DomainDocument(
                    watched: WatchedDomainInfo(domain: state.domain, interval: .seconds(Int32.max)),
                    state: state, full: try await store.lastFullLook(of: state.domain), context: context,
                    time: time
                ).encoded())
        }
        self.documents = documents
    }
}
