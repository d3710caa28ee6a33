// The chat of the demo: shows each message as it comes, and knows which ones the story needs.

import Foundation
import Lab

struct DemoChat {
    private let receiver: LabReceiver
    private let teller: DemoTeller
    private let patience: Duration
    private var shown = 0

    init(_ receiver: LabReceiver, _ teller: DemoTeller, patience: Duration) {
        self.receiver = receiver
        self.teller = teller
        self.patience = patience
    }

    /// Shows messages until each of the wanted ones has come.
    /// - Parameter wanted: `STATE DOMAIN KIND` each.
    /// - Returns: false where one did not come in time, or another came in its place.
    mutating func expect(_ wanted: Set<String>) async -> Bool {
        var missing = wanted
        while !missing.isEmpty {
            do {
                for delivery in try await receiver.deliveries(count: shown + 1, within: patience).dropFirst(shown) {
                    shown += 1
                    guard let message = ChatMessage(slackBody: delivery.body) else {
                        Console.remark("a message arrived that the chat cannot read")
                        return false
                    }
                    teller.show(message)
                    guard let match = missing.first(where: { Self.fits(message.headline, $0) }) else {
                        Console.remark("this message was not expected")
                        return false
                    }
                    missing.remove(match)
                }
            } catch {
                Console.remark("these messages did not arrive: \(missing.sorted().joined(separator: "; "))")
                return false
            }
        }
        return true
    }

    private static func fits(_ headline: String, _ wanted: String) -> Bool {
        let parts = headline.components(separatedBy: " · ")
        return wanted.split(separator: " ").allSatisfy { parts.contains(String($0)) }
    }
}
