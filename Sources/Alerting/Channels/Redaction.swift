// What is hidden in the words of receivers and libraries, which like to quote what they were sent.

import Foundation

extension Channel {
    /// The text with everything taken out that could open the channel: the URL, its path, query and user, the tokens, and
    /// each longer part of these, also in the escaped forms of JSON and of URLs.
    func redacted(_ text: String) -> String {
        var clean = text
        // Longest first: a part replaced early would hide the whole from being found.
        for secret in secrets.sorted(by: { $0.count > $1.count }) {
            clean = clean.replacingOccurrences(of: secret, with: "[hidden]")
        }
        return clean
    }

    private var secrets: Set<String> {
        // Shorter parts are words such as `hooks` and `api`.
        var found = urlParts.filter { $0.count >= 6 && !isOfHome($0) }
        for secret in [token, kind == .ntfy ? destination : nil].compactMap(\.self) {
            found.insert(secret)
            // `123456:ABC…`, the form of Telegram's tokens: the second part alone opens the door.
            found.formUnion(secret.split(separator: ":").dropFirst().map(String.init).filter { $0.count >= 6 })
        }
        if kind == .email, let token {
            // As a login sends it.
            found.insert(Data(token.utf8).base64EncodedString())
            if let username = mail?.username {
                found.insert(Data("\u{0}\(username)\u{0}\(token)".utf8).base64EncodedString())
            }
        }
        // Arguments of a command: `--token=…` by its value, too.
        for word in words.dropFirst() {
            found.formUnion(([word] + word.split(separator: "=").map(String.init)).filter { $0.count >= 6 })
        }
        for key in signingKeys {
            found.insert(key.base64EncodedString())
            if let text = String(validating: key, as: UTF8.self) { found.insert(text) }
        }
        found.formUnion(found.compactMap { $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) })
        found.formUnion(found.compactMap { $0.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) })
        found.formUnion(found.map { $0.replacingOccurrences(of: "/", with: #"\/"#) })
        return found.filter { !$0.isEmpty }
    }

    private var urlParts: Set<String> {
        guard let parts = URLComponents(string: url) else { return [url] }
        var found: Set<String> = [url, parts.percentEncodedPath, parts.path]
        found.formUnion([parts.percentEncodedQuery, parts.query, parts.user, parts.password].compactMap(\.self))
        found.formUnion(parts.path.split(separator: "/").map(String.init))
        found.formUnion((parts.queryItems ?? []).compactMap(\.value))
        return found
    }

    private func isOfHome(_ part: String) -> Bool { kind.home?.contains(part) ?? false }
}
