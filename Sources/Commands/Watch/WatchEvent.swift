// What happens while somebody waits for the CDN, one value a happening.

import Evidence
import Facts
import Foundation

struct WatchEvent: Equatable, Sendable {
    let kind: Kind
    let at: Date
    /// Since the watch began.
    let elapsed: TimeInterval
    /// The edge that it is about; nil where it is about all.
    var edge: String?
    /// What that edge serves now.
    var standing: EdgeStatus?
    /// What the message cannot be made from otherwise: a failure's words.
    var detail: String?
    /// Where there is nothing to wait for: whether the origin has no file, and not one that cannot be read.
    var isFileAbsent = false
    /// Why there is nothing to wait for.
    var findings: [FindingText] = []
    /// nil before the origin was read.
    var goal: WatchGoal?
    /// Edges that serve the goal, of how many.
    var inSync = 0
    var edges = 0

    enum Kind: String, Sendable {
        /// Before anything was asked.
        case started
        /// The origin was read: this is what is waited for.
        case goalSet = "goal_set"
        /// An edge at the first look.
        case edgeSeen = "edge_seen"
        case edgePickedUp = "edge_picked_up"
        /// An edge serves something else again after it served the goal. Usual while a change spreads.
        case edgeFellBack = "edge_fell_back"
        /// An edge changed, yet not to the goal.
        case edgeChanged = "edge_changed"
        case edgeUnreachable = "edge_unreachable"
        case edgeReachable = "edge_reachable"
        case edgeAdded = "edge_added"
        case edgeRemoved = "edge_removed"
        case allUnreachable = "all_unreachable"
        case goalMoved = "goal_moved"
        case originUnreadable = "origin_unreadable"
        case originReadable = "origin_readable"
        case inSync = "in_sync"
        case timeLimit = "time_limit"
        case interrupted
        /// The origin has no file to wait for.
        case nothingToWaitFor = "nothing_to_wait_for"
        /// The origin gave no answer within the time limit.
        case silentOrigin = "silent_origin"

        /// Whether the watch is over with it.
        var isEnd: Bool {
            switch self {
            case .inSync, .timeLimit, .interrupted, .nothingToWaitFor, .silentOrigin: true
            default: false
            }
        }
    }
}

/// The file that every edge shall serve.
struct WatchGoal: Equatable, Sendable {
    let meaning: ContentHash
    let content: ContentHash
    let bytes: Int
}

/// How an edge stands to the goal.
enum EdgeStatus: Equatable, Sendable {
    case inSync
    /// It serves another file.
    case behind
    case noFile
    case missing(String)
    /// It says nothing about the file, whether it answered something else or nothing at all.
    case unreachable(String, answered: Bool = false)

    var name: String {
        switch self {
        case .inSync: "in_sync"
        case .behind: "behind"
        case .noFile: "no_file"
        case .missing: "missing"
        case .unreachable: "unreachable"
        }
    }

    /// Apple's or the network's words on it.
    var detail: String? {
        switch self {
        case .inSync, .behind, .noFile: nil
        case .missing(let words), .unreachable(let words, _): words
        }
    }

    /// What the edge does, for a sentence that begins with its address.
    var words: String {
        switch self {
        case .inSync: "serves the new file"
        case .behind: "serves another file"
        case .noFile: "serves something that is no file"
        case .missing(let words): "has no copy: \(words)"
        case .unreachable(let words, true): "says nothing about the file: \(words)"
        case .unreachable(let words, false): "cannot be asked: \(words)"
        }
    }
}

/// What one edge was seen to serve, reduced to what waiting needs.
struct EdgeAnswer: Equatable, Sendable {
    let address: String
    let content: Content
    /// Seconds in the edge's cache, and how many it may stay there.
    var age: Int?
    var maxAge: Int?
    /// Whether the edge answered anything at all, be it that it is in trouble.
    var isAnswer = true

    enum Content: Equatable, Sendable {
        /// A file, by its meaning.
        case file(ContentHash)
        /// Status 200 with something that is no file.
        case noFile
        /// The edge says that it has no copy; in Apple's own words where there are any.
        case missing(String)
        /// The edge said nothing about the file.
        case silent(String)
    }
}

extension EdgeAnswer {
    /// `contents`: the bodies that the look names by their hash.
    init(_ result: EdgeResult, contents: [ContentHash: Data]) {
        // A proxy's address is no edge's.
        let isHidden = result.address.isEmpty || result.retrieval.connection?.viaProxy == true
        self.init(
            address: isHidden ? "the CDN" : result.address,
            content: Self.content(of: result.retrieval, contents: contents), age: result.retrieval.answer?.age,
            maxAge: result.retrieval.answer?.maxAge, isAnswer: result.retrieval.answer != nil)
    }

    private static func content(of retrieval: Retrieval, contents: [ContentHash: Data]) -> Content {
        guard let answer = retrieval.answer else {
            return .silent(retrieval.failure?.detail.displayable.shortened(to: 160) ?? "no answer")
        }
        guard answer.isAboutFile else { return .silent("status \(answer.status)") }
        guard answer.status == 200 else {
            let words = CrawlerFailure(answer).map { ", Apple says: \($0.words)" } ?? ""
            return .missing("status \(answer.status)\(words)")
        }
        guard answer.body.end == .complete, let body = answer.body.hash.flatMap({ contents[$0] }) else {
            return .silent("the answer breaks off")
        }
        return ContentReading(body).meaning.map(Content.file) ?? .noFile
    }
}
