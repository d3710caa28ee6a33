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
    /// The file of an app has a few kilobytes.
    private static let maximumBytes = 1 << 20

    /// The app's ID; nil where the file does not say it, or says something that can be no app's ID.
    let app: String?
    /// In the order of the file; not empty.
    let entries: [Entry]

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
    }

    /// Why an entry is no associated domain.
    struct EntryFault: Error {
        let why: String
    }

    /// `path`: `-` is standard input.
    /// - Throws: `CommandFailure` where the file cannot be read, or claims nothing.
    init(at path: String) throws {
        let (name, data) = try Self.read(path)
        // A binary list of 200 bytes can name the same list again and again, and unfold to more than any memory holds.
        guard !data.starts(with: Data("bplist".utf8)) else {
            throw CommandFailure(.noInput, "\(name) is a binary property list; convert it: plutil -convert xml1 FILE")
        }
        guard let list = try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any] else {
            throw CommandFailure(.noInput, "\(name) is no property list; name the .entitlements file of the app")
        }
        let texts = list[Self.key] ?? [String]()
        guard let texts = texts as? [String] else {
            throw CommandFailure(.noInput, "'\(Self.key)' in \(name) is no list of texts")
        }
        guard !texts.isEmpty else {
            throw CommandFailure(.noInput, "\(name) names no associated domain ('\(Self.key)')")
        }
        app = Self.applicationKeys.lazy.compactMap { list[$0] as? String }.first {
            Expectations.fault(ofApp: $0) == nil
        }
        entries = texts.map { Entry(text: $0, meaning: Self.meaning($0)) }
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
            return .success(Claim(service: service, target: Target(domain: target.domain, mode: target.mode)))
        } catch {
            return fault(error.reason)
        }
    }
}
