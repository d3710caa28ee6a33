// What the bytes of a body say: their hash, whether they are a file at all, and what the file means.

import AASA
import Facts
import Foundation

/// One body, read.
package struct ContentReading: Sendable {
    package let hash: ContentHash
    /// SHA-256 of the canonical form; nil where the body is not a JSON object, or too large for devices. Equal meanings differ in formatting alone.
    package let meaning: ContentHash?
    package let document: JSONDocument?
    package let syntaxError: JSONSyntaxError?
    package let byteCount: Int

    /// Whether devices take nothing from it for its size, so that nobody need read it.
    var isTooLarge: Bool { byteCount > AssociationFile.sizeLimit }

    /// Whether the file names a service that Apple knows. A JSON object without one, such as `{"error": "try later"}`
    /// from a gate before the server, is an answer but not a version of the file.
    package let namesService: Bool

    package init(_ content: Data) { self.init(content, hash: ContentHash(of: content)) }

    /// `hash`: of the content.
    package init(_ content: Data, hash: ContentHash) {
        let bytes = Array(content)
        self.hash = hash
        byteCount = bytes.count
        do {
            document = bytes.count > AssociationFile.sizeLimit ? nil : try JSONDocument(parsing: bytes)
            syntaxError = nil
        } catch {
            document = nil
            syntaxError = error
        }
        namesService = document.map { Association.namesKnownService($0.root) } ?? false
        meaning = document?.root.members == nil ? nil : document.map { ContentHash(of: $0.root.canonicalForm) }
    }
}

/// The bodies of one observation, each read once. A class, since everything that judges looks at it: it is never copied.
package final class Readings: Sendable {
    /// What this machine alone brought about is marked as that.
    package let observation: Observation
    package let control: Control
    /// The whole body of the origin's answer, of whatever status.
    package let originBody: ContentReading?
    /// The answer that speaks for the CDN: the observation's own, or that of the first edge that says anything about the
    /// file where that one does not.
    package let cdn: Retrieval?
    /// The whole body of the CDN's answer, of whatever status.
    package let cdnBody: ContentReading?

    /// The other bodies of a full look, by their hash: those of addresses, edges, agents, vantages and the root.
    private let others: [ContentHash: ContentReading]

    /// `witness`: what is known besides of those whom the check asked beside the site.
    package init(_ seen: Observation, witness: Control.Witness = .asSeen) {
        control = Control(of: seen, witness: witness)
        let observation = control.marking(seen)
        self.observation = observation
        let originHash = observation.origin.answer?.body.hash
        let asked = observation.cdn.retrieval
        let edges = asked == nil ? [] : observation.full?.edges ?? []
        cdn = asked?.speaksOfFile == true ? asked : edges.first { $0.retrieval.speaksOfFile }?.retrieval ?? asked
        let cdnHash = cdn?.answer?.body.hash
        func read(_ hash: ContentHash?) -> ContentReading? {
            hash.flatMap { hash in observation.contents[hash].map { ContentReading($0, hash: hash) } }
        }
        originBody = read(originHash)
        cdnBody = cdnHash == originHash ? originBody : read(cdnHash)
        // In a healthy check all are the same few bytes, which are read once.
        var others: [ContentHash: ContentReading] = [:]
        for look in observation.full?.copies ?? [] {
            guard let hash = look.answer?.body.hash, hash != originHash, hash != cdnHash, others[hash] == nil
            else { continue }
            others[hash] = read(hash)
        }
        self.others = others
    }

    /// What a light check would have read in its place.
    package var light: Readings { Readings(lightOf: self) }

    private init(lightOf full: Readings) {
        control = full.control
        var observation = full.observation
        // A copy that was found is asked for by every check from now on.
        if let reason = observation.full?.lightSkipsCDN, full.cdnFile == nil { observation.cdn = .notAsked(reason) }
        observation.full = nil
        self.observation = observation
        originBody = full.originBody
        cdn = observation.cdn.retrieval
        cdnBody = cdn.flatMap { full.body(of: $0) }
        others = [:]
    }

    /// The whole body of any retrieval of this observation but a page's.
    package func body(of retrieval: Retrieval) -> ContentReading? {
        guard let hash = retrieval.answer?.body.hash else { return nil }
        if hash == originBody?.hash { return originBody }
        return hash == cdnBody?.hash ? cdnBody : others[hash]
    }

    /// The file that any retrieval of this observation brought, under the conditions of `originFile`.
    package func file(of retrieval: Retrieval) -> ContentReading? { Self.file(body(of: retrieval), in: retrieval) }

    /// The file that the origin serves, or nil where its answer is no file: another status than 200, a body that did
    /// not come whole, or one that is no JSON object. An error page is never compared, nor remembered.
    package var originFile: ContentReading? { Self.file(originBody, in: observation.origin) }

    /// The meaning of a file that names a service; nil for whatever else a server answers.
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
