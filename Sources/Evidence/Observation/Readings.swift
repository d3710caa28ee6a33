// What a body says: its hash, whether it is a file at all, and what the file means.

import AASA
import Facts
import Foundation

/// One body, parsed.
package struct ContentReading: Sendable {
    package let hash: ContentHash
    /// SHA-256 of the canonical form; nil if the body is not a JSON object, or too large for devices. Equal meanings
    /// differ only in formatting.
    package let meaning: ContentHash?
    package let document: JSONDocument?
    package let syntaxError: JSONSyntaxError?
    package let byteCount: Int

    /// Whether devices refuse it for its size. It is not parsed then.
    package var isTooLarge: Bool { byteCount > AssociationFile.sizeLimit }

    /// Whether it is a page in place of the file. If the body is too large, its first character decides.
    let isPage: Bool

    /// Whether the file is inside a page, a script or a function call, or has markup after it.
    var isWrapped: Bool { ["wrapped", "markup-behind"].contains(syntaxError?.cause?.id) }

    /// Whether the file names a service that Apple knows. A JSON object without one, such as `{"error": "try later"}`
    /// from a gateway, is an answer but not a version of the file.
    package let namesService: Bool

    package init(_ content: Data) { self.init(content, hash: ContentHash(of: content)) }

    /// `hash`: of the content.
    package init(_ content: Data, hash: ContentHash) {
        let bytes = Array(content)
        self.hash = hash
        byteCount = bytes.count
        let isTooLarge = bytes.count > AssociationFile.sizeLimit
        do {
            document = isTooLarge ? nil : try JSONDocument(parsing: bytes)
            syntaxError = nil
        } catch {
            document = nil
            syntaxError = error
        }
        isPage = isTooLarge ? AssociationFile.firstCharacter(of: bytes) == "<" : syntaxError?.cause == .htmlPage
        namesService = document.map { Association.namesKnownService($0.root) } ?? false
        meaning = document?.root.members == nil ? nil : document.map { ContentHash(of: $0.root.canonicalForm) }
    }
}

/// The bodies of one observation, each parsed once. A class, because every check reads it and it is never copied.
package final class Readings: Sendable {
    /// Failures that only this machine caused are marked.
    package let observation: Observation
    package let control: Control
    /// The complete body of the origin's answer, with any status.
    package let originBody: ContentReading?
    /// The answer that represents the CDN: the observation's own, or, if that says nothing about the file, the answer
    /// of the first edge that does.
    package let cdn: Retrieval?
    /// The complete body of the CDN's answer, with any status.
    package let cdnBody: ContentReading?

    /// The other bodies of a full check by hash: those of addresses, edges, agents, vantages and the root.
    private let others: [ContentHash: ContentReading]

    /// `witness`: what else is known about the other hosts that the check asked.
    package init(_ seen: Observation, witness: Control.Witness = .asSeen) {
        control = Control(of: seen, witness: witness)
        let observation = control.marking(seen)
        self.observation = observation
        let originHash = observation.origin.answer?.body.hash
        let asked = observation.cdn.retrieval
        let edges = asked == nil ? [] : observation.full?.edges ?? []
        cdn = asked?.isAboutFile == true ? asked : edges.first { $0.retrieval.isAboutFile }?.retrieval ?? asked
        let cdnHash = cdn?.answer?.body.hash
        func read(_ hash: ContentHash?) -> ContentReading? {
            hash.flatMap { hash in observation.contents[hash].map { ContentReading($0, hash: hash) } }
        }
        originBody = read(originHash)
        cdnBody = cdnHash == originHash ? originBody : read(cdnHash)
        // In a healthy check all bodies are the same few bytes, which are parsed once.
        var others: [ContentHash: ContentReading] = [:]
        for result in observation.full?.copies ?? [] {
            guard let hash = result.answer?.body.hash, hash != originHash, hash != cdnHash, others[hash] == nil
            else { continue }
            others[hash] = read(hash)
        }
        self.others = others
    }

    /// What a light check would have read instead.
    package var light: Readings { Readings(lightOf: self) }

    private init(lightOf full: Readings) {
        control = full.control
        var observation = full.observation
        // If a copy was found, every check asks for it from now on.
        if let reason = observation.full?.lightSkipsCDN, full.cdnFile == nil { observation.cdn = .notAsked(reason) }
        observation.full = nil
        self.observation = observation
        originBody = full.originBody
        cdn = observation.cdn.retrieval
        cdnBody = cdn.flatMap { full.body(of: $0) }
        others = [:]
    }

    /// The complete body of any retrieval of this observation, except a page's.
    package func body(of retrieval: Retrieval) -> ContentReading? {
        guard let hash = retrieval.answer?.body.hash else { return nil }
        if hash == originBody?.hash { return originBody }
        return hash == cdnBody?.hash ? cdnBody : others[hash]
    }

    /// The file that a retrieval of this observation brought, under the conditions of `originFile`.
    package func file(of retrieval: Retrieval) -> ContentReading? { Self.file(body(of: retrieval), in: retrieval) }

    /// The file that the origin serves. nil for a status other than 200, an incomplete body, or one that is not a JSON
    /// object: an error page is never compared or remembered.
    package var originFile: ContentReading? { Self.file(originBody, in: observation.origin) }

    /// The meaning of a file that names a service; nil for any other answer.
    func version(of retrieval: Retrieval) -> ContentHash? {
        file(of: retrieval).flatMap { $0.namesService ? $0.meaning : nil }
    }

    /// The file that the CDN serves, under the same conditions.
    package var cdnFile: ContentReading? { cdn.flatMap { Self.file(cdnBody, in: $0) } }

    private static func file(_ body: ContentReading?, in retrieval: Retrieval) -> ContentReading? {
        guard let answer = retrieval.answer, answer.status == 200, answer.body.end == .complete else { return nil }
        return body?.meaning != nil ? body : nil
    }
}
