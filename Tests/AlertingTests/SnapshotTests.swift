// Each service's full requests, in Snapshots/NAME.txt. `make golden` writes them again.

import Evidence
import Facts
import Foundation
import Monitoring
import TestSupport
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("Snapshots")
    struct SnapshotTests {
        private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Snapshots")

        @Test("a service gets exactly the requests in its file", arguments: Service.allCases)
        func requests(service: Service) throws {
            var text = ""
            let isPager = try service.channel().kind.isPager
            for occasion in Occasion.allCases where occasion != .digest || !isPager {
                text += try request(service, occasion)
            }
            let file = Self.folder.appending(path: "\(service.rawValue).txt")
            let difference = try GoldenFile.difference(between: text, and: file)
            #expect(difference == nil, "\(difference ?? "")")
        }

        private func request(_ service: Service, _ occasion: Occasion) throws -> String {
            let channel = try service.channel()
            let format = channel.format
            let alert = try occasion.alert()
            let isLater = occasion == .reminder || occasion == .resolved
            let body = try format.body(alert, plain: false, reference: isLater ? service.reference : nil)
            let request = try format.request(
                body: body, messageKey: "abc123", timestamp: noon, userAgent: "u", channel: channel)
            return "### \(occasion.rawValue)\n\n" + shown(request)
        }

        private func shown(_ request: MessageRequest) -> String {
            guard case .http(let method) = request.way else { return "" }
            let body = request.body
            var text = "\(method) \(request.url)\n"
            for header in request.headers { text += "\(header.name): \(header.value)\n" }
            guard let value = try? JSONSerialization.jsonObject(with: body),
                let pretty = try? JSONSerialization.data(
                    withJSONObject: value, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
            else { return text + "\n" + String(decoding: body, as: UTF8.self) + "\n\n" }
            return text + "\n" + String(decoding: pretty, as: UTF8.self) + "\n\n"
        }
    }
}
