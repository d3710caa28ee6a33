import ArgumentParser
import Evidence
import Facts
import Foundation
import Probing
import Report

typealias Network = NetworkOptions<LimitOfOneCheck>

/// How `lint`, `match`, `diff` and `audit` reach sites and Apple's CDN.
extension Network: Remote {
    static var isReachable: Bool { true }
    static func sourceHelp(_ example: String?) -> String {
        "A SOURCE is a path, - for standard input, a domain (its origin is read), or cdn:DOMAIN (Apple's copy)"
            + (example.map { ": \($0)." } ?? ".")
    }

    static var domainCompletion: CompletionKind { .domains }

    func check() throws { try checkFiles() }

    func read(_ sources: [FileSource]) async throws -> [FileSource: Result<SourceText, CommandFailure>] {
        let file = try configuration.loadIfPresent(isOfUse: !sources.isEmpty)
        guard !sources.isEmpty else { return [:] }
        let checker = try OneShotChecker(
            network: self, asksCDN: true, targets: sources.count,
            configuration: file)
        return try await checker.close(after: {
            var result: [FileSource: Result<SourceText, CommandFailure>] = [:]
            for source in sources where result[source] == nil {
                do {
                    result[source] = .success(try await read(source, with: checker.probe))
                } catch let failure as CommandFailure {
                    result[source] = .failure(failure)
                }
            }
            return result
        })
    }

    private func read(_ source: FileSource, with probe: DomainProbe) async throws -> SourceText {
        let (retrieval, body): (Retrieval, Data?)
        let (place, url): (String, String)
        switch source {
        case .cdn(let domain):
            (retrieval, body) = try await probe.copy(of: domain)
            place = "Apple's CDN"
            url = probe.cdnURL(of: domain)
        case .origin(let domain):
            (retrieval, body) = try await probe.original(of: domain)
            place = "the origin of \(domain)"
            url = domain.wellKnownURL
        case .path, .standardInput:
            throw CommandFailure(.software, "\(source) is not read over the network")
        }
        switch retrieval.outcome {
        case .failed(let failure):
            throw CommandFailure(.found, "\(place) could not be read: \(failure.detail.displayable)")
        case .answered(let answer):
            guard answer.status == 200, let body else {
                let reason = CrawlerFailure(answer).map { "; Apple says: \($0.code ?? "") \($0.reason)" } ?? ""
                let what = answer.status == 200 ? "did not send the whole file" : "answers with status \(answer.status)"
                throw CommandFailure(.found, "\(place) \(what)\(reason); 'aasa-monitor check' shows more")
            }
            return SourceText(source: source, bytes: Array(body), url: url)
        }
    }

    /// Domains checked at the same time; the others wait.
    private static var maximumConcurrent: Int { 32 }

    func sites(of targets: [Target], asksCDN: Bool) async throws -> [Target: any AuditedSite] {
        let checker = try OneShotChecker(
            network: self, asksCDN: asksCDN, targets: targets.count,
            configuration: try configuration.loadIfPresent())
        var sites: [Target: any AuditedSite] = [:]
        try await checker.close(after: {
            try await OrderedWork.run(targets, maximumConcurrent: Self.maximumConcurrent) { target in
                // The entitlement decides the mode, not the configuration.
                (target, try await checker.look(at: target.domain, in: target.mode, depth: .full))
            } each: { target, sighting in
                sites[target] = sighting
            }
        })
        return sites
    }
}

extension OneShotChecker.Sighting: AuditedSite {
    func file(in mode: AssociationMode) -> ContentReading? {
        (mode.readsCDN ? readings.cdnFile : nil) ?? readings.originFile
    }

    func answer(to asked: AskedService) -> AuditAnswer {
        let report = report(on: asked)
        // What the origin's file and Apple's copy say about the app.
        func words(_ content: ContentReading?, _ retrieval: Retrieval) -> String {
            content.map { asked.standing(in: $0).words }
                ?? ServedCell(retrieval, in: readings).words().displayable.shortened(to: 40)
        }
        let copy =
            switch readings.observation.cdn {
            case .asked(let retrieval): words(readings.cdnFile, readings.cdn ?? retrieval)
            case .notAsked(.originHasNoFile): "not asked"
            case .notAsked(.mode): "not read in this mode"
            }
        let origin = words(readings.originFile, readings.observation.origin)
        return AuditAnswer(
            level: report.verdict.level, works: report.verdict.diagnosis.effect.works, diagnosis: report.diagnosis,
            source: .check(origin: origin, copy: copy, report.json), also: report.also)
    }
}
