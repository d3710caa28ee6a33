/// What a sender wants beyond the next message of a channel.
package struct ClaimRules: Sendable {
    /// How long a message about a beginning or an end waits for others of its kind; nil: each goes by itself.
    package var groupWait: Duration?
    /// Whether the end of what was never told is told. A pager would only wonder.
    package var tellsUnsaidEnds: Bool
    /// Beyond so many open messages of a channel the oldest become one; nil: there is no bound.
    package var mostQueued: Int?
    /// Makes the key of a digest of its members' keys: the same for the same members, whoever forms it.
    package var digestKey: @Sendable ([String]) -> String

    package init(
        groupWait: Duration?, tellsUnsaidEnds: Bool = true, mostQueued: Int? = nil,
        digestKey: @escaping @Sendable ([String]) -> String
    ) {
        self.groupWait = groupWait
        self.tellsUnsaidEnds = tellsUnsaidEnds
        self.mostQueued = mostQueued
        self.digestKey = digestKey
    }

    package static let mostQueued = 1000
}
