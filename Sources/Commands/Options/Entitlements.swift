// What an app claims, from its entitlements.
// https://developer.apple.com/documentation/bundleresources/entitlements/com.apple.developer.associated-domains

import AASA
import Evidence
import Foundation
import MonitorConfiguration

struct Entitlements {
    static let key = "com.apple.developer.associated-domains"
    /// Of an app for iOS, and of one for the Mac. Only the entitlements of a signed app have it.
    private static let applicationKeys = ["application-identifier", "com.apple.application-identifier"]
    /// Whether a debugger may attach: only where the app is signed for development.
    private static let debuggerKeys = ["get-task-allow", "com.apple.security.get-task-allow"]
    /// The file of an app has a few kilobytes.
    private static let maximumBytes = 1 << 20

    /// The app's ID; nil where the file does not say it, or says something that can be no app's ID.
    let app: String?
    /// The IDs that a profile is for, such as `ABCDE12345.*`.
    let appPattern: String?
    /// nil where the file does not say it.
    let signing: Signing?
    /// Whether it is a web browser, of which the system ignores universal links.
    /// https://developer.apple.com/documentation/technotes/tn3155-debugging-universal-links
    let isBrowser: Bool
    /// Whether it is an App Clip: then it names the app that it belongs to.
    let isClip: Bool
    /// The App Clips that the app's signature names.
    let clips: [String]
    /// In the order of the file; not empty.
    let entries: [Entry]

    enum Signing {
        case development
        /// For TestFlight, the App Store, ad hoc or within a company.
        case distribution
    }

    /// One associated domain, such as `applinks:example.com?mode=developer`.
    struct Entry {
        let text: String
        let meaning: Result<Claim, EntryFault>

        var shown: String { text.displayable.shortened(to: 200) }
    }

    struct Claim {
        /// Such as `applinks`.
        let service: String
        let target: Target
        /// As the entry has it: `*.example.com` covers the hosts below.
        let isWildcard: Bool

        /// Whether devices that read this entry need not read the other one.
        func covers(_ other: Claim) -> Bool {
            guard service == other.service else { return false }
            if target.domain == other.target.domain { return isWildcard || !other.isWildcard }
            return isWildcard && other.target.domain.name.hasSuffix("." + target.domain.name)
        }
    }

    /// Why an entry is no associated domain.
    struct EntryFault: Error {
        let why: String
    }

    /// `path`: `-` is standard input.
    /// - Throws: `CommandFailure` where the file cannot be read, or claims nothing.
    init(at path: String) throws {
        let (name, data) = try Self.read(path)
        let file: PropertyList
        do {
            file = try PropertyList(data)
        } catch {
            throw CommandFailure(.noInput, "\(name) \(error.what)")
        }
        // `security cms -D` takes the list out of a profile.
        let isProfile = file.isSigned || !file.contains(Self.key) && file.contains("Entitlements")
        guard let list = isProfile ? file.list("Entitlements") : file else {
            throw CommandFailure(.noInput, "\(name) holds no entitlements; name the .entitlements file of the app")
        }
        let texts = try Self.texts(list, name, isProfile: isProfile)
        app = Self.applicationKeys.lazy.compactMap { list.string($0) }.first { Expectations.fault(ofApp: $0) == nil }
        if let isDebugged = Self.debuggerKeys.lazy.compactMap({ list.boolean($0) }).first {
            signing = isDebugged ? .development : .distribution
        } else {
            signing = list.boolean("beta-reports-active") == true ? .distribution : nil
        }
        isBrowser = list.boolean("com.apple.developer.web-browser") == true
        appPattern = Self.applicationKeys.lazy.compactMap { list.string($0) }.first { $0.hasSuffix(".*") }
        clips = (list.strings("com.apple.developer.associated-appclip-app-identifiers") ?? []).filter {
            Expectations.fault(ofApp: $0) == nil
        }
        isClip = list.contains("com.apple.developer.parent-application-identifiers")
        entries = texts.map { Entry(text: $0, meaning: Self.meaning($0)) }
    }

    private static func texts(_ list: PropertyList, _ name: String, isProfile: Bool) throws -> [String] {
        // A profile says what the app may claim, which is most often everything.
        if isProfile, list.string(key) == "*" || list.strings(key) == ["*"] {
            throw CommandFailure(
                .noInput,
                "\(name) is a provisioning profile that allows every associated domain ('*'); which ones the app claims "
                    + "is in the signed app: codesign -d --entitlements - --xml NAME.app > App.entitlements")
        }
        guard list.contains(key) else {
            throw CommandFailure(
                .noInput,
                "\(name) names no associated domain ('\(key)')"
                    + (isProfile ? "; the profile is made without the capability Associated Domains" : ""))
        }
        guard let texts = list.strings(key) else {
            throw CommandFailure(.noInput, "'\(key)' in \(name) is no list of texts")
        }
        guard !texts.isEmpty else { throw CommandFailure(.noInput, "\(name) names no associated domain ('\(key)')") }
        return texts
    }

    private static func read(_ path: String) throws -> (name: String, data: Data) {
        let name = path == "-" ? "standard input" : path.displayable
        let data: Data
        do {
            data = Data(
                path == "-"
                    ? try SmallFile.standardInput(limit: maximumBytes + 1)
                    : try SmallFile.bytes(at: path, limit: maximumBytes + 1))
        } catch {
            throw CommandFailure(.noInput, error.description.displayable)
        }
        guard data.count <= maximumBytes else { throw CommandFailure(.noInput, "\(name) is larger than 1 MiB") }
        return (name, data)
    }

    private static func meaning(_ text: String) -> Result<Claim, EntryFault> {
        func fault(_ why: String) -> Result<Claim, EntryFault> { .failure(EntryFault(why: why)) }
        guard !text.contains("$(") && !text.contains("${") else {
            return fault("it holds a build setting; only the signed app's entitlements have its value")
        }
        guard let service = Association.knownServices.first(where: { text.hasPrefix($0 + ":") }) else {
            return fault(
                "it begins with no service; the services are \(Association.knownServices.sorted().joined(separator: ", "))"
            )
        }
        let place = text.dropFirst(service.count + 1)
        guard !place.contains("/"), !place.contains(":") else {
            return fault("a domain alone follows the service: no https://, no port, no path")
        }
        // https://developer.apple.com/documentation/xcode/configuring-an-associated-domain
        guard service != "appclips" || !place.hasPrefix("*") else {
            return fault("App Clips have no wildcards; name each domain")
        }
        do {
            let target = try Target(parsing: text)
            // Several services of one domain share its file.
            return .success(
                Claim(
                    service: service, target: Target(domain: target.domain, mode: target.mode),
                    isWildcard: place.hasPrefix("*.")))
        } catch {
            return fault(error.reason)
        }
    }
}
