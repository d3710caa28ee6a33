// What an origin does wrong, and what to do about it.

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
        case .tooLarge(let bytes, _):
            "The file has at least \(bytes.grouped) bytes. Devices read up to \(Checks.sizeLimit.grouped)"
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
        case .certificateUntrusted:
            "Install a certificate from a public authority, with its full chain: Apple accepts no private root."
        case .handshake(let fault): action(fault)
        case .tlsVersion: "Enable TLS 1.2 and 1.3."
        case .redirect:
            "Serve the file at /.well-known/apple-app-site-association itself, with status 200."
        case .status(let status): action(status: status)
        case .busy(let status, _): action(status: status)
        case .behindCloudflare(let status): actionBehindCloudflare(status)
        case .undecodable: "Send the file uncompressed, or with a Content-Encoding that is true."
        case .unaskedEncoding: "Send the file uncompressed, or compressed only as Accept-Encoding allows."
        case .bodySlow: "Find what slows the server down. Apple's crawler gives up after a few seconds."
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
        case 403, 451: "Let every client in the world read the file: no login, no firewall rule, no geo rule."
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
