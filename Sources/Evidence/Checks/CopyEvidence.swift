// Apple's copy as evidence for the origin: where Apple's CDN has the file, its crawler was let in.

import Foundation

/// Evidence, not proof: behind the edges lies a tier that may keep a body a day longer than `Age` tells.
struct CopyEvidence {
    /// Seconds since the youngest copy was fetched.
    let age: Int
    /// For what is said of it.
    let witness: CopyWitness
    /// Whether an edge says so.
    let isDated: Bool
    /// For how many seconds this machine has not got the file; nil: it gets it.
    let outOfSight: Int?

    fileprivate static let day = 86_400
    /// So young, a copy shows that Apple's crawler is let in now, in seconds.
    static let freshness = 3600

    /// Whether the copy speaks for the origin as it is now. Where this machine gets the file too, every copy does. Where it
    /// does not, the copy must be less than a day old, and fetched less than a day after the file was lost from sight.
    var isRecent: Bool {
        guard let outOfSight else { return true }
        return age < Self.day && outOfSight < age + Self.day
    }

    /// Of addresses that are not public the copy's age alone speaks: what is in sight here may be another server than Apple's.
    fileprivate func speaks(against finding: Finding) -> Bool {
        isRecent && (finding.kind != .notPublicAddress || age < Self.day)
    }

    /// nil where an edge has no file, or none has the one that was last seen here, or Apple says that its crawler failed:
    /// all that is evidence against the origin.
    init?(_ readings: Readings, _ history: CopyHistory, now: Date) {
        let copies = readings.copies
        let isHealthy = copies.allSatisfy { copy in
            guard let answer = copy.answer, let file = readings.file(of: copy) else { return false }
            return file.namesService && answer.failureReason == nil
        }
        guard isHealthy else { return nil }
        let isInSight = readings.originFile?.namesService == true
        // Another file than the last one seen here may be older than the monitor: it shows nothing of now.
        let last = history.periods.last?.meaning
        let ages = copies.filter { copy in
            isInSight || last == nil || readings.file(of: copy)?.meaning == last
        }
        // No Age counts as 0: https://www.rfc-editor.org/rfc/rfc9111#section-4.2.3
        .map { $0.answer?.age ?? 0 }
        guard let age = ages.min() else { return nil }
        self.age = age
        isDated = copies.contains { $0.answer?.age != nil }
        witness = CopyWitness(fetchedAt: isDated && age > 0 ? now - TimeInterval(age) : nil)
        outOfSight = isInSight ? nil : Int(max(0, now.timeIntervalSince(history.outOfSightSince ?? now)))
    }
}

/// A copy at Apple's CDN, which shows that its crawler got the file.
package struct CopyWitness: Codable, Equatable, Sendable {
    /// As its edge says; nil where that says nothing.
    package var fetchedAt: Date?

    package init(fetchedAt: Date?) { self.fetchedAt = fetchedAt }
}

extension CheckContext {
    var copyEvidence: CopyEvidence? { CopyEvidence(readings, history, now: now) }

    /// What Apple says of its crawler, where it says why there is no copy.
    private var appleWord: CrawlerFailure? {
        cdn?.answer.flatMap { $0.status == 200 ? nil : CrawlerFailure($0) }
    }

    /// Whether Apple says that its crawler got no answer, at any edge.
    var crawlerMetSilence: Bool {
        let edges = edges.speaking.map(\.look.retrieval)
        return ([cdn].compactMap(\.self) + edges).compactMap(\.answer?.crawlerFailure).contains {
            $0.trouble == .silence || $0.trouble == .connection(.refused)
        }
    }

    /// Whether the plain request was turned away, and every other place gets the file.
    var isTurnedAwayAlone: Bool { readings.turnsClientAway(origin) && othersGetFile }

    /// Whether this machine's resolver leads to a server that Apple does not ask, which gives no file, while every other place
    /// gets it.
    var meetsAnotherServer: Bool {
        observation.mode == .production && origin.redirects.isEmpty && origin.ownScope != nil
            && readings.originFile == nil && othersGetFile
    }

    private var othersGetFile: Bool {
        (observation.full?.vantages ?? []).allSatisfy {
            $0.retrieval.ownFault != nil || readings.file(of: $0.retrieval) != nil
        }
    }

    /// The finding as it weighs beside what Apple has and says. Every finding passes here; the first row that fits decides.
    ///
    ///     finding                                 beside                                   becomes  since
    ///     AASA-Bot is refused at every address    a copy fetched within the hour, in sync  note     freshCopy
    ///     addresses of both kinds                 a recent copy                            warning
    ///     the same                                none                                     stays
    ///     addresses that are not public           Apple's word on another trouble          warning  appleWord
    ///     an error that may be this machine's     a recent copy                            warning  otherServer, appleCopy
    func weighed(_ finding: Finding) -> Finding {
        if refusesCrawlerEverywhere(finding), comparison.state == .inSync, let copy = copyEvidence, copy.isDated,
            copy.age < CopyEvidence.freshness
        {
            return finding.weighing(.note, .freshCopy(fetchedAt: now - TimeInterval(copy.age)))
        }
        if case .origin(.notPublic) = finding.matter, hasMixedAddresses {
            // Whatever Apple met, the records are to be mended.
            return copyEvidence?.isRecent == true ? finding.weighing(.warning, nil) : finding
        }
        if finding.kind == .notPublicAddress, origin.redirectStop == nil, let word = appleWord,
            word.trouble != .address
        {
            return finding.weighing(.warning, .appleWord)
        }
        guard finding.severity == .error, isOfThisMachine(finding), let copy = copyEvidence,
            copy.speaks(against: finding)
        else { return finding }
        var weighed = finding.weighing(
            .warning,
            meetsAnotherServer ? .otherServer : welcomeAgents.first.map { .appleCopyAndAgent($0) } ?? .appleCopy)
        weighed.add(["cdn_age_seconds": "\(copy.age)"])
        if let hash = readings.cdnFile?.hash { weighed.add(["cdn_sha256": hash.hex]) }
        return weighed
    }

    private func refusesCrawlerEverywhere(_ finding: Finding) -> Bool {
        guard case .origin(.crawlerRefused(let refusals)) = finding.matter else { return false }
        return refusals.addresses.isEmpty && refusals.agents.contains { $0.agent == .crawler }
    }

    /// Whether a finding is about what this machine alone may meet: an answer that turns it away, in whatever form, addresses
    /// that its own resolver gave, and whatever is wrong with the server there.
    private func isOfThisMachine(_ finding: Finding) -> Bool {
        // A redirect to such an address is everybody's.
        if finding.kind == .notPublicAddress { return origin.redirectStop != .privateAddress }
        if meetsAnotherServer { return finding.matter.area == .origin || finding.matter.area == .file }
        return isTurnedAwayAlone
            && (finding.kind == .status || finding.kind == .contentType || finding.matter.area == .file)
    }
}

extension Finding {
    fileprivate func weighing(_ severity: Severity, _ reason: Counterevidence?) -> Finding {
        var finding = self
        finding.severity = severity
        if let reason { finding.counterevidence = reason }
        return finding
    }
}

extension Readings {
    /// Whether what the origin answered may be meant for this machine alone, so that it says nothing of what others get.
    package var mayBeOwnView: Bool {
        let origin = observation.origin
        return turnsClientAway(origin) || origin.redirects.isEmpty && origin.ownScope != nil
    }

    /// Whether the answer sends a client away for who or where it is, or for how often it asks. A hosting platform that has
    /// no such site or file says so to everybody.
    func turnsClientAway(_ retrieval: Retrieval) -> Bool {
        guard let answer = retrieval.answer, HostingSighting(answer, content(of: answer)) == nil else { return false }
        // A password prompt is everybody's.
        if answer.status == 401, answer.header("www-authenticate") != nil { return false }
        return [401, 403, 406, 429, 451].contains(answer.status) || protection(of: retrieval) != nil
            || demandsClientCertificate(answer)
    }
}
