import Curl
import Foundation
import Lab
import TestTraits
import Testing

/// Every suite of this target: real transfers, over loopback only.
@Suite(.timeLimit(.minutes(120)), .inTurn)
enum CurlTests {}

/// Runs a test with a lab and a driver that trusts it, and always shuts both down.
func withLab(
    maximumConcurrent: Int = 16, slotTimeout: Duration = .milliseconds(100),
    _ body: (Lab, CurlDriver) async throws -> Void
) async throws {
    let lab = try await Lab.start()
    do {
        let driver = try CurlDriver(
            network: NetworkSettings(caFile: lab.caFile, connectTo: [lab.connectTo]),
            maximumConcurrent: maximumConcurrent, slotTimeout: slotTimeout)
        do {
            try await body(lab, driver)
        } catch {
            await driver.shutdown()
            throw error
        }
        await driver.shutdown()
    } catch {
        await lab.shutdown()
        throw error
    }
    await lab.shutdown()
}

/// A request whose limit only matters if a test would hang.
func request(_ url: String, total: Duration = .seconds(600)) -> TransferRequest {
    TransferRequest(
        url: url, userAgent: "curl-tests", limits: TransferLimits(connectTimeout: total, totalTimeout: total))
}

let host = "site.test"
let site = "https://site.test/"

func milliseconds(_ duration: Duration) -> Double {
    let (seconds, attoseconds) = duration.components
    return Double(seconds) * 1000 + Double(attoseconds) / 1e15
}

/// For transfers that must reach their limit: long enough for a handshake on a busy machine.
let patience = Duration.seconds(20)
