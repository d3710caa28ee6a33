import Evidence
import Foundation
import Monitoring
import TestSupport
import TestTraits
import Testing

@testable import Alerting

extension AlertingSuite {
    /// Validates each service's payloads with its SDK's models, or with a published schema.
    @Suite("Payloads", .enabled(if: PayloadJudge.isInstalled, PayloadJudge.absence), .computing)
    struct PayloadTests {
        /// How a message may be sent: plain if the service refused the rich form, threaded as a reply.
        private enum Form: CaseIterable { case rich, plain, threaded }

        /// Messages in the form in which they are sent.
        private func cases(
            _ service: JudgedService, _ kind: MessageKind, _ text: ForeignText, _ forms: [Form]
        ) throws -> [PayloadCase] {
            let channel = try service.channel()
            let format = channel.format
            let alert = try kind.alert(text)
            // A webhook receiver accepts a timestamp of the last or the next 5 minutes. Four minutes ahead, the validator may
            // run nine minutes late.
            let timestamp = Date() + 240
            var cases: [PayloadCase] = []
            for form in forms {
                let reference = form == .threaded ? service.reference : nil
                let body = try format.body(alert, plain: form == .plain, reference: reference)
                let request = try format.request(
                    body: body, messageKey: String(repeating: "ab", count: 32), timestamp: timestamp, userAgent: "t",
                    channel: channel)
                cases.append(PayloadCase(service, request))
            }
            return cases
        }

        @Test(
            "the service's own model accepts every kind of message with any text, and refuses mistakes",
            arguments: JudgedService.allCases)
        func judged(service: JudgedService) async throws {
            var all: [(name: String, payload: PayloadCase)] = []
            for (place, kind) in MessageKind.allCases.enumerated()
            where kind != .acknowledged || service == .pagerduty {
                for (offset, text) in ForeignText.allCases.enumerated() {
                    // All forms of one kind. The other kinds take turns.
                    let turn = [Form.allCases[(place + offset) % Form.allCases.count]]
                    let forms = kind == .firing ? Form.allCases : Rounds.of(turn, soak: Form.allCases)
                    all += try cases(service, kind, text, forms).map { ("\(kind.rawValue) \(text.rawValue)", $0) }
                }
            }
            if service == .webhook {
                // During a rotation, either secret verifies.
                all += all.map { name, payload in
                    var other = payload
                    other.secret = JudgedService.secrets.last
                    return (name, other)
                }
            }
            // Only one run of the validator, because it loads the services' models when it starts.
            let good = try #require(try cases(service, .firing, .plain, [.rich]).first)
            let slips = Self.slips(service)
            let verdicts = try await PayloadJudge.verdicts(try all.map(\.payload) + slips.map { try $0.change(good) })
            for (one, verdict) in zip(all, verdicts) where verdict != "ok" {
                Issue.record("\(service) \(one.name): \(verdict)\n\(one.payload.body.prefix(2000))")
            }
            for (slip, verdict) in zip(slips, verdicts.dropFirst(all.count)) {
                #expect(verdict.hasPrefix("refused: "), "\(service): \(slip.name)")
                #expect(!verdict.contains("ModuleNotFoundError") && !verdict.contains("KeyError: '\(service)'"))
            }
        }

        // MARK: - Mistakes

        private struct Slip {
            let name: String
            let change: (PayloadCase) throws -> PayloadCase

            init(_ name: String, _ change: @escaping (inout [String: Any]) -> Void) {
                self.name = name
                self.change = { try $0.changed(change) }
            }

            init(_ name: String, case change: @escaping (inout PayloadCase) -> Void) {
                self.name = name
                self.change = { payload in
                    var changed = payload
                    change(&changed)
                    return changed
                }
            }
        }

        /// A key of an object, or an index of a list.
        private enum Step: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
            case name(String)
            case place(Int)

            init(stringLiteral name: String) { self = .name(name) }
            init(integerLiteral place: Int) { self = .place(place) }
        }

        private static func long(_ count: Int) -> String { String(repeating: "x", count: count) }

        private static func slips(_ service: JudgedService) -> [Slip] {
            switch service {
            case .slack, .slackBot:
                [
                    Slip("an unknown key") { $0["txt"] = "x" },
                    Slip("no text") { $0["text"] = nil },
                    Slip("an unknown key of an attachment") { edit(&$0, "attachments", 0) { $0["colour"] = "red" } },
                    Slip("an unknown block") { edit(&$0, "attachments", 0, "blocks", 1) { $0["type"] = "sektion" } },
                    Slip("a section over 3,000") {
                        edit(&$0, "attachments", 0, "blocks", 1, "text") { $0["text"] = long(3001) }
                    },
                    Slip("a section without text") { edit(&$0, "attachments", 0, "blocks", 1) { $0["text"] = nil } },
                    Slip("an unknown key of a block") {
                        edit(&$0, "attachments", 0, "blocks", 1) { $0["colour"] = "red" }
                    },
                    Slip("too many blocks") { root in
                        edit(&root, "attachments", 0) { attachment in
                            let block = (attachment["blocks"] as? [Any])?.first
                            attachment["blocks"] = Array(repeating: block as Any, count: 51)
                        }
                    },
                ]
            case .discord:
                [
                    Slip("an unknown key") { $0["contents"] = "x" },
                    Slip("a content over 2,000") { $0["content"] = long(2001) },
                    Slip("a description over 4,096") { edit(&$0, "embeds", 0) { $0["description"] = long(4097) } },
                    Slip("an unknown key of an embed") { edit(&$0, "embeds", 0) { $0["colour"] = 1 } },
                    Slip("a time that is none") { edit(&$0, "embeds", 0) { $0["timestamp"] = "noon" } },
                    Slip("a mention of an unknown sort") { $0["allowed_mentions"] = ["parse": ["everybody"]] },
                    Slip("nothing at all") { $0 = [:] },
                ]
            case .teams:
                [
                    Slip("an unknown element") {
                        edit(&$0, "attachments", 0, "content", "body", 0) { $0["type"] = "Rich" }
                    },
                    Slip("an unknown color") {
                        edit(&$0, "attachments", 0, "content", "body", 0, "inlines", 0) { $0["color"] = "Red" }
                    },
                    Slip("an unknown key of a card") { edit(&$0, "attachments", 0, "content") { $0["bodi"] = [] } },
                    Slip("a number for a text") {
                        edit(&$0, "attachments", 0, "content", "body", 0, "inlines", 0) { $0["text"] = 5 }
                    },
                    Slip("no card") { $0["attachments"] = [] },
                    Slip("another type") { $0["type"] = "massage" },
                ]
            case .googleChat:
                [
                    Slip("an unknown key") { $0["cards_v3"] = [] },
                    Slip("an unknown widget") {
                        edit(&$0, "cardsV2", 0, "card", "sections", 0, "widgets", 0) { $0["paragraph"] = ["text": "x"] }
                    },
                    Slip("a list for a text") { edit(&$0, "cardsV2", 0, "card", "header") { $0["title"] = ["x"] } },
                    Slip("nothing to say") { $0["cardsV2"] = nil },
                ]
            case .telegram:
                [
                    Slip("an unknown key") { $0["parsemode"] = "HTML" },
                    Slip("an unknown key of an option") { $0["link_preview_options"] = ["disabled": true] },
                    Slip("a tag that is left open") { $0["text"] = "<b>x" },
                    Slip("a tag that is none") { $0["text"] = "a <c>" },
                    Slip("a bare mark") { $0["text"] = "a & b < c" },
                    Slip("an unknown entity") { $0["text"] = "a&nbsp;b" },
                    Slip("a text over 4,096") { $0["text"] = long(4097) },
                    Slip("no chat") { $0["chat_id"] = nil },
                    Slip("a thread that is no number") { $0["message_thread_id"] = "top" },
                ]
            case .line:
                [
                    Slip("an unknown key") { $0["message"] = "x" },
                    Slip("no receiver") { $0["to"] = nil },
                    Slip("no message") { $0["messages"] = [] },
                    Slip("six messages") {
                        $0["messages"] = Array(repeating: ["type": "text", "text": "x"], count: 6)
                    },
                    Slip("a number for a text") { edit(&$0, "messages", 0) { $0["text"] = 5 } },
                    Slip("a text over 5,000") { edit(&$0, "messages", 0) { $0["text"] = long(5001) } },
                    Slip("a retry key that is no UUID", case: { $0.headers["x-line-retry-key"] = "abab" }),
                ]
            case .pagerduty:
                [
                    Slip("an unknown action") { $0["event_action"] = "ack" },
                    Slip("no key for an end") { root in
                        root = ["routing_key": "k", "event_action": "resolve", "dedup_key": NSNull()]
                    },
                    Slip("an unknown severity") { edit(&$0, "payload") { $0["severity"] = "note" } },
                    Slip("no summary") { edit(&$0, "payload") { $0["summary"] = nil } },
                    Slip("a summary over 1,024") { edit(&$0, "payload") { $0["summary"] = long(1025) } },
                    Slip("an unknown key of the payload") { edit(&$0, "payload") { $0["komponent"] = "x" } },
                    Slip("an unknown key") { $0["clients"] = "x" },
                    Slip("a payload that ends something") { $0["event_action"] = "resolve" },
                    Slip("another path", case: { $0.path = "/v2/change/enqueue" }),
                ]
            case .webhook:
                [
                    Slip("another body than was signed") { $0["type"] = "incident.resolved" },
                    Slip("another id than was signed", case: { $0.headers["webhook-id"] = "x" }),
                    Slip("a time long ago", case: { $0.headers["webhook-timestamp"] = "1614265330" }),
                    Slip("no signature", case: { $0.headers["webhook-signature"] = nil }),
                    Slip(
                        "another secret",
                        case: { $0.secret = "whsec_" + Data(repeating: 7, count: 32).base64EncodedString() }),
                ]
            }
        }

        /// Changes the object at a path of keys and indexes.
        private static func edit(
            _ root: inout [String: Any], _ path: Step..., change: (inout [String: Any]) -> Void
        ) {
            guard let edited = edited(root, path[...], change) as? [String: Any] else {
                Issue.record("nothing at \(path)")
                return
            }
            root = edited
        }

        private static func edited(
            _ value: Any, _ path: ArraySlice<Step>, _ change: (inout [String: Any]) -> Void
        ) -> Any? {
            guard let step = path.first else {
                guard var object = value as? [String: Any] else { return nil }
                change(&object)
                return object
            }
            if case .place(let place) = step {
                guard var list = value as? [Any], list.indices.contains(place),
                    let edited = edited(list[place], path.dropFirst(), change)
                else { return nil }
                list[place] = edited
                return list
            }
            guard case .name(let name) = step, var object = value as? [String: Any], let inner = object[name],
                let edited = edited(inner, path.dropFirst(), change)
            else { return nil }
            object[name] = edited
            return object
        }
    }
}
