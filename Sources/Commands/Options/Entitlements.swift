// What an app claims, from its entitlements.
// https://developer.apple.com/documentation/bundleresources/entitlements/com.apple.developer.associated-domains

import Evidence
import Foundation
import MonitorConfiguration

struct Entitlements {
    static let key = "com.apple.developer.associated-domains"
    /// Of an app for iOS, and of one for the Mac. Only the entitlements of a signed app have it.
    private static let applicationKeys = ["application-identifier", "com.apple.application-identifier"]
    /// The file of an app has a few kilobytes.
    private static let maximumBytes = 1 << 20

    /// The app's ID; nil where the file does not say it, or says it by a build setting.
    let app: String?
    /// In the order of the file.
    let entries: [Entry]

    /// One associated domain, such as `applinks:example.com?mode=developer`.
    struct Entry {
        let text: String
        let meaning: Result<Target, EntryFault>

        /// `applinks`; nil where the entry names none.
        var service: String? { text.firstIndex(of: ":").map { String(text[..<$0]) } }
        var shown: String { text.displayable.shortened(to: 200) }
    }

    /// Why an entry is no domain.
    struct EntryFault: Error {
        let why: String
    }

    /// - Throws: `CommandFailure` where the file cannot be read, or is no list of entitlements.
    init(at path: String) throws {
        let data: Data
        do {
            data = Data(try SmallFile.bytes(at: path, limit: Self.maximumBytes + 1))
        } catch {
            throw CommandFailure(.noInput, error.description.displayable)
        }
        guard data.count <= Self.maximumBytes else { throw CommandFailure(.noInput, "\(path) is larger than 1 MiB") }
        guard let list = try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any] else {
            throw CommandFailure(.noInput, "\(path) is no property list; name the .entitlements file of the app")
        }
        guard let texts = list[Self.key] as? [String] else {
            throw CommandFailure(.noInput, "\(path) has no list of strings '\(Self.key)'; the app claims no domain")
        }
        app = Self.applicationKeys.lazy.compactMap { list[$0] as? String }.first { !Self.isSetting($0) }
        entries = texts.map { Entry(text: $0, meaning: Self.meaning($0)) }
    }

    private static func isSetting(_ text: String) -> Bool { text.contains("$(") || text.contains("${") }

    private static func meaning(_ text: String) -> Result<Target, EntryFault> {
        guard !isSetting(text) else {
            return .failure(EntryFault(why: "it holds a build setting; name its domain itself"))
        }
        do {
            return .success(try Target(parsing: text))
        } catch {
            return .failure(EntryFault(why: error.reason))
        }
    }
}
