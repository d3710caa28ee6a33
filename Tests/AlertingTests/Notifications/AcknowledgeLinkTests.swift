import Evidence
import Foundation
import Monitoring
import Storage
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("Acknowledge links")
    struct AcknowledgeLinkTests {
        private func world(
            _ channels: [Channel], page: String? = "https://status.test/", takesWrites: Bool = true,
            groupWait: Duration = .zero
        ) throws -> World {
            let domains = try ["example.com", "www.example.com"].map { WatchedDomain(domain: try Domain($0)) }
            return try World(
                Routing(
                    channels: channels, domains: domains, cdnBaseURL: "https://cdn.test", statusPageURL: page,
                    pageTakesWrites: takesWrites, groupWait: groupWait, instance: "monitor-1"))
        }

        private func hook() throws -> Channel { try AlertingTests.channel() }

        private func links(_ world: World) throws -> [String?] {
            try world.transport.sent.map {
                let data = try object($0.request.body)["data"] as? [String: Any]
                return (data?["links"] as? [String: Any])?["acknowledge"] as? String
            }
        }

        @Test("each firing message has its own link, which the store knows; an end has none, and the log shows none")
        func links() async throws {
            let world = try world([hook()])
            try await world.commit(.firing)
            try await world.pass(60)
            try await world.commit(.worse, severity: .error)
            try await world.pass(60)
            try await world.commit(.resolved)
            try await world.pass(60)
            let sent = try links(world)
            try #require(sent.count == 3 && sent[2] == nil)
            let firing = try #require(sent[0])
            #expect(firing != sent[1])
            let place = try #require(URLComponents(string: firing))
            #expect(place.fragment == "acknowledge" && place.host == "status.test")
            let text = try #require(place.queryItems?.first { $0.name == "link" }?.value)
            let use = LinkUse(text, incidentID: String(place.path.dropFirst("/incidents/".count)), wall: noon + 60)
            let link = try await world.store.link(use)
            #expect(link.channel == "hook (webhook)")
            // A receiver that quotes the message, both verbatim and percent-encoded.
            let quoted = "invalid: \(firing) \(firing.replacing("~", with: "%7E"))"
            let words = try #require(
                try hook().words(of: TransportAnswer(status: 400, body: Data(quoted.utf8))))
            #expect(words.contains("~hook~[hidden]") && !words.contains(text.suffix(32).prefix(8)), "\(words)")
            let page = try await world.store.deliveries(limit: 10)
            #expect(page.count == 3)
            for delivery in page {
                let text = try await world.store.message(named: delivery.key).text ?? ""
                #expect(text.contains("https://status.test/incidents/") && !text.contains("?link="), "\(text)")
            }
        }

        @Test("no link in a digest, without a page, or for a page that is read-only")
        func none() async throws {
            let digest = try world([hook()], groupWait: .seconds(10))
            try await digest.commit(.firing)
            try await digest.commit(.firing, "www.example.com")
            try await digest.pass(60)
            let worlds = [digest, try world([hook()], takesWrites: false), try world([hook()], page: nil)]
            for world in worlds.dropFirst() {
                try await world.commit(.firing)
                try await world.pass(60)
            }
            for world in worlds { #expect(try links(world) == [nil]) }
        }

        @Test("if a service has buttons, the first acknowledges and the second opens the incident")
        func buttons() throws {
            let alert = try Occasion.firing.alert()
            let titles = RenderedAlert(alert).buttons.map(\.title)
            #expect(titles == ["Acknowledge", "Open incident"])
            for service in [Service.slack, .slackBot, .teams, .googleChat, .ntfy] {
                let texts = try service.texts(service.channel().format.body(alert, plain: false))
                let found = texts.filter { titles.contains($0) }
                #expect(found == titles, "\(service)")
            }
            for service in [Service.discord, .pushover] {
                let texts = try service.texts(service.channel().format.body(alert, plain: false))
                #expect(texts.contains("Acknowledge"), "\(service)")
            }
            var acknowledged = alert
            acknowledged.links.acknowledge = nil
            #expect(RenderedAlert(acknowledged).buttons.map(\.title) == ["Open incident"])
        }
    }
}
