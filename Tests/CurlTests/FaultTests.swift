import Curl
import Facts
import Lab
import LabFaults
import TestTraits
import Testing

/// What a hostile server does, and what the result says about it.
struct Expected: Sendable {
    var fault: LabFault
    /// The error code, as deliveries show it.
    var code: String?
    var phase: Failure.Phase?
    var status: Int?
    var bodyBytes: Int = 0
    var capped = false
}

extension CurlTests {
    @Suite struct FaultTests {
        static let limit = 65_536

        static let table: [Expected] = [
            Expected(fault: .hang, code: "timed-out", phase: .waiting),
            Expected(fault: .reset, code: "connection-reset", phase: .waiting),
            Expected(fault: .close, code: "empty-reply", phase: .waiting),
            Expected(fault: .endlessHeaders, code: "headers-too-large", phase: .receiving, status: 200),
            Expected(fault: .endlessBody, status: 200, bodyBytes: limit, capped: true),
            Expected(fault: .gzipBomb, status: 200, bodyBytes: limit, capped: true),
            Expected(fault: .slowDrip, code: "timed-out", phase: .receiving, status: 200),
            Expected(fault: .slowHeaders, code: "timed-out", phase: .receiving),
            Expected(fault: .headerDrip, code: "timed-out", phase: .receiving, status: 200),
            Expected(fault: .shortHead, code: "truncated", phase: .receiving, status: 200),
            Expected(fault: .resetMidBody, code: "connection-reset", phase: .receiving, status: 200, bodyBytes: 100),
            Expected(fault: .shortBody, code: "truncated", phase: .receiving, status: 200, bodyBytes: 100),
            Expected(fault: .longBody, status: 200, bodyBytes: 20),
            Expected(fault: .truncatedChunk, code: "truncated", phase: .receiving, status: 200, bodyBytes: 100),
            Expected(fault: .malformedStatusLine, code: "malformed-answer", phase: .receiving),
            Expected(fault: .notHTTP, code: "malformed-answer", phase: .receiving),
            Expected(fault: .badGzip, code: "bad-encoding", phase: .receiving, status: 200),
        ]

        @Test(
            "each server fault has its code and phase, within the body limit", .waitsForTimeout,
            arguments: table)
        func fault(_ expected: Expected) async throws {
            try await withLab { lab, driver in
                lab.origin(host).behaviour = .fault(expected.fault)
                var asked = request(site, total: expected.code == "timed-out" ? patience : .seconds(600))
                asked.limits.bodyBytes = Self.limit
                let result = try await driver.perform(asked)
                #expect(result.error?.code.description == expected.code, "\(String(describing: result.error))")
                #expect(result.failure?.phase == expected.phase, "\(String(describing: result.error))")
                #expect(result.status == expected.status)
                let isCutInHead = [.headerDrip, .shortHead, .endlessHeaders].contains(expected.fault)
                #expect(result.headEnded == (expected.status != nil && !isCutInHead))
                #expect(result.isCapped == expected.capped)
                if expected.fault == .slowDrip {
                    #expect(result.body.starts(with: Array("{".utf8)))
                } else {
                    #expect(result.body.count == expected.bodyBytes)
                }
                #expect(result.connection.address == "127.0.0.1")
                #expect(result.connection.port == lab.port)
            }
        }

        @Test("every fault of the lab has a row")
        func complete() {
            #expect(Set(Self.table.map(\.fault)) == Set(LabFault.allCases))
        }

        static let handshakes: [(LabHandshake, Failure.Kind?)] = [
            (.normal, nil), (.hang, .timedOut), (.reset, .connectionReset), (.alert, .tlsHandshake),
            (.obsoleteTLS, .tlsVersion), (.plainText, .tlsHandshake), (.close, .tlsHandshake),
            (.unrecognizedName, .tlsHandshake),
        ]

        @Test("each broken handshake has its code, and the address is known", arguments: handshakes)
        func handshake(_ handshake: LabHandshake, _ kind: Failure.Kind?) async throws {
            try await withLab { lab, driver in
                lab.origin(host).handshake = handshake
                let total = kind == .timedOut ? patience : .seconds(600)
                let result = try await driver.perform(request(site, total: total))
                #expect(result.failure?.kind == kind, "\(String(describing: result.error))")
                #expect(result.failure?.phase == kind.map { _ in .handshaking })
                #expect(result.connection.address == "127.0.0.1")
                #expect(result.connection.port == lab.port)
            }
        }

        @Test("a tunnel that closes before the server speaks is unreachable", arguments: [true, false])
        func closedTunnel(_ isSOCKS: Bool) async throws {
            try await withLab { lab, _ in
                lab.origin(host).handshake = .close
                let proxy = try await LabProxy.start(to: "127.0.0.1", port: lab.port)
                let driver = try CurlDriver(
                    network: NetworkSettings(caFile: lab.caFile, proxy: isSOCKS ? proxy.socksURL : proxy.httpURL))
                let result = try await driver.perform(request(site))
                #expect(result.failure?.kind == .unreachable, "\(String(describing: result.error))")
                #expect(result.failure?.phase == .connecting)
                await driver.shutdown()
                await proxy.shutdown()
            }
        }

        @Test("every handshake of the lab has a row")
        func completeHandshakes() {
            #expect(Set(Self.handshakes.map(\.0)) == Set(LabHandshake.allCases))
        }
    }
}
