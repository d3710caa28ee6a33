import Evidence
import Facts
import Foundation
import Monitoring
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("Answers")
    struct AnswerTests {
        struct Case: Sendable, CustomTestStringConvertible {
            let service: Service
            let status: Int?
            let body: String
            let headers: [String: String]
            let outcome: Outcome

            init(
                _ service: Service, _ status: Int?, _ body: String, _ outcome: Outcome,
                _ headers: [String: String] = [:]
            ) {
                self.service = service
                self.status = status
                self.body = body
                self.headers = headers
                self.outcome = outcome
            }

            var testDescription: String { "\(service.rawValue) \(status ?? 0) \(body)" }

            var answer: TransportAnswer {
                TransportAnswer(
                    status: status, headers: headers.map { HeaderField(name: $0.key, value: $0.value) },
                    body: Data(body.utf8))
            }
        }

        private static let refused = Outcome.permanentChannel(gone: false)
        private static let gone = Outcome.permanentChannel(gone: true)

        private static let cases: [Case] = [
            Case(.slackBot, 200, #"{"ok":true,"channel":"C1","ts":"1.2"}"#, .delivered),
            Case(.slackBot, 200, #"{"ok":false,"error":"invalid_auth"}"#, refused),
            Case(.slackBot, 200, #"{"ok":false,"error":"not_in_channel"}"#, refused),
            Case(.slackBot, 200, #"{"ok":false,"error":"msg_too_long"}"#, .permanentMessage),
            Case(.slackBot, 200, #"{"ok":false,"error":"internal_error"}"#, .transient),
            Case(
                .slackBot, 429, #"{"ok":false,"error":"ratelimited"}"#, .throttled(after: .seconds(30)),
                ["retry-after": "30"]),
            Case(.discord, 200, #"{"id":"1"}"#, .delivered),
            Case(.discord, 404, #"{"message":"Unknown Webhook","code":10015}"#, gone),
            Case(.discord, 401, #"{"message":"Invalid Webhook Token","code":50027}"#, gone),
            Case(.discord, 400, #"{"message":"…","code":220001}"#, refused),
            Case(.discord, 400, #"{"message":"Invalid Form Body","code":50035}"#, .permanentMessage),
            Case(
                .discord, 429, #"{"message":"limited","retry_after":1.337,"global":false}"#,
                .throttled(after: .seconds(1.337))),
            Case(.discord, 429, #"{"retry_after":0.2}"#, .throttled(after: .seconds(1))),
            Case(
                .discord, 429, #"{"retry_after":2.5}"#, .throttled(after: .seconds(7.5)),
                ["x-ratelimit-reset-after": "7.5"]),
            Case(.teams, 202, "", .delivered),
            Case(.teams, 202, #"{"status":"Accepted"}"#, .delivered),
            Case(.teams, 200, "1", refused),
            Case(.teams, 400, #"{"error":{"code":"WorkflowTriggerIsNotEnabled","message":"x"}}"#, refused),
            Case(.teams, 401, #"{"error":{"code":"DirectApiAuthorizationRequired"}}"#, refused),
            Case(.teams, 413, "", .permanentMessage),
            Case(.googleChat, 200, #"{"name":"spaces/A/messages/B"}"#, .delivered),
            Case(.googleChat, 429, #"{"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}"#, .throttled(after: nil)),
            Case(.googleChat, 400, #"{"error":{"status":"INVALID_ARGUMENT"}}"#, .permanentMessage),
            Case(.googleChat, 404, "", refused),
            Case(.mattermost, 200, "ok", .delivered),
            Case(.mattermost, 400, #"{"id":"web.incoming_webhook.invalid.app_error"}"#, refused),
            Case(.mattermost, 400, #"{"id":"web.incoming_webhook.text.app_error"}"#, .permanentMessage),
            Case(.mattermost, 429, "limit exceeded", .throttled(after: .seconds(9)), ["x-ratelimit-reset": "9"]),
            Case(.telegram, 200, #"{"ok":true,"result":{"message_id":5}}"#, .delivered),
            Case(.telegram, 200, "<html>captive portal</html>", refused),
            Case(
                .telegram, 429,
                #"{"ok":false,"error_code":429,"description":"Too Many Requests","parameters":{"retry_after":21}}"#,
                .throttled(after: .seconds(21))),
            // More seconds than a `Duration` can hold.
            Case(
                .telegram, 429, #"{"ok":false,"parameters":{"retry_after":1e300}}"#, .throttled(after: .seconds(3600))),
            Case(.telegram, 401, #"{"ok":false,"description":"Unauthorized"}"#, refused),
            Case(.telegram, 403, #"{"ok":false,"description":"Forbidden: bot was kicked"}"#, refused),
            Case(.telegram, 400, #"{"ok":false,"description":"Bad Request: chat not found"}"#, refused),
            Case(
                .telegram, 400, #"{"ok":false,"description":"Bad Request: can't parse entities"}"#, .permanentMessage),
            Case(.telegram, 502, "bad gateway", .transient),
            Case(.line, 200, #"{"sentMessages":[{"id":"1"}]}"#, .delivered),
            Case(.line, 409, #"{"message":"The retry key is already accepted"}"#, .delivered),
            Case(.line, 429, #"{"message":"You have reached your monthly limit."}"#, gone),
            Case(.line, 429, #"{"message":"The API rate limit has been exceeded."}"#, .throttled(after: nil)),
            Case(.line, 400, #"{"message":"The property, 'to', in the request body is invalid"}"#, refused),
            Case(.line, 400, #"{"message":"The request body has 1 error(s)"}"#, .permanentMessage),
            Case(.line, 401, "", refused),
            Case(.chatwork, 200, #"{"message_id":"1234"}"#, .delivered),
            Case(
                .chatwork, 429, #"{"errors":["Rate limit exceeded"]}"#, .throttled(after: .seconds(40)),
                ["x-ratelimit-reset": "1795244440"]),
            Case(.chatwork, 401, #"{"errors":["Invalid API token"]}"#, refused),
            Case(.chatwork, 400, #"{"errors":["Parameter 'body' is too long"]}"#, .permanentMessage),
            Case(.pagerduty, 202, #"{"status":"success","dedup_key":"x"}"#, .delivered),
            Case(.pagerduty, 400, #"{"errors":["Invalid routing key"]}"#, refused),
            Case(.pagerduty, 400, #"{"errors":["'routing_key' is missing or blank"]}"#, refused),
            Case(.pagerduty, 400, #"{"errors":["'payload.severity' is invalid"]}"#, .permanentMessage),
            Case(.pagerduty, 429, "", .throttled(after: nil)),
            Case(.alertmanager, 200, "", .delivered),
            Case(.alertmanager, 400, #""bad labels""#, .permanentMessage),
            Case(.alertmanager, 503, "", .transient),
            Case(.ntfy, 200, #"{"id":"abc"}"#, .delivered),
            Case(.ntfy, 403, #"{"code":40301,"error":"forbidden"}"#, refused),
            Case(.ntfy, 429, #"{"code":42901,"error":"limit reached"}"#, .throttled(after: nil)),
            Case(.ntfy, 400, #"{"code":40001}"#, .permanentMessage),
            Case(.gotify, 200, #"{"id":7,"appid":1,"message":"m"}"#, .delivered),
            Case(.gotify, 200, "<html>Login</html>", refused),
            Case(.gotify, 401, #"{"error":"Unauthorized","errorCode":401}"#, refused),
            Case(.gotify, 400, #"{"error":"Bad Request","errorCode":400}"#, .permanentMessage),
            Case(.pushover, 200, #"{"status":1,"request":"r"}"#, .delivered),
            Case(.pushover, 200, #"{"status":0}"#, refused),
            Case(.pushover, 400, #"{"user":"invalid","errors":["user identifier is invalid"],"status":0}"#, refused),
            Case(.pushover, 400, #"{"token":"invalid","errors":["application token is invalid"],"status":0}"#, refused),
            Case(.pushover, 400, #"{"message":"cannot be blank","status":0}"#, .permanentMessage),
            Case(.pushover, 429, #"{"status":0}"#, .throttled(after: nil)),
            Case(.pushover, 500, "", .transient),
            Case(.matrix, 200, #"{"event_id":"$1"}"#, .delivered),
            Case(.matrix, 200, "{}", refused),
            Case(.matrix, 401, #"{"errcode":"M_UNKNOWN_TOKEN"}"#, refused),
            Case(.matrix, 403, #"{"errcode":"M_FORBIDDEN"}"#, refused),
            Case(.matrix, 413, #"{"errcode":"M_TOO_LARGE"}"#, .permanentMessage),
            Case(
                .matrix, 429, #"{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":2000}"#, .throttled(after: .seconds(2))),
            Case(.opsgenie, 202, #"{"result":"Request will be processed","took":0.3,"requestId":"r"}"#, .delivered),
            Case(.opsgenie, 202, "<html>Login</html>", refused),
            Case(.opsgenie, 200, #"{"requestId":"r"}"#, refused),
            Case(.opsgenie, 401, #"{"message":"Could not authenticate","requestId":"r"}"#, refused),
            Case(.opsgenie, 403, #"{"code":40301,"message":"To perform this action, use an API key"}"#, refused),
            // https://github.com/falcosecurity/falcosidekick/issues/719
            Case(.opsgenie, 422, #"{"message":"Key format is not valid!","took":0.0,"requestId":"r"}"#, refused),
            Case(.opsgenie, 422, #"{"message":"Request body is not processable"}"#, .permanentMessage),
            Case(
                .opsgenie, 429, #"{"message":"TooManyRequests"}"#, .throttled(after: .seconds(60)),
                ["x-ratelimit-state": "THROTTLED", "x-ratelimit-period-in-sec": "60"]),
            Case(.opsgenie, 503, "", .transient),
        ]

        @Test("each service's responses are classified by its own table", arguments: cases)
        func outcome(row: Case) throws {
            #expect(try row.service.channel().format.judge(row.answer, now: noon) == row.outcome)
        }

        @Test("a response outside the table is classified by the common rules", arguments: Service.allCases)
        func rest(service: Service) throws {
            let format = try service.channel().format
            for status in [nil, 302, 410, 500, 502, 504] as [Int?] {
                let answer = TransportAnswer(status: status)
                #expect(format.judge(answer, now: noon) == WebhookFormat().judge(answer, now: noon))
            }
        }

        @Test(
            "a success status from anything but the service is not a delivery", arguments: Service.allCases)
        func stranger(service: Service) throws {
            let channel = try service.channel()
            let page = "<!DOCTYPE html>\n<html><head><title>Sign in · error 429</title></head><body>ok</body></html>"
            // The outcome shows what counts as delivered; the words show what the log says about everything else.
            let kind = channel.kind.rawValue
            let article = ["email", "ntfy", "opsgenie"].contains(kind) ? "an" : "a"
            for (status, body, words) in [
                (200, page, "an HTML page titled 'Sign in · error 429'"),
                (202, page, "an HTML page titled 'Sign in · error 429'"),
                (200, "<html><body>SECRET", "an HTML page"), (200, "", "nothing"), (200, "{}", "\"{}\""),
                (200, "Welcome to the network\nPlease log in", "\"Welcome to the network\""),
                (204, "", "nothing"),
            ] {
                let answer = TransportAnswer(status: status, body: Data(body.utf8))
                guard channel.kind != .alertmanager else {
                    #expect(channel.format.judge(answer, now: noon) == .delivered)
                    continue
                }
                #expect(channel.format.judge(answer, now: noon) == Self.refused, "\(status) \(body)")
                #expect(channel.words(of: answer) == "expected \(article) \(kind) reply, got \(words)")
            }
            let cut = TransportAnswer(
                status: 200, fault: TransportFault(kind: .network, detail: "the connection was closed"))
            let isAny = channel.kind == .alertmanager
            #expect(channel.format.judge(cut, now: noon) == (isAny ? .delivered : .transient), "for a cut response")
            let own = TransportAnswer(status: service.yes.status, body: Data(service.yes.body.utf8))
            #expect(channel.format.judge(own, now: noon) == .delivered)
            #expect(channel.words(of: own)?.hasPrefix("expected ") != true)
        }

        @Test("the text of an HTML page hides a secret that the page repeats")
        func pageWords() throws {
            let channel = try Service.slack.channel()
            let page = "<html><title>Not found: \(channel.baseURL)</title>"
            for status in [200, 404] {
                let answer = TransportAnswer(status: status, body: Data(page.utf8))
                let words = try #require(channel.words(of: answer))
                #expect(words.hasSuffix("an HTML page titled 'Not found: [hidden]'"), "\(words)")
            }
        }

        @Test(
            "the message reference that a service returns is kept if later messages can reply to it",
            arguments: [
                (Service.slackBot, #"{"ok":true,"channel":"C1","ts":"1.2"}"#, "1.2"),
                (.telegram, #"{"ok":true,"result":{"message_id":5}}"#, "5"),
                (.discord, #"{"id":"5"}"#, nil), (.slack, "ok", nil), (.teams, "", nil),
            ] as [(Service, String, String?)])
        func references(service: Service, body: String, reference: String?) throws {
            let answer = TransportAnswer(status: 200, body: Data(body.utf8))
            #expect(try service.channel().format.reference(in: answer) == reference)
        }

        @Test("derived identities are stable, and LINE's key is a UUID of version 5")
        func identities() {
            // python3: uuid.uuid5(uuid.NAMESPACE_URL, "abc123")
            #expect(MessageIdentity.uuid("abc123") == "616d42ca-cddb-57f6-a86d-ed5fbcd0ed3d")
            let key = MessageIdentity.key(ofIncident: "a1")
            #expect(key.count == 64 && key == MessageIdentity.key(ofIncident: "a1"))
            #expect(key != MessageIdentity.key(ofIncident: "a2"))
        }

        @Test("planted secrets are hidden, however they are quoted", arguments: Service.allCases)
        func redaction(service: Service) throws {
            let channel = try service.channel()
            let request = try channel.format.request(
                body: channel.format.body(alert(), plain: false), messageKey: "k", timestamp: noon, userAgent: "u",
                channel: channel)
            let (address, headers, body) = (request.url, request.headers, request.body)
            let quoted =
                "cannot POST \(address) "
                + (address.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "") + " "
                + address.replacingOccurrences(of: "/", with: #"\/"#) + " " + String(decoding: body, as: UTF8.self)
                + " \(headers) " + (URLComponents(string: address)?.path ?? "")
            let clean = channel.redacted(quoted)
            #expect(!clean.contains("SECRET"), "\(clean)")
            #expect(!"\(channel) \(String(reflecting: channel))".contains("SECRET"))
            var dumped = ""
            dump(channel, to: &dumped)
            #expect(!dumped.contains("SECRET"))
        }

        @Test("the stored bytes contain no secret", arguments: Service.allCases)
        func stored(service: Service) throws {
            for occasion in Occasion.allCases {
                let body = try service.channel().format.body(
                    occasion.alert(), plain: false, reference: service.reference)
                #expect(!String(decoding: body, as: UTF8.self).contains("SECRET"))
            }
        }
    }
}
