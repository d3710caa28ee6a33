import Foundation
import Lab
import LabFaults
import TestTraits
import Testing

@Suite(.timeLimit(.minutes(120)), .inTurn)
struct LabTests {}

let body = #"{"applinks":{"details":[]}}"#

extension LabTests {
    @Suite struct Certificates {
        @Test(
            "curl accepts and refuses each certificate like a browser",
            arguments: [
                (LabCertificate.valid, 0), (.expiring(in: .seconds(3600)), 0), (.expired, 60), (.notYetValid, 60),
                (.wrongName, 60), (.selfSigned, 60), (.untrustedRoot, 60), (.missingIntermediate, 60),
                (.privateAuthority, 60), (.expiredIntermediate, 60), (.missingSecondIntermediate, 60),
                (.ingressDefault, 60), (.commonNameOnly, 0),
            ] as [(LabCertificate, Int32)])
        func curlExit(kind: LabCertificate, exit: Int32) async throws {
            try await withLab { lab in
                let origin = lab.origin("Site.test")
                origin.certificate = kind
                origin.serve(body)
                let curl = try await Tool.curl(lab, [wellKnown("site.test")])
                #expect(curl.exitCode == exit, "\(curl.errors)")
                #expect(curl.output == (exit == 0 ? body : ""))
                #expect(origin.requests.count == (exit == 0 ? 1 : 0))
            }
        }

        @Test(
            "openssl names the fault of each certificate",
            arguments: [
                (LabCertificate.valid, 0), (.expired, 10), (.notYetValid, 9), (.wrongName, 62), (.selfSigned, 18),
                (.untrustedRoot, 20), (.missingIntermediate, 20), (.expiredIntermediate, 10),
            ])
        func opensslCode(kind: LabCertificate, code: Int) async throws {
            try await withLab { lab in
                lab.origin("site.test").certificate = kind
                let openssl = try await Tool.verify(lab, "site.test")
                let said = openssl.output + openssl.errors
                if code == 0 {
                    #expect(openssl.exitCode == 0)
                    #expect(said.contains("Verification: OK"), "\(said)")
                } else {
                    #expect(openssl.exitCode != 0)
                    #expect(said.contains("verify error:num=\(code):"), "\(said)")
                }
            }
        }

        @Test("a host's identity is made once for each kind")
        func cached() throws {
            let now = Date(timeIntervalSince1970: 1_800_000_000)
            let authority = try LabAuthority(now: now)
            let first = try authority.identity(for: "a.test", .valid, now: now)
            #expect(try authority.identity(for: "A.test", .valid, now: now + 60).key == first.key)
            #expect(try authority.identity(for: "a.test", .expired, now: now).key != first.key)
            #expect(try authority.identity(for: "b.test", .valid, now: now).key != first.key)
            #expect(first.certificates.count == 2)
            #expect(try authority.identity(for: "a.test", .missingIntermediate, now: now).certificates.count == 1)
        }
    }

    @Suite struct Handshakes {
        @Test(
            "each handshake fault ends curl like the real one",
            arguments: [
                (LabHandshake.normal, 0), (.hang, 28), (.reset, 35), (.alert, 35), (.obsoleteTLS, 35), (.plainText, 35),
                (.close, 35), (.unrecognizedName, 35),
            ] as [(LabHandshake, Int32)])
        func curlExit(handshake: LabHandshake, exit: Int32) async throws {
            try await withLab { lab in
                lab.origin("site.test").serve(body)
                lab.origin("site.test").handshake = handshake
                let limit = handshake == .hang ? ["--max-time", "1"] : []
                let curl = try await Tool.curl(lab, limit + [wellKnown("site.test")])
                #expect(curl.exitCode == exit, "\(curl.errors)")
            }
        }

        @Test("a client that accepts TLS 1.1 can talk to an obsolete server")
        func obsolete() async throws {
            try await withLab { lab in
                lab.origin("site.test").serve(body)
                lab.origin("site.test").handshake = .obsoleteTLS
                let curl = try await Tool.curl(
                    lab, ["--tlsv1.0", "--ciphers", "DEFAULT:@SECLEVEL=0", wellKnown("site.test")])
                #expect(curl.exitCode == 0, "\(curl.errors)")
                #expect(curl.output == body)
            }
        }

        @Test("an unknown host is refused with unrecognized_name")
        func unknown() async throws {
            try await withLab { lab in
                let curl = try await Tool.curl(lab, [wellKnown("nobody.test")])
                #expect(curl.exitCode == 35)
                #expect(curl.errors.contains("unrecognized name"), "\(curl.errors)")
            }
        }
    }

    @Suite struct Faults {
        static let exits: [(LabFault, Set<Int32>)] = LabFault.allCases.map { fault in
            switch fault {
            case .hang, .endlessBody, .slowDrip, .slowHeaders, .headerDrip: (fault, [28])
            case .reset, .resetMidBody: (fault, [56])
            case .close: (fault, [52])
            // Newer versions of curl fail at too many headers, older ones only at the time limit.
            case .endlessHeaders: (fault, [28, 56])
            case .gzipBomb: (fault, [0])
            case .shortBody, .truncatedChunk: (fault, [18])
            // Older versions of curl take the end of the connection for the end of the headers.
            case .shortHead: (fault, [0, 8, 52, 56])
            // curl reads as much as Content-Length says.
            case .longBody: (fault, [0])
            case .malformedStatusLine, .notHTTP: (fault, [1, 8])
            case .badGzip: (fault, [61])
            }
        }

        @Test("each fault ends curl like the real one", .waitsForTimeout, arguments: exits)
        func curlExit(fault: LabFault, exits: Set<Int32>) async throws {
            try await withLab { lab in
                lab.origin("site.test").behaviour = .fault(fault)
                let limit = exits.contains(28) ? ["--max-time", "20"] : []
                let curl = try await Tool.curl(
                    lab, limit + ["--compressed", "-o", "/dev/null", wellKnown("site.test")])
                #expect(exits.contains(curl.exitCode), "\(curl.exitCode): \(curl.errors)")
                #expect(lab.origin("site.test").requests.count == 1)
            }
        }

        @Test("the bomb is small and decompresses to over 100 MB of valid gzip")
        func bomb() async throws {
            #expect(LabGzip.bomb.count < 128 * 1024)
            #expect(LabGzip.bombInflatedSize > 100_000_000)
            let file = FileManager.default.temporaryDirectory.appending(path: "bomb-\(UUID().uuidString).gz")
            defer { try? FileManager.default.removeItem(at: file) }
            try Data(LabGzip.bomb).write(to: file)
            let gzip = try await Tool.run("sh", ["-c", "gzip -t \"$0\" && gzip -dc \"$0\" | wc -c", file.path])
            #expect(gzip.exitCode == 0, "\(gzip.errors)")
            #expect(gzip.output.trimmingCharacters(in: .whitespacesAndNewlines) == "\(LabGzip.bombInflatedSize)")
        }

        @Test("an endless answer does not block other clients", arguments: [LabFault.endlessBody, .endlessHeaders])
        func noStarvation(fault: LabFault) async throws {
            try await withLab { lab in
                let endless = lab.origin("endless.test")
                endless.behaviour = .fault(fault)
                lab.origin("site.test").serve(body)
                // More greedy clients than event loops.
                let greedy = ProcessInfo.processInfo.activeProcessorCount + 1
                try await withThrowingTaskGroup { group in
                    for _ in 0..<greedy {
                        group.addTask {
                            _ = try await Tool.curl(lab, ["-o", "/dev/null", wellKnown("endless.test")])
                        }
                    }
                    while endless.requests.count < greedy { try await Task.sleep(for: .milliseconds(5)) }
                    for _ in 0..<4 {
                        let curl = try await Tool.curl(lab, [wellKnown("site.test")])
                        #expect(curl.exitCode == 0, "\(curl.errors)")
                    }
                    await lab.shutdown()
                    try await group.waitForAll()
                }
            }
        }

        @Test(
            "shutdown immediately ends hung and endless connections",
            arguments: [LabFault.hang, .endlessBody, .slowDrip])
        func promptShutdown(fault: LabFault) async throws {
            let lab = try await Lab.start()
            let origin = lab.origin("site.test")
            origin.behaviour = .fault(fault)
            async let curl = Tool.curl(lab, ["-o", "/dev/null", wellKnown("site.test")])
            while origin.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            await lab.shutdown()
            let exit = try await curl.exitCode
            // Not curl's own time-out (28). A body without a length may end there, so 0 is not an error.
            #expect(exit != 28)
        }
    }
}
