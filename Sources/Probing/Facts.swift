// From libcurl's results to the facts that `Evidence` knows.

import Curl
import Evidence
import Foundation

extension Sight {
    /// What a transfer saw; `url` was asked for first, redirects may have led elsewhere.
    init(of result: TransferResult, url: String) {
        var contents: [ContentHash: Data] = [:]
        let outcome: Retrieval.Outcome
        let failure = result.error.map(Failure.init)
        // Headers that never ended are no answer, though a status came.
        if let status = result.status, result.headEnded, failure.map({ $0.canFollowAnAnswer }) ?? true {
            var body = Answer.Body(
                hash: nil, decodedBytes: result.body.count, wireBytes: result.wireBytes, end: .complete)
            if let failure {
                body.end = .cutShort(failure)
            } else if result.bodyEnd == .capped {
                body.end = .capped(limit: ProbeSettings.bodyLimit)
            } else {
                let hash = ContentHash(of: result.body)
                body.hash = hash
                contents[hash] = result.body
            }
            outcome = .answered(
                Answer(
                    status: status, headers: result.headers.map { HeaderField(name: $0.name, value: $0.value) },
                    body: body))
        } else {
            outcome = .failed(
                failure
                    ?? Failure(kind: .malformedAnswer, phase: .receiving, detail: "the answer ended before its status"))
        }
        self.init(
            retrieval: Retrieval(url: url, outcome: outcome, connection: Connection(result)), contents: contents)
        let scopes = result.facts.resolved.map { AddressScope(IPAddress.scope(of: $0)) }
        retrieval.ownScope = scopes.contains(.public) ? nil : scopes.first
    }
}

extension Failure {
    init(_ error: CurlError) {
        self.init(
            kind: Kind(error.code), phase: Phase(error.phase), detail: error.message, alias: error.alias,
            proxyStatus: error.proxyStatus)
    }

    /// Headers without end are no answer, though a status came.
    fileprivate var canFollowAnAnswer: Bool { kind != .headersTooLarge && kind != .malformedAnswer }
}

extension Failure.Kind {
    init(_ code: CurlError.Code) {
        switch code {
        case .nameNotFound: self = .nameNotFound
        case .noAddress: self = .noAddress
        case .noIPv4Address: self = .noIPv4Address
        case .noIPv6Address: self = .noIPv6Address
        case .serverFailure: self = .nameServerFailure
        case .noNameServer: self = .noNameServer
        case .connectionRefused: self = .connectionRefused
        case .unreachable: self = .unreachable
        case .timedOut: self = .timedOut
        case .connectionReset, .emptyReply: self = .connectionReset
        case .truncated: self = .truncated
        case .tlsHandshake: self = .tlsHandshake
        case .tlsVersion: self = .tlsVersion
        case .certificate: self = .certificate
        case .headersTooLarge: self = .headersTooLarge
        case .malformedAnswer, .bodyTooLarge, .badURL: self = .malformedAnswer
        case .badEncoding: self = .badEncoding
        case .addressRefused: self = .privateAddress
        case .proxy: self = .proxy
        case .trustStore, .badSettings, .badHeader, .outOfMemory, .cancelled: self = .own
        default: self = .malformedAnswer
        }
    }
}

extension Failure.Phase {
    init(_ phase: CurlError.Phase) {
        switch phase {
        case .resolving: self = .resolving
        case .connecting: self = .connecting
        case .handshaking: self = .handshaking
        case .waiting: self = .waiting
        case .receiving: self = .receiving
        }
    }
}

extension Connection {
    init(_ result: TransferResult) {
        let facts = result.facts
        let verified = facts.verifyResult == 0 && result.error?.code != .certificate
        self.init(
            address: facts.remoteAddress, port: facts.remotePort, httpVersion: facts.httpVersion,
            tls: facts.tlsVersion == nil && facts.chain.isEmpty
                ? nil
                : TLSFacts(
                    version: facts.tlsVersion, chain: facts.chain.map(CertificateFacts.init), trusted: verified),
            timings: Timings(
                dns: facts.timings.dns?.inMilliseconds, connect: facts.timings.connect?.inMilliseconds,
                tls: facts.timings.tls?.inMilliseconds, firstByte: facts.timings.firstByte?.inMilliseconds,
                total: facts.timings.total.inMilliseconds),
            viaProxy: facts.viaProxy)
    }
}

extension CertificateFacts {
    init(_ text: CertificateText) {
        self.init(
            subject: text.subject, issuer: text.issuer, notBefore: text.notBefore, notAfter: text.notAfter,
            names: text.dnsNames, issuerURL: text.issuerURL)
    }
}

extension CertificateProblem {
    init(_ problem: VerifyProblem) {
        switch problem {
        case .expired: self = .expired
        case .notYetValid: self = .notYetValid
        case .selfSigned: self = .selfSigned
        case .untrustedRoot: self = .untrustedRoot
        case .incompleteChain: self = .incompleteChain
        case .nameMismatch: self = .nameMismatch
        case .revoked: self = .revoked
        case .other: self = .other
        }
    }
}

extension Duration {
    fileprivate var inMilliseconds: Double { self / .milliseconds(1) }
}
