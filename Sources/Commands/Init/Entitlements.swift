// The associated domains of an app, from its entitlements.
// https://developer.apple.com/documentation/bundleresources/entitlements/com.apple.developer.associated-domains

import Evidence
import Foundation
import MonitorConfiguration

enum Entitlements {
    static let key = "com.apple.developer.associated-domains"
    /// The file of an app has a few kilobytes.
    private static let maximumBytes = 1 << 20

    /// What an app claims, in its order, and what of it is no domain, with why.
    /// - Throws: `CommandFailure` where the file cannot be read, or is no list of entitlements.
    static func domains(at path: String) throws -> (claimed: [Target], skipped: [(text: String, why: String)]) {
        let data: Data
        do {
            data = Data(try SmallFile.bytes(at: path, limit: maximumBytes + 1))
        } catch {
            throw CommandFailure(.noInput, error.description.displayable)
        }
        guard data.count <= maximumBytes else { throw CommandFailure(.noInput, "\(path) is larger than 1 MiB") }
        guard let list = try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any] else {
            throw CommandFailure(.noInput, "\(path) is no property list; name the .entitlements file of the app")
        }
        guard let entries = list[key] as? [String] else {
            throw CommandFailure(.noInput, "\(path) has no list of strings '\(key)'; the app claims no domain")
        }
        var claimed: [Target] = []
        var skipped: [(text: String, why: String)] = []
        for entry in entries {
            let shown = entry.displayable.shortened(to: 200)
            do {
                guard !entry.contains("$(") else {
                    skipped.append((shown, "it holds a build setting; name its domain as an argument"))
                    continue
                }
                claimed.append(try Target(parsing: entry))
            } catch {
                skipped.append((shown, error.reason))
            }
        }
        return (claimed, skipped)
    }
}
