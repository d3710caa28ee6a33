// What an origin does wrong, and what to do about it.

import Facts
import Foundation

extension English {
    static func why(_ fault: OriginFault, _ place: FaultPlace) -> String {
        "\(core(fault, place.host == nil ? "Your server" : "The server"))\(words(place))."
    }

    /// Without the full stop: the place follows.
    private static func core(_ fault: OriginFault, _ server: String) -> String {
        switch fault {
        case .nameNotFound, .nameWithoutAddress: "The name does not resolve"
        case .noAddress(let family): "\(server) has no IPv\(family) address, and -\(family) asks for no other"
        case .refusesConnections: "\(server) refuses connections"
        case .noRoute: "\(server) cannot be reached: there is no route to it"
        case .noConnection(let family): "\(server) takes no connection over IPv\(family)"
        case .noRouteOfProxy: "\(server) cannot be reached through the proxy"
        case .timedOut(let phase):
            switch phase {
            case .resolving: "The name servers did not answer in time"
            case .connecting: "\(server) did not take the connection in time"
            case .handshaking: "\(server) did not finish the TLS handshake in time"
            case .waiting: "\(server) took the request and did not answer in time"
            case .receiving: "\(server) began its answer and did not finish the headers in time"
            }
        case .connectionReset(let inHeaders):
            inHeaders
                ? "\(server) reset the connection in the headers of its answer"
                : "\(server) ended the connection without an answer"
        case .headersCut: "\(server) closed the connection in the headers of its answer"
        case .headersTooLarge: "\(server) sends headers without end"
        case .noHTTP: "\(server) answers with something that is no valid HTTP"
        case .privateAddress: "\(server) has a private or reserved address, or leads to one"
        case .certificateExpired(let date, let intermediate, let names):
            (intermediate == nil ? "The certificate expired" : "An intermediate certificate expired")
                + (date.map { " on \(day($0))" } ?? "") + (intermediate.map { " (\($0))" } ?? "")
                + words(ofOther: names)
        case .certificateNotYetValid(let date, _, let names):
            "The certificate is not valid yet" + (date.map { " (only from \(instant($0)))" } ?? "")
                + words(ofOther: names)
        case .certificateName(let names):
            "The certificate is not for this name"
                + (names.names.isEmpty ? "" : " but for \(names.names.joined(separator: ", "))")
        case .certificateWithoutNames:
            "The certificate has this name only as its common name, which Apple's systems do not read"
        case .unknownHost(let name):
            "\(server) does not know this name: it shows the default certificate of its software (\(name))"
        case .certificateUntrusted(let problem, let issuer):
            switch problem {
            case .selfSigned: "The certificate is self-signed"
            case .revoked: "The certificate is revoked"
            case .incompleteChain:
                "The certificate comes from an unknown authority" + (issuer.map { " (\($0))" } ?? "")
                    + ", or an intermediate certificate is missing"
            case .untrustedRoot, .expired, .notYetValid, .nameMismatch, .other:
                "The certificate comes from an authority that is not publicly trusted"
                    + (issuer.map { " (\($0))" } ?? "")
            }
        case .certificateRefused(let words): "The certificate is refused: \(words)"
        case .certificateChain(let missing, _):
            "\(server) does not send the whole certificate chain" + (missing.map { " (\($0) is missing)" } ?? "")
        case .handshake(let fault): core(fault, server)
        case .tlsVersion: "\(server) offers only TLS versions that are too old"
        case .redirect(let fault): core(fault)
        case .status(let status): "\(server) answers with status \(status) in place of 200"
        case .busy(let status, let pause):
            "\(server) answers with status \(status) and asks to come back in \(age(pause)) (Retry-After)"
        case .behindCloudflare(let status): behindCloudflare(status)
        case .undecodable: "The body cannot be decompressed as its Content-Encoding says"
        case .unaskedEncoding(let encoding): "The body is compressed as \(encoding), which was not asked for"
        case .bodySlow(let bytes): "The file does not arrive in time: only \(bytes.grouped) bytes came"
        case .bodyCut(let bytes, let promised, _):
            "The answer ends after \(bytes.grouped) bytes, before the file does"
                + (promised.map { " (Content-Length says \($0.grouped))" } ?? "")
        case .bodyCutInCompression(let bytes):
            "The compressed answer ends in the middle of the file, after \(bytes.grouped) bytes"
        case .tooLarge(let bytes, let isCapped):
            "The file has \(isCapped ? "at least " : "")\(bytes.grouped) bytes. Devices read up to \(Checks.sizeLimit.grouped)"
        case .pageType(let type, _): "The Content-Type is \(type), as for a web page"
        case .slow(let milliseconds):
            "The first byte came after \(seconds(milliseconds)), and Apple's crawler gives up after a few seconds"
        }
    }

    /// The verifier stops at the dates; a renewal alone would only bring its next complaint.
    private static func words(ofOther names: Listing?) -> String {
        names.map { ", and is not for this name but for \($0.names.joined(separator: ", "))" } ?? ""
    }

    private static func core(_ fault: RedirectFault) -> String {
        switch fault {
        case .insecure(let target), .byInsecure(let target):
            "The origin redirects by plain HTTP, to \(target). Apple refuses that"
        case .circle, .tooMany: "The redirects of the origin do not end"
        case .nowhere(let status), .unreadable(let status, _):
            "The origin redirects (status \(status)) without a target that clients can follow"
        case .login(let target): "The origin redirects to a login page, \(target)"
        case .otherSite(let target): "The origin redirects to another site, \(target)"
        case .home(let target): "The origin redirects to its home page, \(target)"
        case .maintenance(let target): "The origin redirects to a maintenance page, \(target)"
        case .privateAddress(let target):
            "The origin redirects to \(target), which has a private or reserved address"
        }
    }

    private static func core(_ fault: HandshakeFault, _ server: String) -> String {
        switch fault {
        case .plainText: "\(server) speaks no TLS on port 443"
        case .unknownName: "\(server) refuses the TLS handshake: it does not know the name"
        case .clientCertificate: "\(server) demands a client certificate"
        case .noCommonCipher: "\(server) refuses the TLS handshake (alert: handshake failure)"
        case .alert(let name): "\(server) ends the TLS handshake with the alert '\(name.inSentence)'"
        case .closed: "\(server) closes the connection during the TLS handshake"
        case .other: "The TLS handshake fails"
        }
    }

    static func action(_ fault: OriginFault) -> String {
        switch fault {
        case .nameNotFound, .nameWithoutAddress:
            "Check the spelling of the redirect's target, and its A and AAAA records."
        case .noAddress(4): "Ask without -4, and publish an A record: not every network has IPv6."
        case .noAddress: "Ask without -6."
        case .refusesConnections: "Let the web server listen on port 443 on every address of the name."
        case .noConnection: "Let the web server listen on port 443 on every address, and the firewall let clients in."
        case .noRoute: "Check the address records, the firewall and the route to the server."
        case .noRouteOfProxy: "Check whether the server is up, and what the proxy's log says of it."
        case .timedOut(.waiting), .timedOut(.receiving):
            "Find out why the server is so slow: whether it sleeps (--max-time 60 gives it time), its load, a proxy."
        case .timedOut: "Look for a firewall that drops packets, a geo rule, or a server that sleeps."
        case .connectionReset: "Look for a firewall or a proxy that cuts connections, and see the server's error log."
        case .headersCut: "See the error log of the server, and of the proxy before it."
        case .headersTooLarge: "Find what adds headers without end, such as a cookie or a proxy that loops."
        case .noHTTP: "Let a web server answer HTTPS on port 443."
        case .privateAddress: "Serve the file at the domain itself, on a public address and without redirects."
        case .certificateExpired(_, .some, _), .certificateChain:
            "Install the full chain that the authority hands out now."
        case .certificateExpired(_, nil, let names):
            names == nil
                ? "Renew the certificate, and find out why its renewal did not run."
                : "Renew the certificate. Its names must include this one."
        case .certificateNotYetValid(_, _, let names):
            names == nil
                ? "Install a certificate that is valid now, or set this machine's clock."
                : "Install a certificate that is valid now. Its names must include this one."
        case .certificateName:
            "Install a certificate whose names include this one, or let the server choose it by SNI."
        case .certificateWithoutNames: "Install a certificate that has this name as a subject alternative name."
        case .unknownHost:
            "Add this name to the server that answers there (ingress, router, virtual host), with a certificate for it."
        case .certificateUntrusted(.revoked, _): "Install a new certificate."
        case .certificateRefused:
            "Install a certificate that passes: an RSA key of 2,048 bits or more, a SHA-2 signature, made for servers."
        case .certificateUntrusted:
            "Install a certificate from a public authority, with its full chain: Apple accepts no private root."
        case .handshake(let fault): action(fault)
        case .tlsVersion: "Enable TLS 1.2 and 1.3."
        case .redirect(.home):
            "Take /.well-known/apple-app-site-association out of the redirect. Deploy the file there if it is missing."
        case .redirect(.maintenance):
            "Take /.well-known/apple-app-site-association out of maintenance mode: serve the file there, with status 200."
        case .redirect:
            "Serve the file at /.well-known/apple-app-site-association itself, with status 200."
        case .status(let status): action(status: status)
        case .busy(503, let pause):
            "Look again in \(age(pause)). If no pause was planned, see the server's error log."
        case .busy(let status, _): action(status: status)
        case .behindCloudflare(let status): actionBehindCloudflare(status)
        case .undecodable: "Send the file uncompressed, or with a Content-Encoding that is true."
        case .unaskedEncoding: "Send the file uncompressed, or compressed only as Accept-Encoding allows."
        case .bodySlow: "Find what slows the server down. Apple's crawler gives up after a few seconds."
        case .bodyCut(_, nil, _): "See the error log of the server, and of the proxy before it."
        case .bodyCut: "Compare Content-Length with what is sent, and see the server's error log."
        case .bodyCutInCompression:
            "See whether the file is whole on the server. If it is, find what compresses it: a proxy, a module, a stored copy."
        case .tooLarge: "Use wildcard patterns in place of a list of URLs."
        case .pageType(_, holdsFile: true): "Send Content-Type: application/json."
        case .pageType(_, holdsFile: false):
            exemptionFromPages
        case .slow: "Serve the file from a cache, or as a static file."
        }
    }

    /// Where a web page stands in the file's place.
    static let exemptionFromPages =
        "Exempt /.well-known/apple-app-site-association from the catch-all route, the login or the challenge page. "
        + "Deploy the file there."

    private static func action(status: Int) -> String {
        switch status {
        case 401:
            "Let every client read the file, without a login. For a staging host use ?mode=developer in the app's entitlement."
        case 403, 405, 406, 451:
            "Let every client in the world read the file: no login, no firewall rule, no geo rule."
        case 404, 410: "Serve the file at /.well-known/apple-app-site-association itself, without a redirect."
        case 429: "Exempt the file from rate limits."
        case 500...: "See the server's error log."
        default: "Answer with status 200 and the file."
        }
    }

    private static func action(_ fault: HandshakeFault) -> String {
        switch fault {
        case .plainText: "Enable HTTPS on port 443 (in nginx 'listen 443 ssl'), with a certificate for this name."
        case .unknownName: "Add this name to the server's or the CDN's configuration, with a certificate for it."
        case .clientCertificate: "Let every client read the file without a certificate of its own."
        case .noCommonCipher: "Give the server a certificate for this name and the usual ciphers of TLS 1.2 and 1.3."
        case .alert, .closed: "See the server's TLS log, and whether it has a certificate for this name."
        case .other: "Let the server speak TLS on port 443, with a certificate for this name."
        }
    }
}

// MARK: - Findings

// No answer, TLS, redirects, a body that is no file.

extension English {
    /// `place`: the address or host that has it.
    static func finding(_ fault: OriginFault, at place: String) -> FindingWords {
        switch fault {
        case .nameNotFound(let alias):
            name(alias, "the name \(place) does not resolve", "check the name's spelling and its A and AAAA records")
        case .nameWithoutAddress(let alias):
            name(
                alias, "the name \(place) exists and has no address",
                "publish an A record, and an AAAA record where the server has IPv6")
        case .noAddress(let family):
            FindingWords(
                "\(place) has no IPv\(family) address, and -\(family) asks for no other",
                "ask without -\(family)" + (family == 4 ? ", and publish an A record: not every network has IPv6" : ""))
        case .refusesConnections:
            FindingWords(
                "\(place) refuses connections",
                "let the web server listen on port 443 on every address that the name resolves to")
        case .noRoute:
            FindingWords(
                "\(place) cannot be reached", "check the address records, the firewall and the route to the server")
        case .noConnection(let family):
            FindingWords(
                "\(place) takes no connection over IPv\(family)",
                "let the web server listen on port 443 on every IPv\(family) address of the name, and look for a firewall "
                    + "before it")
        case .noRouteOfProxy:
            FindingWords(
                "\(place) cannot be reached through the proxy",
                "check whether the server is up, and what the proxy's log says of it")
        case .timedOut(let phase):
            FindingWords(
                "no answer in time: \(waiting(phase, place))",
                "\(slowness(phase)); Apple's crawler gives up after a few seconds"
            )
        case .connectionReset(let inHeaders):
            FindingWords(
                inHeaders
                    ? "\(place) reset the connection in the middle of the headers of its answer"
                    : "\(place) ended the connection without an answer",
                "look for a firewall or a proxy that cuts connections, and at the server's error log")
        case .headersCut:
            FindingWords(
                "\(place) closed the connection in the middle of the headers of its answer",
                "see the error log of the server, and of the proxy or load balancer before it")
        case .headersTooLarge:
            FindingWords(
                "the answer's headers do not end within the limit",
                "find what adds headers without end, such as a cookie or a proxy that loops")
        case .noHTTP:
            FindingWords("what \(place) answers is no valid HTTP", "let a web server answer HTTPS on port 443")
        case .privateAddress:
            FindingWords(
                "\(place) is a private or reserved address, or leads to one",
                "serve the file at the domain itself, on a public address and without redirects")
        case .certificateExpired, .certificateNotYetValid, .certificateName, .certificateWithoutNames, .unknownHost,
            .certificateUntrusted, .certificateRefused, .certificateChain:
            certificate(fault, at: place)
        case .handshake(let fault): finding(fault, at: place)
        case .tlsVersion:
            FindingWords("the server offers only TLS versions that are too old", "enable TLS 1.2 and 1.3")
        case .undecodable:
            FindingWords(
                "the body cannot be decompressed as its Content-Encoding says",
                "send the file uncompressed, or with a Content-Encoding that is true")
        case .unaskedEncoding(let encoding):
            FindingWords(
                "the body comes compressed as \(encoding), which was not asked for",
                "send the file uncompressed, or compressed only as the client's Accept-Encoding allows")
        case .bodySlow(let bytes):
            FindingWords(
                "the file does not arrive in time: \(bytes.grouped) bytes came, then time ran out",
                "find what slows the server down; Apple's crawler gives up after a few seconds")
        case .bodyCut(let bytes, let promised, let isReset):
            FindingWords(
                isReset
                    ? "the server reset the connection after \(bytes.grouped) bytes, before the file was there"
                    : "the connection ended after \(bytes.grouped) bytes, before the file did"
                        + (promised.map { " (Content-Length says \($0.grouped))" } ?? ""),
                promised == nil
                    ? "see the error log of the server, and of the proxy before it"
                    : "compare Content-Length with what is sent, and see the server's error log")
        case .bodyCutInCompression(let bytes):
            FindingWords(
                "the compressed body ends in the middle of the file, after \(bytes.grouped) bytes of it",
                "see whether the file is whole on the server; if it is, what compresses it breaks off: a proxy, a module of "
                    + "the server, or a compressed copy that was uploaded in part")
        case .tooLarge(let bytes, let isCapped):
            FindingWords(
                "the file is larger than devices read: \(isCapped ? "over " : "")\(bytes.grouped) bytes, the limit is "
                    + "\(Checks.sizeLimit.grouped)", "use wildcard patterns instead of listing every URL")
        case .slow(let milliseconds):
            FindingWords(
                "the first byte came after \(seconds(milliseconds))",
                "serve the file from a cache or as a static file; Apple's crawler gives up after a few seconds")
        // Findings of their own tell of these.
        case .redirect, .status, .busy, .behindCloudflare, .pageType:
            FindingWords(why(fault, FaultPlace()), action(fault))
        }
    }

    private static func name(_ alias: String?, _ message: String, _ fix: String) -> FindingWords {
        guard let alias else { return FindingWords(message, fix) }
        return FindingWords(
            "\(message): it is an alias (CNAME) of \(alias), which has no address",
            "point the record to where the site is now, or remove it")
    }

    private static func waiting(_ phase: Failure.Phase, _ place: String) -> String {
        switch phase {
        case .resolving: "the name servers did not say where \(place) is"
        case .connecting: "\(place) did not take the connection"
        case .handshaking: "\(place) did not finish the TLS handshake"
        case .waiting: "\(place) took the request and did not answer"
        case .receiving: "\(place) began its answer and did not finish the headers"
        }
    }

    /// Where headers came, packets arrive.
    private static func slowness(_ phase: Failure.Phase) -> String {
        switch phase {
        case .receiving: "see why the server is so slow: its load, a proxy before it, a program that makes the file"
        case .waiting:
            "see whether the server sleeps between visits (check --max-time 60 gives it time to wake), and why it is so "
                + "slow: its load, a proxy before it, a program that makes the file"
        case .resolving, .connecting, .handshaking:
            "look for a firewall that drops packets, a geo rule or a server that sleeps"
        }
    }

    // MARK: - TLS

    private static func certificate(_ fault: OriginFault, at host: String) -> FindingWords {
        switch fault {
        case .unknownHost(let name):
            return FindingWords(
                "the server does not know \(host): it shows the default certificate of its software, \(name)",
                "add \(host) to the server that answers there (ingress, router, virtual host), with a certificate for it"
            )
        case .certificateExpired(let date, let name?, _):
            return FindingWords(
                "an intermediate certificate expired\(date.map { " on \($0.rfc3339)" } ?? ""): \(name)",
                "install the chain that the authority hands out now")
        case .certificateExpired(let date, nil, let others):
            return also(
                others, host,
                FindingWords(
                    "the certificate expired\(date.map { " on \($0.rfc3339)" } ?? "")",
                    "renew the certificate, and find out why its renewal did not run"))
        case .certificateNotYetValid(let date, let isIntermediate, let others):
            return also(
                others, host,
                FindingWords(
                    (isIntermediate ? "an intermediate certificate is" : "the certificate is") + " not valid yet"
                        + (date.map { ", only from \($0.rfc3339)" } ?? ""),
                    "install a certificate that is valid now, or set this machine's clock"))
        case .certificateName(let names):
            return FindingWords(
                "the certificate is not for \(host)" + (names.names.isEmpty ? "" : ", it is for \(words(names))"),
                "install a certificate whose names include \(host), or let the server choose it by SNI")
        case .certificateWithoutNames:
            return FindingWords(
                "the certificate names \(host) only as its common name; Apple's systems read subject alternative names "
                    + "alone", "install a certificate that has \(host) as a subject alternative name")
        case .certificateChain(let missing, let isPart):
            return FindingWords(
                "the server does not send the whole certificate chain"
                    + (missing.map { "; the certificate of its issuer is missing: \($0)" } ?? ""),
                "install the full chain (leaf and intermediates); browsers fetch what is missing by themselves, Apple's "
                    + "crawler does not" + (isPart ? "; if it is a root, this machine's trust store lacks it" : ""))
        case .certificateUntrusted(let problem, let issuer): return untrusted(problem, issuer)
        default: return FindingWords(CauseText(why(fault, FaultPlace()), action(fault)))
        }
    }

    /// The verifier stops at the dates; a renewal alone would only bring its next complaint.
    private static func also(_ names: Listing?, _ host: String, _ words: FindingWords) -> FindingWords {
        guard let names else { return words }
        return FindingWords(
            "\(words.message), and the certificate is not for \(host) either, it is for \(self.words(names))",
            "\(words.fix); its names must include \(host), or the server must choose another by SNI")
    }

    private static func untrusted(_ problem: CertificateProblem, _ issuer: String?) -> FindingWords {
        let from = issuer.map { ": \($0)" } ?? ""
        let install = "install a certificate from a public authority; Apple accepts no private root"
        return switch problem {
        case .selfSigned: FindingWords("the certificate is self-signed", install)
        case .untrustedRoot:
            FindingWords("the certificate comes from an authority that is not publicly trusted\(from)", install)
        case .incompleteChain:
            FindingWords(
                "the certificate comes from an authority that is unknown here\(from); it is a private one, or the server "
                    + "does not send an intermediate certificate",
                "install a certificate from a public authority, with its full chain (leaf and intermediates); Apple accepts "
                    + "no private root")
        case .revoked: FindingWords("the certificate is revoked", "install a new certificate")
        case .expired, .notYetValid, .nameMismatch, .other:
            FindingWords(
                "the certificate is refused",
                "see the evidence for the verifier's words, and install a certificate that passes")
        }
    }

    private static func finding(_ fault: HandshakeFault, at host: String) -> FindingWords {
        switch fault {
        case .plainText:
            FindingWords(
                "what answers on port 443 speaks no TLS",
                "enable HTTPS on that port (in nginx 'listen 443 ssl'), with a certificate for \(host)")
        case .unknownName:
            FindingWords(
                "the server refuses the TLS handshake, since it does not know the name \(host)",
                "add \(host) to the server's or the CDN's configuration, with a certificate for it")
        case .clientCertificate:
            FindingWords(
                "the server demands a client certificate",
                "let every client read the file without a certificate of its own")
        case .noCommonCipher:
            FindingWords(
                "the server refuses the TLS handshake (alert: handshake failure)",
                "give the server a certificate for \(host) and the usual ciphers of TLS 1.2 and 1.3, and demand no client "
                    + "certificate")
        case .alert(let name):
            FindingWords(
                "the server ends the TLS handshake with the alert '\(name)'",
                "see the server's TLS log, and let it speak TLS 1.2 or 1.3 with a certificate for \(host)")
        case .closed:
            FindingWords(
                "the server closed the connection during the TLS handshake, without an answer",
                "see the server's TLS log, and whether it has a certificate for \(host): some close like this for names "
                    + "that they do not know, and so do firewalls")
        case .other:
            FindingWords(
                "the TLS handshake failed", "let the server speak TLS on port 443, with a certificate for \(host)")
        }
    }

    // MARK: - Redirects

    static func finding(_ fault: RedirectFault) -> String {
        switch fault {
        case .insecure(let target): "the origin redirects to \(target), which is not HTTPS; Apple refuses that"
        case .byInsecure(let target):
            "the origin redirects by way of plain HTTP to \(target); Apple refuses that"
        case .circle: "the redirects lead in a circle"
        case .tooMany(let hops): "the redirects do not end within \(hops) hops"
        case .nowhere(let status): "the origin redirects (status \(status)) without saying where to"
        case .unreadable(let status, let location):
            "the origin redirects (status \(status)) to '\(location)', which no client can follow"
        case .privateAddress(let target): "the origin redirects to \(target), a private or reserved address"
        case .login(let target):
            "the origin redirects to a login page, \(target); the file must be there for everybody"
        case .otherSite(let target):
            "the origin redirects to another site, \(target); Apple allows no redirects"
        case .home(let target): "the origin redirects to its home page, \(target); the file is not there"
        case .maintenance(let target):
            "the origin redirects to a maintenance page, \(target); the file must be there during maintenance too"
        }
    }
}
