// A channel that the configuration names no longer has no address and no key any more, so that nobody can tell it the end
// of what it was told. A pager would keep it open for ever; the log says what, so that a human can end it there.

import Evidence
import Foundation
import Logging
import Monitoring
import Storage

struct RemovedChannel {
    let name: String
    let stories: [UnendedStory]

    static let words: Logger.Message =
        "a removed channel will not hear the end of what it was told; end it there by hand"
    /// So many are named in one line.
    static let mostNamed = 10

    /// One for each channel, by name.
    static func all(of stories: [UnendedStory]) -> [RemovedChannel] {
        Dictionary(grouping: stories, by: \.channel).map(RemovedChannel.init(name:stories:)).sorted {
            $0.name < $1.name
        }
    }

    var metadata: Logger.Metadata {
        let named = stories.prefix(Self.mostNamed).map(Self.words(of:))
        let more = stories.count > named.count ? ["and \(stories.count - named.count) more"] : []
        return [
            "channel": "\(name)", "incidents": "\(stories.count)",
            "open": "\((named + more).joined(separator: "; "))",
        ]
    }

    /// By what the receiver knows it as, where it keeps incidents.
    private static func words(of story: UnendedStory) -> String {
        let incident = story.incident
        let key = story.isKeptOpen ? " dedup_key \(MessageIdentity.key(ofIncident: incident.id))" : ""
        return "\(incident.id) (\(incident.subject) \(incident.kind.rawValue))\(key)"
    }
}
