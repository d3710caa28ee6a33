// What an origin does wrong, and the words for it. Faults with different advice are different cases.

import Facts
import Foundation

package enum OriginFault: Codable, Equatable, Sendable {
    // No answer.
    /// `alias`: the target of the name's alias (CNAME).
    case nameNotFound(alias: String?)
    case nameWithoutAddress(alias: String?)
    case noAddress(family: Int)
    case refusesConnections
    case noRoute
    /// For a name with addresses of both families; the error of this family's addresses is unknown.
    case noConnection(family: Int)
    /// According to the proxy.
    case noRouteOfProxy
    case timedOut(Failure.Phase)
    case connectionReset(inHeaders: Bool)
    case headersCut
    case headersTooLarge
    case noHTTP
    case privateAddress
    // TLS.
    case certificateExpired(Date?, intermediate: String?, alsoFor: TruncatedList?)
    case certificateNotYetValid(Date?, isIntermediate: Bool, alsoFor: TruncatedList?)
    case certificateName(TruncatedList)
    /// No subject alternative name at all.
    case certificateWithoutNames
    /// The certificate that the server shows for unknown hosts, by its common name.
    case unknownHost(String)
    case certificateUntrusted(CertificateProblem, issuer: String?)
    /// For another reason, in the verifier's words: a weak key, an old signature, another usage.
    case certificateRefused(words: String)
    /// `isPart`: the server sends more than the leaf.
    case certificateChain(missing: String?, isPart: Bool)
    case handshake(HandshakeFault)
    case tlsVersion
    case redirect(RedirectFault)
    // The answer.
    case status(Int)
    /// The server asks for a pause, in seconds.
    case busy(status: Int, pause: Int)
    /// Cloudflare's own statuses, 520 to 530: about the server behind Cloudflare.
    case behindCloudflare(status: Int)
    case undecodable
    case unaskedEncoding(String)
    case bodySlow(bytes: Int)
    case bodyCut(bytes: Int, promised: Int?, isReset: Bool)
    case bodyCutInCompression(bytes: Int)
    /// `isCapped`: the body was not read to its end.
    case tooLarge(bytes: Int, isCapped: Bool)
    case slow(milliseconds: Int)
}

extension OriginFault {
    /// The fault of a retrieval that failed, or whose certificate other clients refuse. nil if the control does not
    /// permit blame, and for failures of this machine, its proxy or its name servers.
    init?(of retrieval: Retrieval, host: String, by evidence: Control.SiteEvidence?, now: Date) {
        guard let evidence else { return nil }
        guard let failure = retrieval.failure else {
            guard retrieval.hasCertificateWithoutNames else { return nil }
            self = .certificateWithoutNames
            return
        }
        switch failure.kind {
        case .nameNotFound: self = .nameNotFound(alias: failure.alias?.inSentence)
        case .noAddress: self = .nameWithoutAddress(alias: failure.alias?.inSentence)
        case .noIPv4Address: self = .noAddress(family: 4)
        case .noIPv6Address: self = .noAddress(family: 6)
        case .connectionRefused: self = .refusesConnections
        case .unreachable where evidence.onlyFamily != nil, .timedOut where evidence.onlyFamily != nil:
            self = .noConnection(family: evidence.onlyFamily ?? 4)
        case .unreachable: self = retrieval.connection?.viaProxy == true ? .noRouteOfProxy : .noRoute
        case .timedOut: self = .timedOut(failure.phase)
        case .connectionReset: self = .connectionReset(inHeaders: failure.phase == .receiving)
        case .truncated: self = .headersCut
        case .headersTooLarge: self = .headersTooLarge
        case .malformedAnswer: self = .noHTTP
        case .privateAddress: self = .privateAddress
        case .badEncoding: self = .undecodable
        case .tlsVersion: self = .tlsVersion
        case .tlsHandshake: self = .handshake(HandshakeFault(words: failure.detail))
        case .certificate:
            let tls = retrieval.connection?.tls
            self.init(
                tls?.problem ?? .other, chain: tls?.chain ?? [], words: tls?.detail ?? failure.detail, host: host,
                now: now)
        case .own, .proxy, .nameServerFailure, .noNameServer: return nil
        }
    }

    private init(
        _ problem: CertificateProblem, chain: [CertificateFacts], words: String, host: String, now: Date
    ) {
        let leaf = chain.first
        // A certificate may have thousands of names.
        let names = TruncatedList((leaf?.names ?? []).map(\.inSentence))
        let others = leaf.flatMap { !$0.names.isEmpty && !$0.isFor(host) ? names : nil }
        let last = chain.linked.last
        let issuer = last.map { CertificateFacts.name(in: $0.issuer).inSentence }
        if let name = leaf?.defaultName(besides: host) {
            self = .unknownHost(name.inSentence)
            return
        }
        switch problem {
        case .expired:
            let old = chain.first { $0.notAfter.map { $0 < now } ?? false } ?? leaf
            self = .certificateExpired(
                old?.notAfter,
                intermediate: old == leaf ? nil : old.map { CertificateFacts.name(in: $0.subject).inSentence },
                alsoFor: old == leaf ? others : nil)
        case .notYetValid:
            let early = chain.first { $0.notBefore.map { $0 > now } ?? false } ?? leaf
            self = .certificateNotYetValid(
                early?.notBefore, isIntermediate: early != leaf, alsoFor: others)
        case .nameMismatch: self = .certificateName(names)
        case .incompleteChain where chain.isEmpty || last?.tellsIssuer == true:
            self = .certificateChain(missing: issuer, isPart: chain.linked.count > 1)
        case .other: self = .certificateRefused(words: Self.reason(words))
        case .selfSigned, .untrustedRoot, .incompleteChain, .revoked:
            self = .certificateUntrusted(problem, issuer: issuer)
        }
    }
}

extension OriginFault {
    /// The verifier's reason from libcurl's sentence: `SSL certificate problem: EE certificate key too weak`.
    private static func reason(_ words: String) -> String {
        let lead = "certificate problem:"
        let reason = words.range(of: lead).map { words[$0.upperBound...] } ?? words[...]
        return reason.trimmingCharacters(in: .whitespaces).inSentence
    }
}

/// Redirects that no client can follow, or that Apple refuses.
package enum RedirectFault: Codable, Equatable, Sendable {
    /// To a URL that is not HTTPS; not followed.
    case insecure(String)
    /// Through plain HTTP on the way.
    case byInsecure(String)
    case circle
    case tooMany(hops: Int)
    /// Without a Location.
    case nowhere(status: Int)
    case unreadable(status: Int, location: String)
    case privateAddress(String)
    case login(String)
    case otherSite(String)
    /// To an HTML page of the same site.
    case toPage(String, title: String?)

    /// Why a redirect was not followed; nil if none was stopped.
    init?(stopOf retrieval: Retrieval) {
        guard let stop = retrieval.redirectStop, let last = retrieval.redirects.last else { return nil }
        let target = last.target?.inSentence
        let location = (last.location ?? "").inSentence
        self =
            switch stop {
            case .insecure: .insecure(target ?? location)
            case .loop: .circle
            case .tooMany: .tooMany(hops: retrieval.redirects.count)
            case .unreadable where location.isEmpty: .nowhere(status: last.status)
            case .unreadable: .unreadable(status: last.status, location: location)
            case .privateAddress: .privateAddress(target ?? location)
            }
    }

    var kind: FindingKind {
        switch self {
        case .insecure, .byInsecure: .redirectInsecure
        case .circle, .tooMany: .redirectLoop
        case .nowhere, .unreadable, .login, .otherSite, .toPage: .redirect
        case .privateAddress: .notPublicAddress
        }
    }
}

/// Why a TLS handshake failed before a certificate came, as far as the TLS library's words distinguish the causes.
/// OpenSSL words an alert as `sslv3 alert handshake failure` or, since 3.2, as `ssl/tls alert handshake failure`. Some,
/// such as `tlsv1 unrecognized name`, lack the word `alert`.
package enum HandshakeFault: Codable, Equatable, Sendable {
    /// The server on the port does not speak TLS.
    case plainText
    case unknownName
    case clientCertificate
    case noCommonCipher
    /// Another alert, in the library's words.
    case alert(String)
    /// Closed after the client's first message, without an alert.
    case closed
    case other

    init(words: String) {
        let words = words.lowercased()
        if ["wrong version number", "http request", "packet length too long", "unknown protocol", "not tls"]
            .contains(where: words.contains)
        {
            self = .plainText
            return
        }
        if words.contains("unrecognized name") || words.contains("unrecognized_name") {
            self = .unknownName
            return
        }
        guard let range = words.firstRange(of: "alert ") else {
            let isClosed = ["unexpected eof", "ssl_error_syscall", "ssl_error_zero_return"].contains(
                where: words.contains)
            self = isClosed ? .closed : .other
            return
        }
        let name = words[range.upperBound...].prefix { $0.isLetter || $0 == " " || $0 == "_" }
            .replacing("_", with: " ").split(separator: " ").prefix(5).joined(separator: " ")
        self =
            switch name {
            case "certificate required": .clientCertificate
            case "handshake failure", "insufficient security": .noCommonCipher
            case "": .other
            default: .alert(name)
            }
    }
}

// MARK: - What each is, and its words

extension OriginFault {
    /// `place`: the address or host at fault; empty for the domain's own server.
    func declaration(at place: String) -> Declaration {
        let server = place.isEmpty ? "Your server" : HostAddress(place) == nil ? place : "The server at \(place)"
        func declare(_ kind: FindingKind, _ severity: Severity? = nil, leads id: DiagnosisID = .originFault)
            -> Declaration
        {
            Declaration(kind, severity: severity, leads: id, English.words(self, server))
        }
        return switch self {
        case .nameNotFound(alias: .some), .nameWithoutAddress(alias: .some): declare(.dnsFailed, leads: .danglingAlias)
        case .nameNotFound, .nameWithoutAddress: declare(.dnsFailed, leads: .noSuchName)
        case .noAddress, .refusesConnections, .noRoute, .noConnection, .noRouteOfProxy: declare(.unreachable)
        case .timedOut, .bodySlow: declare(.timeout)
        case .connectionReset: declare(.connectionReset)
        case .headersCut, .bodyCut, .bodyCutInCompression: declare(.truncated)
        case .headersTooLarge: declare(.headersTooLarge)
        case .noHTTP: declare(.malformedAnswer)
        case .privateAddress: declare(.notPublicAddress)
        case .certificateExpired: declare(.certificateExpired)
        case .certificateNotYetValid: declare(.certificateNotYetValid)
        case .certificateName, .certificateWithoutNames, .unknownHost: declare(.certificateNameMismatch)
        case .certificateUntrusted, .certificateRefused: declare(.certificateUntrusted)
        case .certificateChain: declare(.certificateChainIncomplete, leads: .chainIncomplete)
        case .handshake: declare(.tlsFailed)
        case .tlsVersion: declare(.tlsVersion)
        case .redirect(let fault): declare(fault.kind)
        case .status, .busy, .behindCloudflare: declare(.status)
        case .undecodable, .unaskedEncoding: declare(.contentEncoding)
        case .tooLarge: declare(.tooLarge)
        case .slow(let milliseconds):
            milliseconds > 5000 ? declare(.slow) : declare(.slow, .warning, leads: .originSlow)
        }
    }
}

extension English {
    /// `server`: how sentences name the server.
    static func words(_ fault: OriginFault, _ server: String) -> Words {
        switch fault {
        case .nameNotFound(nil):
            Words(
                "The name \(server) does not resolve.",
                "Check its spelling, its registration and its A and AAAA records.")
        case .nameWithoutAddress(nil):
            Words(
                "The name \(server) exists but has no address.",
                "Publish an A record, and an AAAA record if the server has IPv6.")
        case .nameNotFound(let alias?), .nameWithoutAddress(let alias?): words(alias: alias, of: server)
        case .noAddress(let family):
            Words(
                "\(server) has no IPv\(family) address, and -\(family) allows no other.",
                "Check without -\(family)." + (family == 4 ? " Publish an A record: not every network has IPv6." : ""))
        case .refusesConnections:
            Words(
                "\(server) refuses connections.", "Let the web server listen on port 443 on every address of the name.")
        case .noRoute:
            Words(
                "\(server) cannot be reached: there is no route to it.",
                "Check the address records, the firewall and the route to the server.")
        case .noConnection(let family):
            Words(
                "\(server) accepts no connection over IPv\(family).",
                "Let the web server listen on port 443 on every address, and let clients through the firewall.")
        case .noRouteOfProxy:
            Words(
                "\(server) cannot be reached through the proxy.",
                "Check whether the server is up, and what the proxy's log says about it.")
        case .timedOut(let phase): words(timedOut: phase, server)
        case .connectionReset(let inHeaders):
            Words(
                inHeaders
                    ? "\(server) reset the connection while it sent its headers."
                    : "\(server) ended the connection without an answer.",
                "Look for a firewall or a proxy that cuts connections, and check the server's error log.")
        case .headersCut:
            Words(
                "\(server) closed the connection while it sent its headers.",
                "Check the error log of the server, and of the proxy in front of it.")
        case .headersTooLarge:
            Words(
                "\(server) sends endless headers.",
                "Find what keeps adding headers, such as a cookie or a proxy that loops.")
        case .noHTTP:
            Words(
                "\(server) answers with something that is not valid HTTP.", "Let a web server answer HTTPS on port 443."
            )
        case .privateAddress:
            Words(
                "\(server) has a private or reserved address, or leads to one.",
                "Serve the file at the domain itself, on a public address and without redirects.")
        case .certificateExpired, .certificateNotYetValid, .certificateName, .certificateWithoutNames, .unknownHost,
            .certificateUntrusted, .certificateRefused, .certificateChain:
            certificate(fault, server)
        case .handshake(let fault): words(fault, server)
        case .tlsVersion: Words("\(server) offers only TLS versions that are too old.", "Enable TLS 1.2 and 1.3.")
        case .redirect(let fault): Words(words(fault), action(fault))
        case .status(let status):
            Words("\(server) answers with status \(status) in place of 200.", action(status: status))
        case .busy(let status, let pause):
            Words(
                "\(server) answers with status \(status) and asks clients to retry in \(age(pause)) (Retry-After).",
                status == 503
                    ? "Check again in \(age(pause)). If you did not plan a downtime, check the server's error log."
                    : action(status: status))
        case .behindCloudflare(let status): behindCloudflare(status)
        case .undecodable:
            Words(
                "The body cannot be decompressed as its Content-Encoding says.",
                "Send the file uncompressed, or with the right Content-Encoding.")
        case .unaskedEncoding(let encoding):
            Words(
                "The body is compressed as \(encoding), which the request did not ask for.",
                "Send the file uncompressed, or compressed only as Accept-Encoding allows.")
        case .bodySlow(let bytes):
            Words(
                "The file does not arrive in time: only \(bytes.grouped) bytes arrived.",
                "Find what slows the server down. Apple's crawler gives up after a few seconds.")
        case .bodyCut(let bytes, let promised, let isReset):
            Words(
                "The \(isReset ? "connection is reset" : "answer ends") after \(bytes.grouped) bytes, before the file is complete"
                    + (promised.map { " (Content-Length says \($0.grouped))." } ?? "."),
                promised == nil
                    ? "Check the error log of the server, and of the proxy in front of it."
                    : "Compare Content-Length with the bytes that are sent, and check the server's error log.")
        case .bodyCutInCompression(let bytes):
            Words(
                "The compressed answer ends in the middle of the file, after \(bytes.grouped) bytes.",
                "Check whether the file is complete on the server. If it is, find what compresses it: a proxy, a module, a stored copy."
            )
        case .tooLarge(let bytes, let isCapped):
            Words(
                "The file has \(isCapped ? "at least " : "")\(bytes.grouped) bytes. Devices read up to "
                    + "\(Checks.sizeLimit.grouped).", "Use wildcard patterns in place of a list of URLs.")
        case .slow(let milliseconds):
            Words(
                "The first byte came after \(seconds(milliseconds)). Apple's crawler gives up after a few seconds.",
                "Serve the file from a cache, or as a static file.")
        }
    }

    /// The alias of a name that a cloud has released: the next owner of the name controls the domain.
    private static func words(alias: String, of name: String) -> Words {
        let service = CloudNames.service(of: alias)
        return Words(
            "\(name) is an alias (CNAME) of \(alias)\(service.map { " at \($0)" } ?? ""), which does not resolve"
                + (service == nil ? "." : ": most likely the site there was removed or renamed."),
            service == nil
                ? "Correct the A and AAAA records of that name, or point the alias to where the site is now."
                : "Point the record to where the site is now, or remove it. Until then somebody else may be able to claim that "
                    + "name.")
    }

    /// Once the server accepts the request, packets arrive, so no firewall drops them.
    private static func words(timedOut phase: Failure.Phase, _ server: String) -> Words {
        let lost = "Look for a firewall that drops packets, a geo rule, or a server that sleeps."
        let slow =
            "Find out why the server is slow: cold start, load, or a proxy."
        return switch phase {
        case .resolving: Words("The name servers did not resolve \(server) in time.", lost)
        case .connecting: Words("\(server) did not accept the connection in time.", lost)
        case .handshaking: Words("\(server) did not finish the TLS handshake in time.", lost)
        case .waiting: Words("\(server) accepted the request but did not answer in time.", slow)
        case .receiving: Words("\(server) began its answer but did not finish the headers in time.", slow)
        }
    }

    private static func action(status: Int) -> String {
        switch status {
        case 401:
            "Let every client read the file, without a login. \(stagingMode)"
        case 403, 405, 406, 451:
            "Let every client in the world read the file: no login, no firewall rule, no geo rule."
        case 404, 410: "Serve the file at /.well-known/apple-app-site-association itself, without a redirect."
        case 429: "Exempt the file from rate limits."
        case 500...: "Check the server's error log."
        default: "Answer with status 200 and the file."
        }
    }

    /// For a web page in the file's place.
    static let exemptionFromPages =
        "Exempt /.well-known/apple-app-site-association from the catch-all route, the login or the challenge page. "
        + "Deploy the file there."

    // MARK: - TLS

    /// `host`: the requested name.
    private static func certificate(_ fault: OriginFault, _ host: String) -> Words {
        switch fault {
        case .unknownHost(let name):
            return Words(
                "The server does not know \(host): it shows the default certificate of its software (\(name)).",
                "Add \(host) to the server that answers there (ingress, router, virtual host), with a certificate for it."
            )
        case .certificateExpired(let date, let name?, _):
            return Words(
                "An intermediate certificate expired\(date.map { " on \(day($0))" } ?? "") (\(name)).",
                "Install the current full chain from the certificate authority.")
        case .certificateExpired(let date, nil, let names):
            return Words(
                "The certificate expired\(date.map { " on \(day($0))" } ?? "")\(words(ofOther: names, host)).",
                names == nil
                    ? "Renew the certificate, and find out why its renewal did not run."
                    : "Renew the certificate. Its names must include \(host).")
        case .certificateNotYetValid(let date, let isIntermediate, let names):
            return Words(
                "\(isIntermediate ? "An intermediate" : "The") certificate is not valid yet"
                    + (date.map { " (only from \(instant($0)))" } ?? "") + words(ofOther: names, host) + ".",
                names == nil
                    ? "Install a certificate that is valid now."
                    : "Install a certificate that is valid now. Its names must include \(host).")
        case .certificateName(let names):
            return Words(
                "The certificate is not for \(host)"
                    + (names.names.isEmpty ? "." : " but for \(words(names))."),
                "Install a certificate whose names include \(host), or let the server choose it by SNI.")
        case .certificateWithoutNames:
            return Words(
                "The certificate has \(host) only as its common name, which Apple's systems ignore.",
                "Install a certificate that has \(host) as a subject alternative name.")
        case .certificateChain(let missing, let isPart):
            return Words(
                "The server does not send its intermediate certificate"
                    + (missing.map { " (\($0) is missing)" } ?? "")
                    + ". Browsers fetch it themselves, Apple's crawler cannot.",
                "Install the full chain: leaf and intermediates."
                    + (isPart ? " If a root is missing, this machine's trust store lacks it." : ""))
        case .certificateUntrusted(let problem, let issuer): return untrusted(problem, issuer)
        case .certificateRefused(let words):
            return Words(
                "The certificate is refused: \(words).",
                "Install a server certificate that passes: an RSA key of 2,048 bits or more and a SHA-2 signature."
            )
        default: return Words(nil)
        }
    }

    /// The verifier stops at the dates, so a renewal alone would only lead to its next error.
    private static func words(ofOther names: TruncatedList?, _ host: String) -> String {
        names.map { ", and is not for \(host) but for \(words($0))" } ?? ""
    }

    private static func untrusted(_ problem: CertificateProblem, _ issuer: String?) -> Words {
        let from = issuer.map { " (\($0))" } ?? ""
        let install =
            "Install a certificate from a public authority, with its full chain: Apple accepts no private root."
        return switch problem {
        case .selfSigned: Words("The certificate is self-signed.", install)
        case .revoked: Words("The certificate is revoked.", "Install a new certificate.")
        case .incompleteChain:
            Words(
                "The certificate comes from an unknown authority\(from), or an intermediate certificate is missing.",
                install)
        case .untrustedRoot, .expired, .notYetValid, .nameMismatch, .other:
            Words("The certificate comes from an authority that is not publicly trusted\(from).", install)
        }
    }

    private static func words(_ fault: HandshakeFault, _ host: String) -> Words {
        switch fault {
        case .plainText:
            Words(
                "\(host) does not speak TLS on port 443.",
                "Enable HTTPS on port 443 (in nginx 'listen 443 ssl'), with a certificate for \(host).")
        case .unknownName:
            Words(
                "The server refuses the TLS handshake: it does not know the name \(host).",
                "Add \(host) to the server's or the CDN's configuration, with a certificate for it.")
        case .clientCertificate:
            Words(
                "\(host) requires a client certificate.",
                "Let every client read the file without a client certificate.")
        case .noCommonCipher:
            Words(
                "\(host) refuses the TLS handshake (alert: handshake failure).",
                "Give the server a certificate for \(host) and the usual ciphers of TLS 1.2 and 1.3.")
        case .alert(let name):
            Words(
                "\(host) ends the TLS handshake with the alert '\(name.inSentence)'.",
                "Check the server's TLS log, and whether it has a certificate for \(host).")
        case .closed:
            Words(
                "\(host) closes the connection during the TLS handshake.",
                "Check the server's TLS log, and whether it has a certificate for \(host).")
        case .other:
            Words(
                "\(host) fails the TLS handshake.",
                "Let the server speak TLS on port 443, with a certificate for \(host).")
        }
    }

    // MARK: - Redirects

    private static func action(_ fault: RedirectFault) -> String {
        switch fault {
        case .toPage: outOfRedirect
        default: "Serve the file at /.well-known/apple-app-site-association itself, with status 200."
        }
    }

    private static func words(_ fault: RedirectFault) -> String {
        switch fault {
        case .insecure(let target), .byInsecure(let target):
            "The origin redirects over plain HTTP, to \(target). Apple refuses that."
        case .circle: "The origin's redirects form a loop."
        case .tooMany(let hops): "The origin's redirects do not end within \(hops) hops."
        case .nowhere(let status): "The origin redirects (status \(status)) without a Location header."
        case .unreadable(let status, let location):
            "The origin redirects (status \(status)) to '\(location)', which no client can follow."
        case .login(let target):
            "The origin redirects to a login page, \(target). The file must be public."
        case .otherSite(let target): "The origin redirects to another site, \(target). Apple allows no redirects."
        case .toPage(let target, let title):
            "The origin redirects to \(target), an HTML page\(titled(title)). The file is not there."
        case .privateAddress(let target):
            "The origin redirects to \(target), which has a private or reserved address."
        }
    }
}
