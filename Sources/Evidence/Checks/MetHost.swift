// Whose server a finding is about: where redirects were followed, what failed at the end is another server's fault, and
// the text must not blame the domain's own.

import Foundation

/// The host that the last request of a retrieval went to.
struct MetHost: Equatable {
    /// In lower case, cleaned for display and bounded.
    let name: String
    /// Whether redirects led to a host that is not the domain itself.
    let isElsewhere: Bool
    /// How it was come to; empty without redirects.
    private let trail: String

    /// A redirect that was not followed leads nowhere: the host that sent it is the one that was met.
    init(_ retrieval: Retrieval, of domain: Domain) {
        let last = retrieval.redirects.last
        trail = RedirectTrail(retrieval.redirects).text
        let isUnfollowed =
            retrieval.redirectStop != nil || retrieval.answer.map { (300..<400).contains($0.status) } ?? false
        guard let url = isUnfollowed ? last?.from : last?.target,
            let host = URLComponents(string: url)?.host?.lowercased(), host != domain.name
        else {
            name = domain.name
            isElsewhere = false
            return
        }
        name = host.displayable.shortened(to: 253)
        isElsewhere = true
    }

    /// The finding, with the host's name where it is not the domain's own server that is at fault.
    func placing(_ finding: Finding) -> Finding {
        guard isElsewhere else { return finding }
        var finding = finding
        finding.place = .behindRedirect(to: name)
        finding.add(["redirect_host": name, "redirects": trail])
        return finding
    }
}

extension CheckContext {
    /// The host that the plain request ended at.
    var metHost: MetHost { MetHost(origin, of: domain) }
}
