// Whether an answer says that the file does not exist, and whose answer it is. Decided only here.

import Foundation

/// Whose answer says that the file does not exist.
package enum Absence: Equatable, Sendable {
    /// The domain's own server, at the file's own URL.
    case origin
    /// The same server, at another URL to which it redirects.
    case behindRedirect
    /// Another host, to which the domain's own server redirects.
    case elsewhere

    init(isElsewhere: Bool, isRedirected: Bool) {
        self = isElsewhere ? .elsewhere : isRedirected ? .behindRedirect : .origin
    }

    /// Not found, or gone: https://www.rfc-editor.org/rfc/rfc9110#section-15.5.5
    static func isTold(by status: Int) -> Bool { status == 404 || status == 410 }
}

extension Retrieval {
    /// From the status, or from the words of the hosting platform; nil if the answer does not say so.
    package func absence(at domain: Domain, _ contents: [ContentHash: Data]) -> Absence? {
        guard let answer else { return nil }
        let content = answer.body.hash.flatMap { contents[$0] }
        guard
            Absence.isTold(by: answer.status)
                || HostingMatch(answer, content)?.fault.meaning.hasNoFile == true
        else { return nil }
        return Absence(isElsewhere: LastHost(self, of: domain).isElsewhere, isRedirected: !redirects.isEmpty)
    }
}

extension Readings {
    /// What the origin's answer says; nil if it does not say that the file is missing.
    package var absence: Absence? {
        observation.origin.absence(at: observation.domain, observation.contents)
    }
}

extension StatusAnswer {
    /// From the status alone: the words of a hosting platform take precedence.
    var absence: Absence? {
        Absence.isTold(by: status) ? Absence(isElsewhere: isElsewhere, isRedirected: target != nil) : nil
    }
}
