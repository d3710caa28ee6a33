// The transport of the running program: each message by the way that it goes.

import Curl
import Evidence
import Foundation

/// HTTP and mail by libcurl; programs by themselves.
package struct ReceiverTransport: MessageTransport {
    private let curl: CurlTransport
    private let programs = ProgramTransport()

    /// `driver`: as for `CurlTransport`.
    package init(driver: CurlDriver) { curl = CurlTransport(driver: driver) }

    package func post(_ request: MessageRequest) async throws -> TransportAnswer {
        switch request.way {
        case .http, .mail: try await curl.post(request)
        case .program(let call): try await programs.post(request, call)
        }
    }
}
