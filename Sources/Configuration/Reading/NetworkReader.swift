import Evidence

/// `network`, `cdn` and `vantages`.
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
                    "expected the name of a host for 'canaries' \(section.title), found \(text.quoted): \(error.reason)",
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
        return Secret(text.value)
    }
}
