// The file is there for some and not for others: by user agent, by place, or for this machine alone.

package enum AccessCause: Codable, Equatable, Sendable {
    /// A bot protection answers this machine in place of the site; `passes` and `elsewhere`: an agent of Apple's and a place
    /// that get the file; `copyAge`: seconds, where Apple's copy shows that its crawler got it.
    case challengedHere(
        BotProtection, status: Int, passes: AgentLook.Agent?, elsewhere: String?, copyAge: Int? = nil)
    /// Apple's agent gets the file where this program does not.
    case refusedHereOnly(AgentLook.Agent, here: Given)
    case elsewhereFine(String, here: Given)
    /// This machine is turned away, and Apple's crawler is not, as its copy shows. `copyAge`: seconds.
    case turnedAwayHere(Given, copyAge: Int)
    /// The same for so many seconds, or beside a copy of such an age, that the copy shows nothing any more.
    case turnedAwayForLong(Given, forSeconds: Int, copyAge: Int)
    case agentRefused(AgentRefusal)
    /// Here as for Apple.
    case agentRefusedAsApple(AgentRefusal, AppleWord)
    case vantageRefused([GivenAt], AppleWord?)
    case vantageDiffers(VantageFault, [GivenAt], AppleWord?)

    var id: DiagnosisID {
        switch self {
        case .challengedHere: .challengedHere
        case .refusedHereOnly: .refusedHereOnly
        case .elsewhereFine: .elsewhereFine
        case .turnedAwayHere: .turnedAwayHere
        case .turnedAwayForLong: .turnedAwayForLong
        case .agentRefused: .agentRefused
        case .agentRefusedAsApple: .crawlerRefusedByAgent
        case .vantageRefused: .vantageRefused
        case .vantageDiffers: .vantageDiffers
        }
    }
}

/// How Apple's user agent is refused.
package struct AgentRefusal: Codable, Equatable, Sendable {
    package var agent: AgentLook.Agent
    package var given: Given
    /// Of several addresses those that refuse it; empty where all do.
    package var addresses: [String]
    package var isCloudflare: Bool

    package init(agent: AgentLook.Agent, given: Given, addresses: [String] = [], isCloudflare: Bool = false) {
        self.agent = agent
        self.given = given
        self.addresses = addresses
        self.isCloudflare = isCloudflare
    }
}
