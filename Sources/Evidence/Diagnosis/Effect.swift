// What phones do now: derived from what was served, and only in this file.

import AASA
import Facts
import Foundation

package struct Effect: Codable, Equatable, Sendable {
    /// Which phones: those in a mode other than production read the origin.
    package var phones: AssociationMode
    /// What phones do with links, or with the service.
    package var links: Links
    /// The service that a person asks about; nil for links.
    package var service: String?

    package init(_ links: Links, phones: AssociationMode = .production) {
        self.phones = phones
        self.links = links
    }

    package enum Links: Codable, Equatable, Sendable {
        /// `seen`: the edges that answered, if others did not.
        case work(seen: EdgeShare?)
        /// Phones use the file, and it has an error.
        case followFaultyFile
        /// Phones use the file, but it does not meet its owners' expectations.
        case followUnexpectedFile
        /// `at`: the edges that serve no file; nil for all that answered.
        case openWebsite(at: EdgeShare?)
        /// Phones use another file than the origin's. `by`: what made it old, if the origin served it before. Example
        /// paths: those that open the website although the origin's file opens the app, and the reverse.
        case followOtherFile(by: OriginChange.Way?, at: EdgeShare?, website: [String], app: [String])
        /// The file opens no link; it exists for other services.
        case none(services: [String])
        case unknown(Unknown)
        /// For the monitor's own problems, and for messages without a check.
        case unaffected
        /// What Apple's CDN does to many domains.
        case ofMany(CDNFailure, domains: Int)
    }

    package enum Unknown: String, Codable, Sendable, CaseIterable {
        case cdnNotAsked, cdnNotReached, originNotRead, addressesDiffer, localNetwork, notMonitored, noFacts
        /// The problem that many domains shared is over; some of them may still fail.
        case ofManyDomains
    }

    /// How far links are from what the owners want. Each step is worse than the one before.
    package enum Harm: Int, Codable, Comparable, Sendable {
        // The numbers are stored; `rank` has the order.
        case none = 0
        /// For phones that reach some of the edges.
        case atSomeEdges = 3
        /// Some links, for all phones.
        case some = 1
        case all = 2

        private var rank: Int {
            switch self {
            case .none: 0
            case .atSomeEdges: 1
            case .some: 2
            case .all: 3
            }
        }

        package static func < (left: Harm, right: Harm) -> Bool { left.rank < right.rank }
    }

    /// nil if unknown.
    package var harm: Harm? {
        switch links {
        case .work, .none, .unaffected: Harm.none
        case .openWebsite(at: nil): .all
        case .openWebsite, .followOtherFile(_, at: .some, _, _): .atSomeEdges
        case .followFaultyFile, .followUnexpectedFile, .followOtherFile: .some
        case .unknown, .ofMany: nil
        }
    }

    /// Whether phones find the app, at every edge that was asked; nil if unknown.
    package var works: Bool? {
        switch links {
        case .openWebsite, .none: false
        default: harm.map { _ in true }
        }
    }

    /// Whether phones do not get the origin's file from Apple, or not everywhere: the effect says so.
    var isOfCopy: Bool {
        switch links {
        case .openWebsite, .followOtherFile, .unknown: true
        default: false
        }
    }

    /// Which case it is, without counts and examples.
    var kind: String {
        switch links {
        case .work: "work"
        case .followFaultyFile: "faulty"
        case .followUnexpectedFile: "unexpected"
        case .openWebsite: "website"
        case .followOtherFile(let way, _, _, _): way == nil ? "other" : "old"
        case .none: "none"
        case .unknown(let reason): reason.rawValue
        case .unaffected: "unaffected"
        case .ofMany(let failure, _): failure.rawValue
        }
    }
}

/// How many of the edges that were asked.
package struct EdgeShare: Codable, Equatable, Sendable {
    package var edges: Int
    package var asked: Int
}

extension Effect {
    init(of context: DiagnosisContext) {
        let observation = context.check.observation
        switch observation.cdn {
        case .notAsked(.mode): self.init(Self.fromOrigin(context), phones: observation.mode)
        case .notAsked(.originHasNoFile): self.init(.unknown(.cdnNotAsked))
        case .asked: self.init(Self.fromCDN(context))
        }
        service = context.check.asked.flatMap { $0.name == "applinks" ? nil : $0.name }
    }

    private static func fromOrigin(_ context: DiagnosisContext) -> Links {
        let readings = context.check.readings
        // A failure of this machine says nothing about phones.
        guard context.check.origin.ownFault == nil else { return .unknown(.originNotRead) }
        guard let file = readings.originFile else {
            let body = readings.originBody
            let isRead = readings.absence != nil || body?.syntaxError != nil || body?.isTooLarge == true
            return isRead ? .openWebsite(at: nil) : .unknown(.originNotRead)
        }
        let results = (context.full?.addresses ?? []).filter { $0.retrieval.ownFault == nil }
        guard
            results.allSatisfy({ readings.served(by: $0.retrieval).isLike(readings.served(by: results[0].retrieval)) })
        else {
            return .unknown(.addressesDiffer)
        }
        switch context.use(of: file) {
        case .nothing: return .openWebsite(at: nil)
        case .noLinks(let services): return context.links(without: services)
        case .links: return context.linksAsTheFileSays ?? .work(seen: nil)
        }
    }

    private static func fromCDN(_ context: DiagnosisContext) -> Links {
        let readings = context.check.readings
        let survey = context.check.edges
        let asked = survey.asked
        let edges = survey.speaking.map(\.result.retrieval)
        let copies = readings.copies
        guard !copies.isEmpty else { return .unknown(.cdnNotReached) }
        func share(_ count: Int) -> EdgeShare? {
            count == copies.count || asked == 0 ? nil : EdgeShare(edges: count, asked: asked)
        }
        let current = readings.currentMeanings
        var without = 0
        var others: [ContentReading] = []
        var services: [String]?
        var opens = false
        for copy in copies {
            guard let file = readings.file(of: copy) else {
                without += 1
                continue
            }
            switch context.use(of: file) {
            case .nothing: without += 1
            case .noLinks(let names): services = names
            case .links: opens = true
            }
            if let meaning = file.meaning, !current.isEmpty, !current.contains(meaning), context.mattersToAsked(file) {
                others.append(file)
            }
        }
        if without > 0 { return .openWebsite(at: share(without)) }
        if !others.isEmpty, context.comparison.isWithoutEffect != true {
            let changes = context.comparison.behaviour
            return .followOtherFile(
                by: context.comparison.change?.way, at: share(others.count),
                website: paths(changes.filter { $0.to == .opens }, openedBy: others, context.domain),
                app: paths(
                    changes.filter { $0.from == .opens }, openedBy: [readings.originFile].compactMap { $0 },
                    context.domain))
        }
        if !opens, let services { return context.links(without: services) }
        let silent = context.silentEdges
        return context.linksAsTheFileSays
            ?? .work(seen: silent == 0 ? nil : EdgeShare(edges: edges.count, asked: edges.count + silent))
    }

    /// The examples that none of these files opens in any app.
    private static func paths(
        _ changes: [BehaviourChange], openedBy files: [ContentReading], _ domain: Domain
    ) -> [String] {
        let links = files.compactMap { $0.document.map { AssociationFile($0).applinks } }
        var paths: [String] = []
        for path in changes.map(\.example) where !paths.contains(path) && paths.count < 3 {
            guard let url = MatchableURL("https://\(domain.name)\(path)"),
                links.allSatisfy({ $0?.match(url).opens == nil })
            else { continue }
            paths.append(path)
        }
        return paths
    }
}

/// What a phone does with a file.
enum FileUse {
    /// It takes nothing from the file.
    case nothing
    case noLinks(services: [String])
    case links

    fileprivate static let known = BoundedCache<ContentHash, FileUse>(capacity: 131_072)

    fileprivate init(_ file: AssociationFile) {
        let others = file.services.filter { $0.isKnown && $0.name != "applinks" }.map(\.name)
        self = file.applinks?.opensLinks == true ? .links : others.isEmpty ? .nothing : .noLinks(services: others)
    }
}

extension ContentReading {
    var use: FileUse {
        guard namesService, let document else { return .nothing }
        return FileUse.known.value(for: hash) { FileUse(AssociationFile(document)) }
    }

    package var opensLinks: Bool { if case .links = use { true } else { false } }
}

extension Readings {
    func opensLinks(_ copy: Retrieval) -> Bool { file(of: copy)?.opensLinks ?? false }
}

extension DiagnosisContext {
    /// What phones do with a file, for what is asked.
    fileprivate func use(of file: ContentReading) -> FileUse {
        check.asked.map { $0.standing(in: file).works ? .links : .nothing } ?? file.use
    }

    /// For a file with only these services: distinguishes lost links from links that never existed.
    fileprivate func links(without services: [String]) -> Effect.Links {
        error(.linksRemoved) == nil ? .none(services: services) : .openWebsite(at: nil)
    }

    /// What phones do if they use the origin's file and it is not as it should be.
    fileprivate var linksAsTheFileSays: Effect.Links? {
        // A JSON object without a service is an answer, but not a version of the file: phones use Apple's copy.
        guard check.readings.originFile?.namesService == true else { return nil }
        if hasError(in: .file) { return .followFaultyFile }
        let unmet = findings.contains {
            // What a person asks is not an expectation: phones find the app, or the copies say that they do not.
            if case .file(.asked) = $0.problem { return false }
            return $0.severity == .error && $0.problem.area == .expectation && $0.kind != .pageMissing
        }
        return unmet ? .followUnexpectedFile : nil
    }

    /// The edges without an answer. Edges that are unreachable over IPv6 do not count: this machine may lack IPv6.
    fileprivate var silentEdges: Int {
        let survey = check.edges
        guard !survey.speaking.isEmpty else { return 0 }
        return survey.silent.count {
            !(HostAddress.family(of: $0.address) == 6 && $0.retrieval.failure?.kind == .unreachable)
        }
    }
}
