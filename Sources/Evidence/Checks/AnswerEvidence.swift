// What a sentence about the origin's answer rests on.

import Foundation

extension CheckContext {
    /// Where the last answer came from, on which way, and what it says of itself.
    var answerEvidence: [String: String] {
        var evidence = ["url": origin.redirects.last?.target ?? origin.url]
        if !origin.redirects.isEmpty { evidence["redirects"] = RedirectTrail(origin.redirects).text }
        if let address = origin.connection?.address { evidence["address"] = address }
        guard let answer = origin.answer else { return evidence }
        evidence["status"] = "\(answer.status)"
        let named = ["server", "location", "retry-after", "www-authenticate", "cf-ray", "content-type"].compactMap {
            name in
            answer.header(name).map { HeaderField(name: name, value: $0) }
        }
        let recognised = (readings.hosting?.matches ?? []) + (protectionHere?.matches ?? [])
        for field in named + recognised { evidence[field.evidenceName] = field.value.shortened(to: 200) }
        return evidence
    }

    /// The bot protection that answered this machine in place of the site.
    var protectionHere: ProtectionSighting? { readings.protection(of: origin) }
}

extension Answer {
    var isOfCloudflare: Bool {
        header("cf-ray") != nil || header("server")?.lowercased().contains("cloudflare") == true
    }

    /// Whether the server says that it is asked too much, or cannot answer now. Our own requests may have brought it about.
    var isBusy: Bool { status == 429 || status == 503 }

    /// For how many seconds it asks to be left alone, in seconds or by a date (RFC 9110, 10.2.3); a day at most.
    func retryAfter(_ now: Date) -> Int? {
        guard let text = header("retry-after")?.trimmingCharacters(in: .whitespaces) else { return nil }
        let seconds = Int(text) ?? HTTPDate.parse(text).map { Int($0.timeIntervalSince(now).rounded(.up)) }
        return seconds.flatMap { $0 > 0 ? min($0, 86_400) : nil }
    }
}
