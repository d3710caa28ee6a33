// One associated domain of an app, as its entitlements have it: `applinks:*.example.com?mode=developer`.
// https://developer.apple.com/documentation/xcode/configuring-an-associated-domain

import AASA
import Facts
import Foundation

package struct AssociatedDomain: Equatable, Sendable {
    /// Such as `applinks`.
    package let service: String
    /// Whose file devices read: that of `*.example.com` is at `example.com`.
    package let domain: Domain
    package let mode: AssociationMode
    /// As the entry has it: `*.example.com` covers the hosts below.
    package let isWildcard: Bool

    /// Reads an entry as far as possible, to suggest a correction for a misspelt one.
    /// - Throws: `AssociatedDomainFault` unless devices understand it too.
    package init(parsing text: String) throws(AssociatedDomainFault) {
        guard !text.contains("$("), !text.contains("${") else {
            throw AssociatedDomainFault(
                "it contains a build setting; only the signed app's entitlements have its value")
        }
        guard text.utf8.count <= 1000 else { throw AssociatedDomainFault("it is longer than any domain") }
        let parts = text.split { $0 == "," || $0 == ";" || $0.isNewline }
        if parts.count > 1, parts.allSatisfy({ $0.contains(".") }), let service = EntryReading(String(parts[0])).named {
            let entries = parts.map { EntryReading(String($0)).named == nil ? "\(service):\($0)" : String($0) }
            throw AssociatedDomainFault(
                "it contains \(parts.count) entries; write each as its own entry",
                write: entries.compactMap(Self.correct))
        }
        let reading = EntryReading(text)
        let meant = reading.meant
        if case .success(let meant) = meant, reading.faults.isEmpty {
            self = meant
            return
        }
        var faults = reading.faults
        if case .failure(let fault) = meant {
            guard !faults.isEmpty else { throw fault }
            if !fault.why.isEmpty { faults.append(fault.why) }
        }
        throw AssociatedDomainFault(faults.joined(separator: "; "), write: [Self.correct(text)].compactMap(\.self))
    }

    fileprivate init(_ service: String, _ domain: Domain, _ mode: AssociationMode, isWildcard: Bool) {
        self.service = service
        self.domain = domain
        self.mode = mode
        self.isWildcard = isWildcard
    }

    /// The entry that a text means; nil if that is not clear.
    private static func correct(_ text: String) -> String? {
        switch EntryReading(text).meant {
        case .success(let meant): meant.text
        case .failure(let fault): fault.write.first
        }
    }

    /// What an unreadable target that names a service means; nil if that is not clear.
    package static func correction(ofTarget text: String) -> String? {
        text.utf8.count <= 1000 && EntryReading(text).named != nil ? correct(text) : nil
    }

    package var text: String {
        "\(service):\(isWildcard ? "*." : "")\(domain)" + (mode == .production ? "" : "?mode=\(mode.rawValue)")
    }

    /// The same domain and mode for another service. App Clips have no wildcards.
    package func of(_ service: String) -> AssociatedDomain {
        AssociatedDomain(service, domain, mode, isWildcard: isWildcard && service != "appclips")
    }

    /// The same for every device.
    package var inProduction: AssociatedDomain {
        AssociatedDomain(service, domain, .production, isWildcard: isWildcard)
    }

    /// Whether devices that read this entry need not read the other one.
    package func covers(_ other: AssociatedDomain) -> Bool {
        guard service == other.service else { return false }
        if domain == other.domain { return isWildcard || !other.isWildcard }
        return isWildcard && other.domain.name.hasSuffix("." + domain.name)
    }
}

/// Why an entry is not an associated domain.
package struct AssociatedDomainFault: Error, Equatable {
    /// A clause, in words for its author.
    package let why: String
    /// What the author means; empty if that is not clear.
    package let write: [String]
    /// Whether only devices can read it.
    package let isOfDeviceAlone: Bool

    fileprivate init(_ why: String, write: [String] = [], isOfDeviceAlone: Bool = false) {
        self.why = why.displayable.shortened(to: 300)
        self.write = write
        self.isOfDeviceAlone = isOfDeviceAlone
    }

    /// `it does not begin with a service: write applinks:example.com`
    package var words: String { write.isEmpty ? why : "\(why): write \(write.joined(separator: " and "))" }
}

/// The parts of an entry, in spite of its mistakes. All of these occur: spaces, a scheme, a path, a colon for the dot, a
/// wildcard without its dot, a missing service, a misspelt mode.
private struct EntryReading {
    private(set) var faults: [String] = []
    /// The service that it begins with; nil if it begins with none.
    private(set) var named: String?
    private var service: String?
    private var host = ""
    private var isWildcard = false
    private var mode: AssociationMode? = .production

    init(_ text: String) {
        let plain = String(text.unicodeScalars.filter { !Self.isDecoration($0) })
        if plain != text {
            faults.append(
                text.contains(where: \.isWhitespace)
                    ? "it contains a space" : "it contains a character that no domain has")
        }
        let rest = takeService(from: text, plain)
        let start = rest.firstIndex { "?&#".contains($0) } ?? rest.endIndex
        takeHost(from: rest[..<start])
        if start < rest.endIndex { takeMode(from: rest[start...]) }
        if isWildcard, service == "appclips" {
            faults.append("App Clips have no wildcards; name each domain")
            isWildcard = false
        }
    }

    private static func isDecoration(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || scalar.properties.generalCategory == .format
            || "\"'“”‘’".unicodeScalars.contains(scalar)
    }

    /// What follows the service.
    private mutating func takeService(from text: String, _ plain: String) -> Substring {
        let end = plain.firstIndex { ":=/?：".contains($0) } ?? plain.endIndex
        let name = String(plain[..<end])
        let known = Association.knownServices.contains(name) ? name : Association.service(near: name)
        let isScheme = ["https", "http"].contains(name.lowercased())
        if let known, end < plain.endIndex, plain[end] != "?" {
            (named, service) = (known, known)
            let written = text.prefix { !":=/：".contains($0) }
            if written != known { faults.append("'\(written)' is not a service") }
            if plain[end] != ":" { faults.append("a colon must follow the service") }
            let rest = plain[plain.index(after: end)...]
            let bare = rest.drop { ":/".contains($0) }
            if rest.startIndex != bare.startIndex { faults.append("the domain must follow the service's colon") }
            return bare
        }
        let services = Association.knownServices.sorted().joined(separator: ", ")
        if end < plain.endIndex, plain[end] == ":", !isScheme, !name.contains("."), !name.isEmpty {
            // A port of a host without a dot, or an unknown service.
            faults.append("'\(name)' is not a service; the services are \(services)")
            return plain[plain.index(after: end)...]
        }
        faults.append("it does not begin with a service; the services are \(services)")
        // Most apps mean links.
        service = "applinks"
        return plain[...]
    }

    private mutating func takeHost(from text: Substring) {
        var rest = text
        for scheme in ["https://", "http://", "https:", "http:"] where rest.lowercased().hasPrefix(scheme) {
            faults.append("'\(scheme)' does not belong in it")
            rest = rest.dropFirst(scheme.count).drop { $0 == "/" }
            break
        }
        let authority = rest.prefix { $0 != "/" }
        let path = rest[authority.endIndex...]
        if path == "/" {
            faults.append("a slash at the end does not belong in it")
        } else if !path.isEmpty {
            faults.append("the path '\(path)' does not belong in it: the file says which paths open the app")
        }
        host = String(authority)
        takePort()
        if host.contains(",") {
            faults.append("a comma is not a dot")
            host = host.replacing(",", with: ".")
        }
        guard host.hasPrefix("*") else { return }
        isWildcard = true
        let bare = String(host.drop { "*.".contains($0) })
        if host != "*." + bare { faults.append("a wildcard must begin with one '*.'") }
        host = bare
    }

    private mutating func takePort() {
        // Those of an IPv6 address, [::1], are its own.
        guard !host.hasPrefix("["), let colon = host.firstIndex(of: ":") else { return }
        let port = host[host.index(after: colon)...]
        if port.allSatisfy(\.isNumber) {
            faults.append("a port (':\(port)') does not belong in it")
            host = String(host[..<colon])
        } else {
            faults.append("a second colon begins a port, and '\(port)' is not a port: use a dot")
            host = host.replacing(":", with: ".")
        }
    }

    private mutating func takeMode(from text: Substring) {
        let modes = "the modes are developer, managed and developer+managed"
        if text.first != "?" { faults.append("the mode must begin with '?'") }
        for parameter in text.split(whereSeparator: { "?&#".contains($0) }) {
            let name = parameter.prefix { $0 != "=" }
            let value = parameter.dropFirst(name.count).drop { $0 == "=" }
            // `?developer` is only the value.
            let known = Self.mode(value.isEmpty ? name : value)
            if name == "mode" {
                if known.map({ $0 == .production || $0.rawValue != value }) ?? true {
                    faults.append("'\(value)' is not a mode; \(modes)")
                }
                mode = known
            } else {
                faults.append("'\(name)' is not a parameter; the only one is mode, as in ?mode=developer")
                if let known { mode = known }
            }
        }
        if text.split(whereSeparator: { "?&#".contains($0) }).isEmpty {
            faults.append("'\(text)' does not belong in it")
        }
    }

    /// The mode that is meant; nil if that is not clear.
    private static func mode(_ text: Substring) -> AssociationMode? {
        let words = Set(text.lowercased().replacing("%20", with: "").split { "+,|".contains($0) })
        let developer: Set<Substring> = ["developer", "dev", "develop", "development", "debug"]
        let isDeveloper = !words.isDisjoint(with: developer)
        let isManaged = words.contains("managed") || words.contains("mdm")
        guard words.isSubset(of: developer.union(["managed", "mdm"])) else {
            return ["production", "prod", "release"].contains(text.lowercased()) ? .production : nil
        }
        return isDeveloper ? isManaged ? .developerManaged : .developer : isManaged ? .managed : nil
    }

    /// What the author means.
    var meant: Result<AssociatedDomain, AssociatedDomainFault> {
        // Each has a fault of its own that says what is not clear.
        guard let service, let mode else { return .failure(AssociatedDomainFault("")) }
        let reason: DomainFault
        do {
            return .success(AssociatedDomain(service, try Domain(host), mode, isWildcard: isWildcard))
        } catch {
            reason = error
        }
        // Devices accept the device itself, or an address, only in developer mode.
        let isLocal = host.lowercased() == "localhost"
        guard isLocal || HostAddress(host: host) != nil else {
            return .failure(AssociatedDomainFault(reason.reason))
        }
        let what = isLocal ? "localhost is the device itself" : "\(host) is an address, not a domain"
        guard mode == .developer || mode == .developerManaged else {
            return .failure(
                AssociatedDomainFault(
                    "\(what), which devices read only in developer mode",
                    write: ["\(service):\(host)?mode=developer"]))
        }
        return .failure(
            AssociatedDomainFault(
                "\(what), which phones in developer mode read; it cannot be checked from here", isOfDeviceAlone: true)
        )
    }
}
