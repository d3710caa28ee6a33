// Whether an answer says that there is no such file, and whose word that is: decided here alone.

import Foundation

/// Whose word it is that there is no such file.
package enum Absence: Equatable, Sendable {
    /// That of the domain's own server, at the file's own URL.
    case origin
    /// The same server's, at another URL, to which it redirects.
    case behindRedirect
    /// Another host's, to which the domain's own server redirects.
    case elsewhere

    init(isElsewhere: Bool, isRedirected: Bool) {
        self = isElsewhere ? .elsewhere : isRedirected ? .behindRedirect : .origin
    }

    /// Not found, or gone: https://www.rfc-editor.org/rfc/rfc9110#section-15.5.5
    static func isTold(by status: Int) -> Bool { status == 404 || status == 410 }
}

extension Retrieval {
    /// By its status, or in the words of the platform that gave it; nil: it does not say so.
    package func absence(at domain: Domain, _ contents: [ContentHash: Data]) -> Absence? {
        guard let answer else { return nil }
        let content = answer.body.hash.flatMap { contents[$0] }
        guard
            Absence.isTold(by: answer.status)
                || HostingSighting(answer, content)?.fault.meaning.hasNoFile == true
        else { return nil }
        return Absence(isElsewhere: MetHost(self, of: domain).isElsewhere, isRedirected: !redirects.isEmpty)
    }
}

extension Readings {
    /// What the origin's answer says of it.
    package var absence: Absence? {
        observation.origin.absence(at: observation.domain, observation.contents)
    }
}

extension StatusAnswer {
    /// By the status alone: what a platform says besides comes before it.
    var absence: Absence? {
        Absence.isTold(by: status) ? Absence(isElsewhere: isElsewhere, isRedirected: target != nil) : nil
    }
}
