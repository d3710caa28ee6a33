/// What the CDN's copy holds for one host.
package enum LabCDNCopy: Sendable {
    /// A good copy. `from` is the chain of URLs that the crawler followed, the last of them the real source.
    case body([UInt8], from: [String])
    case failure(LabCDNFailure)
}

/// A failure as the CDN serves it: always "Not Found" as text; the reason is in the headers.
package struct LabCDNFailure: Sendable, Equatable {
    /// 404 on the real one, whatever the origin did.
    package var status: Int
    /// `SWCERRnnnnn text`, the value of `Apple-Failure-Reason`. Nil is a bare 404, which says nothing about the origin.
    package var reason: String?
    /// A JSON object, the value of `Apple-Failure-Details`.
    package var details: String?
    package var tryDirect: Bool
    /// The URLs tried.
    package var from: [String]

    /// A failure of that status; bare where `reason` is nil.
    package init(
        status: Int = 404, reason: String? = nil, details: String? = nil, tryDirect: Bool = false, from: [String] = []
    ) {
        self.status = status
        self.reason = reason
        self.details = details
        self.tryDirect = tryDirect
        self.from = from
    }
}
