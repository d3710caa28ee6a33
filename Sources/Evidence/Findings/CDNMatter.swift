// What checks of Apple's CDN notice.

package enum CDNMatter: Codable, Equatable, Sendable {
    /// `detail`: of the network library.
    case unreachable(CDNFault, host: String, detail: String?)
    // How the copy compares with the origin's file. `lag`: seconds.
    case stale(lag: Int)
    case propagating(lag: Int)
    case divergent
    case formattingDiffers
    // What the CDN holds. `at`: the edges, where others hold something else.
    /// `asksAgainIn`: seconds.
    case crawlerFails(AppleWord, CrawlerTrouble, asksAgainIn: Int?, at: EdgePlaces?)
    case crawlerFailsBesideCopy(AppleWord, CrawlerTrouble, at: EdgePlaces?)
    case missing(status: Int, at: EdgePlaces?)
    case badCopy(at: EdgePlaces?)
    // Edges.
    case edgesDiffer([EdgeGroup], of: Int, isPropagating: Bool)
    /// Edges that answer with trouble of their own; `addresses`: the first of them.
    case edgesInTrouble(CDNFault, at: EdgePlaces, addresses: [String], host: String)
    /// This machine does not reach them.
    case edgesSilent([GivenAt], of: Int)

    var ruling: Ruling {
        switch self {
        case .unreachable: Ruling(.cdn("unreachable"), .warning, Reference.debuggingLinks)
        case .stale: Ruling(.cdn("stale"), .error, Reference.debuggingLinks)
        case .propagating: Ruling(.cdn("propagating"), .note, Reference.debuggingLinks)
        case .divergent: Ruling(.cdn("divergent"), .warning, Reference.debuggingLinks)
        case .formattingDiffers: Ruling(.cdn("formatting-differs"), .note, Reference.debuggingLinks)
        case .crawlerFails: Ruling(.cdn("crawler-error"), .error, Reference.debuggingLinks)
        case .crawlerFailsBesideCopy: Ruling(.cdn("crawler-error"), .warning, Reference.debuggingLinks)
        case .missing: Ruling(.cdn("missing"), .error, Reference.debuggingLinks)
        case .badCopy: Ruling(.cdn("bad-copy"), .error, Reference.debuggingLinks)
        case .edgesDiffer(_, _, let isPropagating):
            Ruling(.cdn("edges-differ"), isPropagating ? .note : .warning, Reference.debuggingLinks)
        case .edgesInTrouble: Ruling(.cdn("edge-unreachable"), .warning, Reference.debuggingLinks)
        case .edgesSilent: Ruling(.cdn("edge-unreachable"), .note, Reference.debuggingLinks)
        }
    }
}

/// Some of all edges.
package struct EdgePlaces: Codable, Equatable, Sendable {
    package var edges: Listing
    package var all: Int

    package init(_ places: [String], of all: Int) {
        edges = Listing(places, upTo: 2)
        self.all = all
    }
}

/// Edges that hold the same.
package struct EdgeGroup: Codable, Equatable, Sendable {
    package var held: Held
    package var places: [String]

    package enum Held: Codable, Equatable, Sendable {
        /// By the beginning of its SHA-256.
        case originFile(String)
        case otherFile(String)
        case noFile
        /// With Apple's codes.
        case nothing(codes: [String])
    }
}
