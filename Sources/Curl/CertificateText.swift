// One certificate of a chain, from the "Label:value" lines of CURLINFO_CERTINFO. For people to read and for dates; whether
// a certificate is good is OpenSSL's judgement, never made from this text.

import Foundation

package struct CertificateText: Sendable, Equatable {
    /// Distinguished names as libcurl prints them: "C = US, O = Example, CN = example.com".
    package var subject: String
    package var issuer: String
    package var notBefore: Date?
    package var notAfter: Date?
    /// The DNS entries of the subject alternative names, in their order.
    package var dnsNames: [String]
    /// The first "CA Issuers" location of the Authority Information Access, where clients that fetch missing intermediates
    /// look for the issuer's certificate.
    package var issuerURL: String?

    package init(
        subject: String = "", issuer: String = "", notBefore: Date? = nil, notAfter: Date? = nil,
        dnsNames: [String] = [], issuerURL: String? = nil
    ) {
        self.subject = subject
        self.issuer = issuer
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.dnsNames = dnsNames
        self.issuerURL = issuerURL
    }

    init(lines: [String]) {
        self.init()
        for line in lines {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = String(line[line.index(after: colon)...])
            switch line[..<colon] {
            case "Subject": subject = value
            case "Issuer": issuer = value
            case "Start date": notBefore = Self.date(value)
            case "Expire date": notAfter = Self.date(value)
            case "X509v3 Subject Alternative Name": dnsNames = Self.dnsNames(value)
            case "Authority Information Access": issuerURL = Self.issuerURL(value)
            default: break
            }
        }
    }

    private static func dnsNames(_ text: String) -> [String] {
        text.split(whereSeparator: { $0 == "," || $0.isNewline }).compactMap { part in
            let entry = part.drop(while: \.isWhitespace)
            return entry.hasPrefix("DNS:") ? String(entry.dropFirst(4)) : nil
        }
    }

    /// From OpenSSL's "CA Issuers - URI:http://…", one access method a line.
    private static func issuerURL(_ text: String) -> String? {
        let sign = "CA Issuers - URI:"
        return text.split(whereSeparator: \.isNewline).lazy
            .compactMap { line in line.firstRange(of: sign).map { String(line[$0.upperBound...]) } }
            .first { !$0.isEmpty }
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// "Nov  1 08:00:00 2026 GMT", OpenSSL's form. Read by hand: a date formatter would depend on the locale.
    static func date(_ text: String) -> Date? {
        let parts = text.split(whereSeparator: \.isWhitespace)
        guard parts.count == 5, parts[4] == "GMT", let month = months.firstIndex(of: String(parts[0])),
            let day = Int(parts[1]), let year = Int(parts[3])
        else { return nil }
        let clock = parts[2].split(separator: ":").compactMap { Int($0) }
        guard clock.count == 3 else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar.date(
            from: DateComponents(
                year: year, month: month + 1, day: day, hour: clock[0], minute: clock[1], second: clock[2]))
    }
}
