// What happens while somebody waits for the CDN, one value a happening.

import Evidence
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
    let goal: WatchGoal
    /// Edges that serve the goal, of how many.
    let inSync: Int
    let edges: Int

    enum Kind: String, Sendable {
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
    }
}

/// What there is to tell before anything was asked.
struct WatchStart: Equatable, Sendable {
    let at: Date
    let every: Duration
    let limit: Duration
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
