import Evidence
import Foundation

/// The polls in which one edge of the CDN sent the same headers, but for the volatile ones.
package struct CDNHeaderRun: Equatable, Sendable {
    /// Its address; empty where it is not known, as behind a proxy.
    package let edge: String
    package let status: Int
    /// All headers of the first poll, the volatile ones included.
    package let headers: [HeaderField]
    package let firstAt: Date
    package let lastAt: Date
    /// How many polls, at least 1.
    package let count: Int

    /// Other values in these make no new row: they belong to the moment, not to the edge. https://www.rfc-editor.org/rfc/rfc9110
    static let volatile: Set<String> = ["age", "cdnuuid", "date", "expires"]

    /// A hash of what must stay the same. The order of fields says nothing.
    static func steady(_ headers: [HeaderField]) -> ContentHash {
        let lines = headers.filter { !volatile.contains($0.name) }.map { "\($0.name): \($0.value)" }.sorted()
        return ContentHash(of: lines.joined(separator: "\n").utf8)
    }
}
