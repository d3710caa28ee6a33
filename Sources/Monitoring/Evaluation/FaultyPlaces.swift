// The CDN edges, or addresses of the origin, that were seen with a problem. A place without an answer has not
// recovered: an incident ends when each place was seen without the problem, or was absent long enough.

import Evidence
import Facts
import Foundation

package struct FaultyPlaces: Codable, Equatable, Sendable {
    /// By address; never empty.
    package let places: [String: Place]

    package struct Place: Codable, Equatable, Sendable {
        /// Consecutive full checks without an answer: a timeout, an error, no DNS entry.
        package var absences = 0
        /// The end of its certificate, by the wall clock.
        package var certificateEnd: Date?
    }

    /// What one check says about one place.
    enum Sighting: Equatable {
        case faulty(certificateEnd: Date? = nil)
        case good
        case absent
    }

    /// After this many full checks without an answer, a place is removed.
    static let maximumAbsences = 3
    static let limit = 32

    /// nil: none is left. `isFull`: all existing places were asked.
    static func after(_ known: FaultyPlaces?, _ observations: [String: Sighting], isFull: Bool) -> FaultyPlaces? {
        var places = known?.places ?? [:]
        // If no place answered, the cause is not the place.
        if isFull, observations.values.contains(where: { $0 != .absent }) {
            for address in places.keys where observations[address] ?? .absent == .absent {
                places[address]?.absences += 1
            }
            places = places.filter { $0.value.absences < maximumAbsences }
        }
        for (address, observation) in observations {
            switch observation {
            case .faulty(let end): places[address] = Place(certificateEnd: end)
            case .good: places[address] = nil
            case .absent: break
            }
        }
        if places.count > limit {
            let kept = places.sorted { ($0.value.absences, $0.key) < ($1.value.absences, $1.key) }.prefix(limit)
            places = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
        }
        return places.isEmpty ? nil : FaultyPlaces(places: places)
    }

    var earliestEnd: Date? { places.values.compactMap(\.certificateEnd).min() }
}

extension ConditionReader {
    /// The places with a problem of one kind after this check; nil: none, or the kind does not depend on places.
    func places(of kind: IncidentKind) -> FaultyPlaces? {
        let known = before.open[kind]?.places
        let isFull = readings.observation.depth == .full
        switch kind {
        case .certificateExpiring:
            return .after(known, certificates(known), isFull: isFull)
        case .cdnMissing, .cdnStale, .cdnDivergent:
            // Without the origin's file nobody can tell which copy is right.
            guard isFull, kind == .cdnMissing || readings.originFile?.namesService == true else { return known }
            return .after(known, edges(kind), isFull: true)
        case .originUnreachable, .originBroken, .originInconsistent, .fileBroken, .expectationFailed, .cdnWide,
            .monitorDegraded, .change:
            return nil
        }
    }

    private func certificates(_ known: FaultyPlaces?) -> [String: FaultyPlaces.Sighting] {
        let observation = readings.observation
        var met = (observation.full?.addresses ?? []).map { ($0.address.address, $0.retrieval) }
        met.append((observation.origin.connection?.address ?? "", observation.origin))
        var observations: [String: FaultyPlaces.Sighting] = [:]
        for (address, retrieval) in met {
            let observation = certificate(retrieval, isKnown: known?.places[address] != nil)
            // The address reached by name was asked twice.
            if observations[address] == nil || observation != .absent { observations[address] = observation }
        }
        return observations
    }

    private func certificate(_ retrieval: Retrieval, isKnown: Bool) -> FaultyPlaces.Sighting {
        guard let tls = retrieval.connection?.tls, let end = tls.chain.first?.notAfter else { return .absent }
        let isEnding = end.timeIntervalSince(wall) <= policy.checks.certificateWarning.inSeconds
        // An expired certificate is not trusted, but it is not renewed either.
        if isEnding, tls.trusted || isKnown { return .faulty(certificateEnd: end) }
        return tls.trusted ? .good : .absent
    }

    private func edges(_ kind: IncidentKind) -> [String: FaultyPlaces.Sighting] {
        var met = (readings.observation.full?.edges ?? []).map { ($0.address, $0.retrieval) }
        if met.isEmpty, let cdn = readings.observation.cdn.retrieval { met = [(cdn.connection?.address ?? "", cdn)] }
        let addresses = (readings.observation.full?.addresses ?? []).map { readings.file(of: $0.retrieval) }
        var current = Set(
            ([readings.originFile] + addresses).compactMap(\.self).filter(\.namesService).compactMap(\.meaning))
        current.formUnion(after.originAlternation?.contents ?? [])
        var observations: [String: FaultyPlaces.Sighting] = [:]
        for (address, retrieval) in met where observations[address] ?? .absent == .absent {
            guard retrieval.isAboutFile else {
                observations[address] = .absent
                continue
            }
            observations[address] = fault(retrieval, current) == kind ? .faulty() : .good
        }
        return observations
    }

    /// The kind of problem with one edge's copy; nil: none.
    private func fault(_ retrieval: Retrieval, _ current: Set<ContentHash>) -> IncidentKind? {
        guard retrieval.answer?.status == 200 else { return .cdnMissing }
        guard let meaning = readings.file(of: retrieval)?.meaning else { return .cdnDivergent }
        if current.contains(meaning) || verdict.comparison.isWithoutEffect == true { return nil }
        return after.history.superseded(meaning) == nil ? .cdnDivergent : .cdnStale
    }
}

extension Finding {
    /// The number of affected addresses or other places, if it is about some of several; nil otherwise.
    var places: Int? {
        guard case .origin(let problem) = problem else { return nil }
        return switch problem {
        case .addressesUnreachable(let places, _), .ipv6Broken(let places), .addressesDiffer(let places),
            .vantageDiffers(_, let places, _):
            max(places.count, 1)
        case .notPublic(let addresses, let all): addresses.count < all ? addresses.count : nil
        default: nil
        }
    }
}
