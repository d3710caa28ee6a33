import Foundation

extension LabReply {
    /// A cached answer in the dress of Apple's own edges.
    init(_ copy: LabCDNCopy, age: Int64, maxAge: Int64?, isHit: Bool, id: String, edge: String, network: LabEdgeNetwork)
    {
        let now = Date()
        let common = [("Age", String(age))] + network.headers(edge: edge, isHit: isHit) + [("CDNUUID", id)]
        switch copy {
        case .body(let bytes, let from):
            self.init(
                headers: [
                    ("Date", HTTPDate.text(now)),
                    ("Content-Type", "application/json"),
                    ("Accept-Ranges", "bytes"),
                    ("Apple-From", from.joined(separator: ", ")),
                    ("Apple-Origin-Format", "json"),
                    ("Cache-Control", "max-age=\(maxAge ?? 21_600),public"),
                ] + common,
                body: bytes)
        case .failure(let failure):
            self = .cdnBare(status: failure.status)
            guard let reason = failure.reason else { return }
            headers += [(name: "Apple-Failure-Reason", value: reason)]
            if let details = failure.details { headers += [(name: "Apple-Failure-Details", value: details)] }
            headers += [
                (name: "Apple-Try-Direct", value: failure.tryDirect ? "true" : "false"),
                (name: "Apple-From", value: failure.from.joined(separator: ", ")),
                (name: "Cache-Control", value: "max-age=\(maxAge ?? 3600),public"),
                (name: "Date", value: HTTPDate.text(now)),
                // Ten seconds, against the hour of Cache-Control: the real one contradicts itself in the same way.
                (name: "Expires", value: HTTPDate.text(now + 10)),
            ]
            headers += common.map { (name: $0.0, value: $0.1) }
        }
    }

    /// "Not Found", ten bytes, without a word about the origin.
    static func cdnBare(status: Int) -> LabReply {
        LabReply(
            status: status, headers: [("Content-Type", "text/plain; charset=utf-8")], body: Array("Not Found\n".utf8))
    }
}

/// Dates in the form of RFC 9110, 5.6.7.
enum HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    static func text(_ date: Date) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second, .weekday], from: date)
        func two(_ value: Int?) -> String { (value ?? 0) < 10 ? "0\(value ?? 0)" : "\(value ?? 0)" }
        let day = days[((parts.weekday ?? 1) - 1) % 7]
        let month = months[((parts.month ?? 1) - 1) % 12]
        let time = [parts.hour, parts.minute, parts.second].map { two($0) }.joined(separator: ":")
        return "\(day), \(two(parts.day)) \(month) \(parts.year ?? 1970) \(time) GMT"
    }
}
