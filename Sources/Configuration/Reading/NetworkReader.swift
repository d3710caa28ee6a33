// Reads `network`, `cdn` and `vantages`.

import Evidence
import Facts

enum NetworkReader {
    static func network(_ section: Section?) -> NetworkSettings {
        var result = NetworkSettings()
        guard let section else { return result }
        if let value = section.integer("max_concurrent", in: 1...1000) { result.maxConcurrent = value }
        if let path = section.text("ca_file", "a path") { result.caFile = section.reading.place(path.value) }
        result.connectTo = overrides(section, "connect_to", HostOverride.connectToForm, HostOverride.isConnectTo)
        result.resolve = overrides(section, "resolve", HostOverride.resolveForm, HostOverride.isResolve)
        result.proxy = proxy(section)
        result.canaries = canaries(section)
        section.close()
        return result
    }

    private static func canaries(_ section: Section) -> [String] {
        let nodes = section.list("canaries") ?? []
        if let eleventh = nodes.dropFirst(10).first {
            section.reading.error(
                "'canaries' \(section.title) has \(nodes.count) hosts, and 10 at most are asked", at: eleventh.position)
        }
        var hosts: [String] = []
        for node in nodes {
            guard let text = section.text(node, "canaries", "the name of a host such as www.example.com") else {
                continue
            }
            do {
                let host = try Domain(text.value).name
                guard !hosts.contains(host) else {
                    section.reading.error("host \(text.quoted) is given twice in 'canaries'", at: text.position)
                    continue
                }
                hosts.append(host)
            } catch {
                section.reading.error(
                    "expected the name of a host for 'canaries' \(section.title), found "
                        + "\(text.quoted)\(text.reason(error.reason))",
                    at: text.position)
            }
        }
        return hosts
    }

    static func cdn(_ section: Section?) -> CDNSettings {
        var result = CDNSettings()
        guard let section else { return result }
        if let url = section.text("base_url", "an https URL") {
            if let fault = WebAddress.fault(url.value, isBase: true) {
                section.reading.error("'base_url' \(section.title) \(fault)", at: url.position)
            } else {
                result.baseURL = url.value
                while result.baseURL.hasSuffix("/") { result.baseURL.removeLast() }
            }
        }
        if let value = section.boolean("edges") { result.edges = value }
        if let value = section.positiveNumber("requests_per_second", upTo: 10_000) { result.requestsPerSecond = value }
        if let value = section.boolean("ask_before_origin") { result.askBeforeOrigin = value }
        section.close()
        return result
    }

    static func vantages(_ root: Section) -> [Vantage] {
        var result: [Vantage] = []
        var lines: [String: Int] = [:]
        for node in root.list("vantages", isConcealed: true) ?? [] {
            guard case .mapping(let entries) = node.content else {
                root.mismatch("vantages", "a mapping with the keys 'name' and 'proxy'", node, isConcealed: true)
                continue
            }
            let section = Section(
                entries: entries, position: node.position, title: "in an entry of 'vantages'", path: "vantages[]",
                isConcealed: true, reading: root.reading)
            let name = section.name("vantage")
            let proxy = proxy(section, isRequired: true)
            section.close()
            guard let name else { continue }
            if name.value == "local" {
                root.reading.error(
                    "a vantage cannot be named 'local'; that is the monitor's own place", at: name.position)
            }
            if let line = lines[name.value] {
                root.reading.error(
                    "vantage \(name.quoted) is given twice; it is already given at line \(line)", at: name.position)
            }
            lines[name.value] = lines[name.value] ?? name.position.line
            if let proxy { result.append(Vantage(name: name.value, proxy: proxy)) }
        }
        return result
    }

    private static func overrides(
        _ section: Section, _ key: String, _ form: String, _ isValid: (String) -> Bool
    ) -> [String] {
        (section.list(key) ?? []).compactMap { node in
            guard let text = section.text(node, key, "a text of the form \(form)") else { return nil }
            guard isValid(text.value) else {
                section.reading.error(
                    "expected the form \(form) for '\(key)' \(section.title), found \(text.quoted)", at: text.position)
                return nil
            }
            return text.value
        }
    }

    private static func proxy(_ section: Section, isRequired: Bool = false) -> Secret? {
        guard
            let text = section.text("proxy", "the URL of a proxy", isRequired: isRequired, isConcealed: true)
        else { return nil }
        if let fault = WebAddress.proxyFault(text.value) {
            section.reading.error("'proxy' \(section.title) \(fault)", at: text.position)
            return nil
        }
        if WebAddress.hasPassword(text.value) {
            section.reading.warnOfReaders(ofTheFileWith: text, for: "proxy", section.title)
        }
        return Secret(text.value)
    }
}

/// Whether the limit for Apple's CDN allows as many requests as the domains need.
enum CDNLoad {
    /// The most addresses that the CDN's name has had (observed).
    private static let edges = 8.0

    /// Warns if the limit is too low even while nothing is wrong: checks would always be late.
    static func check(_ file: ConfigurationFile, _ section: Section?, _ reading: Reading) {
        let watched = file.domains.filter { $0.mode.readsCDN }
        let needed = watched.reduce(0) { sum, domain in
            sum + 1 / (domain.checks.interval / .seconds(1))
                + (file.cdn.edges ? edges / (domain.checks.fullEvery / .seconds(1)) : 0)
        }
        let limit = file.cdn.requestsPerSecond
        guard needed > limit else { return }
        let count = watched.count == 1 ? "1 domain needs" : "\(watched.count) domains need"
        reading.warning(
            "\(count) \(Int(needed.rounded(.up))) requests a second to Apple's CDN, one at each 'interval'"
                + (file.cdn.edges ? " and one to each of up to 8 edges every 'full_every'" : "")
                + ", more than 'requests_per_second' allows, so checks will be late; raise it, or the 'interval'",
            at: section?.entry("requests_per_second")?.position ?? section?.position ?? .start)
    }
}

/// The formats of curl's --connect-to and --resolve, checked here so that a mistake is reported with its line, not at
/// the first request. https://curl.se/docs/manpage.html#--connect-to
enum HostOverride {
    static let connectToForm = "HOST1:PORT1:HOST2:PORT2"
    static let resolveForm = "HOST:PORT:ADDRESS[,ADDRESS]..."

    /// Each of the four parts may be empty; IPv6 addresses are in brackets.
    static func isConnectTo(_ text: String) -> Bool {
        guard let parts = fields(text), parts.count == 4 else { return false }
        return [0, 2].allSatisfy { parts[$0].isEmpty || isHost(parts[$0]) }
            && [1, 3].allSatisfy { parts[$0].isEmpty || isPort(parts[$0]) }
    }

    /// `*` matches every host; a leading `+` lets the entry time out, as with curl.
    static func isResolve(_ text: String) -> Bool {
        let rest = text.hasPrefix("+") ? text.dropFirst() : Substring(text)
        guard let (host, afterHost) = head(rest), isHost(host) || host == "*",
            let colon = afterHost.firstIndex(of: ":"), isPort(afterHost[..<colon])
        else { return false }
        return afterHost[afterHost.index(after: colon)...]
            .split(separator: ",", omittingEmptySubsequences: false)
            .allSatisfy { address in
                let isBracketed = address.hasPrefix("[") && address.hasSuffix("]")
                return isBracketed
                    ? WebAddress.isAddress6(String(address.dropFirst().dropLast()))
                    : WebAddress.isAddress4(String(address)) || WebAddress.isAddress6(String(address))
            }
    }

    /// Parses `HOST:PORT` of `server.listen`; returns the host without brackets. Port 0 is allowed.
    static func listen(_ text: String) -> (host: String, port: Int)? {
        guard let (host, port) = head(Substring(text)), isHost(host), let number = Int(port),
            (0...65_535).contains(number), port.isOfDigits
        else { return nil }
        return (host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : String(host), number)
    }

    private static func fields(_ text: String) -> [Substring]? {
        var rest = Substring(text)
        var result: [Substring] = []
        while let (part, others) = head(rest) {
            result.append(part)
            rest = others
        }
        return rest.hasPrefix("[") && !rest.hasSuffix("]") ? nil : result + [rest]
    }

    /// The text before the next colon outside of brackets, and the text after it.
    private static func head(_ text: Substring) -> (Substring, Substring)? {
        var start = text.startIndex
        if text.hasPrefix("[") {
            guard let close = text.firstIndex(of: "]") else { return nil }
            start = text.index(after: close)
        }
        guard let colon = text[start...].firstIndex(of: ":") else { return nil }
        return (text[..<colon], text[text.index(after: colon)...])
    }

    private static func isHost(_ text: Substring) -> Bool {
        if text.hasPrefix("["), text.hasSuffix("]") {
            return WebAddress.isAddress6(String(text.dropFirst().dropLast()))
        }
        return !text.isEmpty && text.utf8.count <= 253
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.utf8.allSatisfy { (48...57).contains($0) } && Int(text).map { (1...65_535).contains($0) } == true
    }
}
