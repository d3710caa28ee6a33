// Apple's copy as evidence about the origin: if Apple's CDN has the file, its crawler was let in.

import Foundation

/// Evidence, not proof: a tier behind the edges may keep a body a day longer than `Age` says.
struct CopyEvidence {
    /// Seconds since the youngest copy was fetched.
    let age: Int
    /// For texts about it.
    let witness: CopyWitness
    /// Whether an edge dates it.
    let isDated: Bool
    /// For how many seconds this machine has not got the file; nil if it gets it.
    let outOfSight: Int?

    fileprivate static let day = 86_400
    /// Seconds. A copy this young shows that Apple's crawler is let in now.
    static let freshness = 3600

    /// Whether the copy is evidence about the origin as it is now. If this machine gets the file too, every copy is. If
    /// it does not, the copy must be less than a day old, and fetched less than a day after this machine lost the file.
    var isRecent: Bool {
        guard let outOfSight else { return true }
        // `DiagnosisContext.copySinceFailure` handles older faults.
        return age < Self.day && outOfSight < age + Self.day
    }

    /// For addresses that are not public only the copy's age counts: the server seen here may not be Apple's.
    fileprivate func speaks(against finding: Finding) -> Bool {
        isRecent && (finding.kind != .notPublicAddress || age < Self.day)
    }

    /// nil if an edge has no file, if none has the file that was last seen here, or if Apple says that its crawler
    /// failed. Each of these is evidence against the origin.
    init?(_ readings: Readings, _ history: CopyHistory, now: Date) {
        let copies = readings.copies
        let isHealthy = copies.allSatisfy { copy in
            guard let answer = copy.answer, let file = readings.file(of: copy) else { return false }
            return file.namesService && answer.failureReason == nil
        }
        guard isHealthy else { return nil }
        let isInSight = readings.originFile?.namesService == true
        // A file other than the last one seen here may be older than the monitor: it shows nothing about now.
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

/// A copy in Apple's CDN, which shows that its crawler got the file.
package struct CopyWitness: Codable, Equatable, Sendable {
    /// According to its edge; nil if the edge does not say.
    package var fetchedAt: Date?

    package init(fetchedAt: Date?) { self.fetchedAt = fetchedAt }
}

extension CheckContext {
    var copyEvidence: CopyEvidence? { CopyEvidence(readings, history, now: now) }

    /// What Apple says about its crawler, if that explains a missing copy.
    private var appleWord: CrawlerFailure? {
        cdn?.answer.flatMap { $0.status == 200 ? nil : CrawlerFailure($0) }
    }

    /// Whether Apple says, at any edge, that its crawler got no answer.
    var crawlerMetSilence: Bool {
        let edges = edges.speaking.map(\.result.retrieval)
        return ([cdn].compactMap(\.self) + edges).compactMap(\.answer?.crawlerFailure).contains {
            $0.trouble == .silence || $0.trouble == .connection(.refused)
        }
    }

    /// Whether the plain request was turned away, although every other location gets the file.
    var isTurnedAwayAlone: Bool { readings.turnsClientAway(origin) && othersGetFile }

    /// Whether this machine's resolver leads to a server that Apple does not ask and that gives no file, although every
    /// other location gets it.
    var meetsAnotherServer: Bool {
        observation.mode == .production && origin.redirects.isEmpty && origin.ownScope != nil
            && readings.originFile == nil && othersGetFile
    }

    private var othersGetFile: Bool {
        (observation.full?.vantages ?? []).allSatisfy {
            $0.retrieval.ownFault != nil || readings.file(of: $0.retrieval) != nil
        }
    }

    /// The finding, weighed against what Apple has and says. Every finding passes here; the first match decides.
    ///
    ///     finding                               evidence                           becomes  because
    ///     AASA-Bot is refused at every address  a copy under an hour old, in sync  note     freshCopy
    ///     addresses of both kinds               a recent copy                      warning
    ///     the same                              none                               stays
    ///     addresses that are not public         Apple's word on another trouble    warning  appleWord
    ///     an error that may be this machine's   a recent copy                      warning  otherServer, appleCopy
    func weighed(_ finding: Finding) -> Finding {
        // A copy without `Age` counts as fetched now, which no edge said.
        if refusesCrawlerEverywhere(finding), comparison.state == .inSync, let copy = copyEvidence, copy.isDated,
            copy.age < CopyEvidence.freshness
        {
            return finding.weighing(.note, .freshCopy(fetchedAt: now - TimeInterval(copy.age)))
        }
        if case .origin(.notPublic) = finding.problem, hasMixedAddresses {
            // The records need a fix, even if Apple met another address.
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
        guard case .origin(.crawlerRefused(let refusals)) = finding.problem else { return false }
        return refusals.addresses.isEmpty && refusals.agents.contains { $0.agent == .crawler }
    }

    /// Whether a finding may concern only this machine: an answer that turns it away, in any form, addresses from its own
    /// resolver, and any fault of the server there.
    private func isOfThisMachine(_ finding: Finding) -> Bool {
        // A redirect to such an address affects every client.
        if finding.kind == .notPublicAddress { return origin.redirectStop != .privateAddress }
        if meetsAnotherServer { return finding.problem.area == .origin || finding.problem.area == .file }
        return isTurnedAwayAlone
            && (finding.kind == .status || finding.kind == .contentType || finding.problem.area == .file)
    }
}

extension Finding {
    fileprivate func weighing(_ severity: Severity, _ reason: Doubt?) -> Finding {
        var finding = self
        finding.severity = severity
        if let reason { finding.doubt = reason }
        return finding
    }
}

extension Readings {
    /// Whether the origin's answer may be only for this machine. Then it says nothing about what others get.
    package var mayBeOwnView: Bool {
        let origin = observation.origin
        return turnsClientAway(origin) || origin.redirects.isEmpty && origin.ownScope != nil
    }

    /// Whether the answer turns a client away for its identity, its location or its number of requests. A hosting
    /// platform that has no such site or file says so to every client.
    func turnsClientAway(_ retrieval: Retrieval) -> Bool {
        guard let answer = retrieval.answer, HostingMatch(answer, content(of: answer)) == nil else { return false }
        // A password prompt is for every client.
        if answer.status == 401, answer.header("www-authenticate") != nil { return false }
        return [401, 403, 406, 429, 451].contains(answer.status) || protection(of: retrieval) != nil
            || demandsClientCertificate(answer)
    }
}
