// Which page a server sends in the file's place, by its title and its first heading.

import AASA
import Foundation

package struct WebPage: Codable, Equatable, Sendable {
    /// Cleaned and bounded.
    package var title: String?
    package var kind: Kind?

    package init(title: String?, kind: Kind?) {
        self.title = title
        self.kind = kind
    }

    package enum Kind: String, Codable, Sendable, CaseIterable {
        case notFound = "not_found"
        case login, maintenance
        /// A single-page app's, which every path gets.
        case appShell = "app_shell"
    }
}

extension WebPage {
    private static let limit = 16_384

    /// `content`: of a body that is HTML.
    package init(_ content: Data) {
        let markup = Markup(content.prefix(Self.limit))
        title = markup.first("title").flatMap { $0.isEmpty ? nil : $0.displayable.shortened(to: 60) }
        kind =
            Self.kind(ofWords: title) ?? Self.kind(ofWords: markup.first("h1"))
            ?? (markup.isAppShell(isWhole: content.count <= Self.limit) ? .appShell : nil)
            ?? (markup.asksForPassword ? .login : nil)
    }

    private static func kind(ofWords text: String?) -> Kind? {
        guard let text = text?.lowercased() else { return nil }
        let words = Set(text.split { !$0.isLetter && !$0.isNumber }.map(String.init))
        func says(_ numbers: Set<String>, _ phrases: [String]) -> Bool {
            !words.isDisjoint(with: numbers) || phrases.contains(where: text.contains)
        }
        if says(["404", "410"], notFound) { return .notFound }
        if says(["503"], maintenance) { return .maintenance }
        return says(["login", "signin", "sso"], login) ? .login : nil
    }

    private static let notFound = [
        "not found", "notfound", "not be found", "can't be found", "can’t be found", "不存在", "can't find", "can’t find",
        "cannot find", "couldn't find",
        "couldn’t find", "could not find", "doesn't exist", "doesn’t exist", "does not exist", "no longer exists",
        "nothing here", "nicht gefunden", "introuvable", "n'existe pas", "no encontrad", "non trovat", "não encontrad",
        "niet gevonden", "hittades inte", "ikke fundet", "ikke funnet", "ei löydy", "nie znaleziono", "nenalezena",
        "bulunamadı", "не найден", "見つかりません", "찾을 수 없", "未找到", "找不到",
    ]

    private static let maintenance = [
        "maintenance", "under construction", "coming soon", "be right back", "back soon", "temporarily unavailable",
        "service unavailable", "currently unavailable", "site unavailable", "offline", "wartung", "mantenimiento",
        "manutenzione", "manutenção", "onderhoud", "underhåll", "konserwacj", "bakım", "техническ", "メンテナンス", "점검",
        "维护", "維護",
    ]

    private static let login = [
        "log in", "log on", "logon", "sign in", "sign-in", "log-in", "single sign", "authentication required",
        "authorization required", "anmelden", "anmeldung", "einloggen", "connexion", "se connecter", "iniciar sesión",
        "inicio de sesión", "accedi", "entrar", "inloggen", "logga in", "zaloguj", "войти", "вход", "ログイン", "登录",
        "登入", "로그인",
    ]
}

/// The beginning of an HTML page, as far as words and elements are looked for in it.
private struct Markup {
    private let bytes: [UInt8]
    /// Of the same length: ASCII letters alone are made small.
    private let lower: [UInt8]

    init(_ content: Data) {
        bytes = Array(content)
        lower = bytes.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
    }

    private func find(_ word: String, from start: Int = 0) -> Int? {
        let word = Array(word.utf8)
        guard start >= 0, lower.count >= word.count, start <= lower.count - word.count else { return nil }
        return (start...(lower.count - word.count)).first { place in
            lower[place] == word[0] && lower[place..<place + word.count].elementsEqual(word)
        }
    }

    /// The text of the first element of a name, without the tags in it.
    func first(_ name: String) -> String? {
        var start = 0
        for _ in 0..<8 {
            guard let tag = find("<\(name)", from: start) else { return nil }
            start = tag + name.utf8.count + 1
            // `<header` is no `<h`.
            guard start < lower.count, [0x20, 0x3E, 0x0A, 0x09].contains(lower[start]),
                let open = lower[start...].firstIndex(of: UInt8(ascii: ">"))
            else { continue }
            let end = find("</\(name)", from: open) ?? min(lower.count, open + 400)
            return Self.words(in: bytes[(open + 1)..<max(open + 1, end)].prefix(1000))
        }
        return nil
    }

    var asksForPassword: Bool {
        ["type=\"password\"", "type='password'", "type=password"].contains { find($0) != nil }
    }

    /// Whether the page shows nothing until a program fills it. `isWhole`: its end is not cut off.
    func isAppShell(isWhole: Bool) -> Bool {
        guard find("<script") != nil, isWhole || find("</body") != nil else { return false }
        let start = find("<body").flatMap { lower[$0...].firstIndex(of: UInt8(ascii: ">")) }.map { $0 + 1 }
        let end = find("</body") ?? lower.count
        guard let start, start < end else { return false }
        let body = without(["script", "style", "noscript", "template", "svg"], start..<end)
        // An element to be filled: by its id, or of a name of the program's own, such as `app-root`.
        let tags = String(decoding: body, as: UTF8.self)
        let hasRoot = tags.contains(" id=") || tags.contains("<app") || tags.contains("-root")
        // While it loads it may say so.
        return hasRoot && Self.words(in: body[...]).count <= 40
    }

    /// The bytes of a part without some elements, comments included.
    private func without(_ names: [String], _ part: Range<Int>) -> [UInt8] {
        var kept: [UInt8] = []
        var place = part.lowerBound
        while place < part.upperBound {
            guard lower[place] == UInt8(ascii: "<") else {
                kept.append(lower[place])
                place += 1
                continue
            }
            let rest = lower[place..<part.upperBound]
            if let name = names.first(where: { rest.starts(with: "<\($0)".utf8) }) {
                let close = find("</\(name)", from: place).map { $0 + name.utf8.count + 3 }
                place = min(close ?? part.upperBound, part.upperBound)
            } else if rest.starts(with: "<!--".utf8) {
                place = min(find("-->", from: place).map { $0 + 3 } ?? part.upperBound, part.upperBound)
            } else {
                kept.append(lower[place])
                place += 1
            }
        }
        return kept
    }

    /// Text for people: tags away, the usual references resolved, blanks as one.
    private static func words(in bytes: ArraySlice<UInt8>) -> String {
        var text: [UInt8] = []
        var isTag = false
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "<"): isTag = true
            case UInt8(ascii: ">") where isTag:
                isTag = false
                text.append(0x20)
            default: if !isTag { text.append(byte) }
            }
        }
        var words = String(decoding: text, as: UTF8.self)
        for (reference, character) in references { words = words.replacing(reference, with: character) }
        return words.onOneLine
    }

    /// The ampersand last: what it gives is no reference any more.
    private static let references = [
        ("&nbsp;", " "), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&#039;", "'"),
        ("&apos;", "'"), ("&rsquo;", "’"), ("&#8217;", "’"), ("&ndash;", "–"), ("&#8211;", "–"), ("&mdash;", "—"),
        ("&middot;", "·"), ("&amp;", "&"),
    ]
}

extension Readings {
    /// The page that the origin sends in place of the file.
    var originPage: WebPage? {
        guard originBody?.syntaxError?.cause == .htmlPage,
            let content = observation.origin.answer.flatMap({ content(of: $0) })
        else { return nil }
        return WebPage(content)
    }
}

extension English {
    static func words(_ page: WebPage) -> Words {
        let title = page.title.map { " titled '\($0)'" } ?? ""
        return Words(
            "Your server sends an HTML page\(title) in place of the file\(kind(page.kind)).", action(page.kind))
    }

    private static func kind(_ kind: WebPage.Kind?) -> String {
        switch kind {
        case .notFound: ": a not-found page with status 200"
        case .login: ": a login page"
        case .maintenance: ": a maintenance page"
        case .appShell: ": the empty page of a single-page app"
        case nil: ""
        }
    }

    private static func action(_ kind: WebPage.Kind?) -> String {
        switch kind {
        case .notFound: "Deploy the file to /.well-known/apple-app-site-association."
        case .login: "Let everybody read /.well-known/apple-app-site-association, without a login."
        case .maintenance: "Take /.well-known/apple-app-site-association out of maintenance mode."
        case .appShell:
            "Exempt /.well-known/apple-app-site-association from the app's catch-all route. Deploy the file there."
        case nil: exemptionFromPages
        }
    }
}
