// A hosting platform's own word on why it serves no file: better evidence than the status, which means something else at
// each platform.

import Facts
import Foundation

package enum HostingPlatform: String, Codable, Sendable, CaseIterable {
    case amazonS3 = "Amazon S3"
    case googleCloudStorage = "Google Cloud Storage"
    case azureStorage = "Azure Storage"
    case azureAppService = "Azure App Service"
    case vercel = "Vercel"
    case netlify = "Netlify"
    case heroku = "Heroku"
    case fastly = "Fastly"
    case gitHubPages = "GitHub Pages"
    case firebase = "Firebase Hosting"
}

package enum HostingMeaning: String, Codable, Sendable, CaseIterable {
    /// The site is there, this file is not.
    case missing
    /// The file is not there, or not public: the platform does not tell the two apart.
    case missingOrPrivate = "missing_or_private"
    /// As `missing`; and the platform leaves out folders whose names begin with a dot, unless its configuration says otherwise.
    case dotFolderDropped = "dot_folder_dropped"
    /// The domain leads to the platform, which has no site, bucket or app for it.
    case unknownSite = "unknown_site"
    /// The site is switched off: paused, blocked, unpaid.
    case stopped
    /// The platform runs the site's program, which gives no answer.
    case failing

    /// Whether Apple's crawler finds no file, which Apple remembers.
    package var hasNoFile: Bool {
        switch self {
        case .missing, .missingOrPrivate, .dotFolderDropped, .unknownSite: true
        case .stopped, .failing: false
        }
    }
}

package struct HostingFault: Codable, Equatable, Sendable {
    package var platform: HostingPlatform
    package var meaning: HostingMeaning
    /// The platform's own code or words; nil where only the status and the platform are known.
    package var word: String?

    package init(_ platform: HostingPlatform, _ meaning: HostingMeaning, word: String? = nil) {
        self.platform = platform
        self.meaning = meaning
        self.word = word
    }
}

/// A fault with what it was recognised by.
struct HostingSighting {
    let fault: HostingFault
    let matches: [HeaderField]

    /// `content`: of the answer's body, as far as it is known.
    init?(_ answer: Answer, _ content: Data?) {
        guard answer.status >= 400 else { return nil }
        let body = AnswerBody(content)
        for row in HostingTable.rows {
            guard let matches = row.sign.matches(in: answer, body) else { continue }
            let word = row.isByServerAlone ? nil : matches.first?.value.inSentence
            fault = HostingFault(row.platform, row.meaning, word: word)
            self.matches = matches
            return
        }
        return nil
    }
}

extension Retrieval {
    /// Whether the domain's own server says that there is no such file, in its platform's words where it has some. What
    /// lies behind a redirect is another server's word.
    package func saysThatThereIsNoFile(_ contents: [ContentHash: Data]) -> Bool {
        guard redirects.isEmpty, let answer else { return false }
        return answer.saysNoFile(answer.body.hash.flatMap { contents[$0] })
    }
}

extension Answer {
    /// By its status, or in the words of the platform that gave it.
    fileprivate func saysNoFile(_ content: Data?) -> Bool {
        status == 404 || status == 410 || HostingSighting(self, content)?.fault.meaning.hasNoFile == true
    }
}

extension Readings {
    /// The same of the origin, wherever a redirect on it leads.
    package var originSaysNoFile: Bool {
        observation.origin.answer.map { $0.saysNoFile(content(of: $0)) } ?? false
    }

    /// What the platform that the last request to the origin met says.
    var hosting: HostingSighting? {
        guard let answer = observation.origin.answer else { return nil }
        return HostingSighting(answer, content(of: answer))
    }

    func content(of answer: Answer) -> Data? { answer.body.hash.flatMap { observation.contents[$0] } }
}
