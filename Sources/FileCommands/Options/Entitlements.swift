// What an app claims, from its entitlements.
// https://developer.apple.com/documentation/bundleresources/entitlements/com.apple.developer.associated-domains

import AASA
import Evidence
import Foundation
import Facts

package struct Entitlements {
    package static let key = "com.apple.developer.associated-domains"
    /// For iOS and for the Mac. Only the entitlements of a signed app have one.
    private static let applicationKeys = ["application-identifier", "com.apple.application-identifier"]
    /// Whether a debugger may attach: only if the app is signed for development.
    private static let debuggerKeys = ["get-task-allow", "com.apple.security.get-task-allow"]
    /// The file of an app has a few kilobytes.
    private static let maximumBytes = 1 << 20

    /// Its ID is nil if the file does not contain one, or contains one that is not valid.
    let app: ClaimingApp
    /// The IDs that a profile is for, such as `ABCDE12345.*`.
    let appPattern: String?
    /// In the order of the file.
    package let entries: [Entry]
    /// Why there is no entry, in a sentence.
    let absence: String?

    /// One associated domain, such as `applinks:example.com?mode=developer`.
    package struct Entry {
        package let text: String
        package let meaning: Result<AssociatedDomain, AssociatedDomainFault>

        /// Quoted if it consists of spaces only, which would be invisible.
        package var shown: String {
            let shown = text.displayable.shortened(to: 200)
            return text.allSatisfy(\.isWhitespace) ? "'\(shown)'" : shown
        }

        init(_ text: String) {
            self.text = text
            do throws(AssociatedDomainFault) {
                meaning = .success(try AssociatedDomain(parsing: text))
            } catch {
                meaning = .failure(error)
            }
        }
    }

    var claims: [AssociatedDomain] { entries.compactMap { try? $0.meaning.get() } }

    /// `path`: `-` is standard input.
    /// - Throws: `CommandFailure` if the file cannot be read, or does not contain an app's entitlements.
    package init(at path: String) throws {
        let (name, data) = try Self.read(path)
        let file: PropertyList
        do {
            file = try PropertyList(data)
        } catch {
            throw CommandFailure(.noInput, "\(name) \(error.what)")
        }
        // `security cms -D` takes the list out of a profile.
        let isProfile = file.isSigned || !file.contains(Self.key) && file.contains("Entitlements")
        guard let list = isProfile ? file.list("Entitlements") : file, isProfile || list.isOfEntitlements else {
            throw CommandFailure(.noInput, "\(name) holds no entitlements; name the .entitlements file of the app")
        }
        // A profile says what the app may claim, usually everything.
        if isProfile, list.string(Self.key) == "*" || list.strings(Self.key) == ["*"] {
            throw CommandFailure(
                .noInput,
                "\(name) is a provisioning profile that allows every associated domain ('*'); get the app's own list from "
                    + "the signed app: codesign -d --entitlements - --xml NAME.app > App.entitlements")
        }
        let ids = Self.applicationKeys.compactMap { list.string($0) }
        appPattern = ids.first { $0.hasSuffix(".*") }
        let isDebugged = Self.debuggerKeys.lazy.compactMap { list.boolean($0) }.first
        app = ClaimingApp(
            id: ids.first { Expectations.fault(ofApp: $0) == nil },
            isClip: list.contains("com.apple.developer.parent-application-identifiers"),
            clips: (list.strings("com.apple.developer.associated-appclip-app-identifiers") ?? []).filter {
                Expectations.fault(ofApp: $0) == nil
            },
            isBrowser: list.boolean("com.apple.developer.web-browser") == true,
            isManaged: list.boolean(Self.key + ".mdm-managed") == true,
            isForDistribution: isDebugged.map { !$0 } ?? (list.boolean("beta-reports-active") == true ? true : nil))
        entries = (list.strings(Self.key) ?? []).map(Entry.init)
        absence =
            !list.contains(Self.key)
            ? "The \(isProfile ? "profile is made" : "app is signed") without the entitlement \(Self.key)."
            : list.strings(Self.key) == nil
                ? "The entitlement \(Self.key) is not a list of strings."
                : entries.isEmpty ? "The entitlement \(Self.key) is an empty list." : nil
    }

    private static func read(_ path: String) throws -> (name: String, data: Data) {
        let name = path == "-" ? "standard input" : path.displayable
        let data: Data
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
            throw CommandFailure(
                .noInput,
                "'\(name)' is a folder; take the entitlements out of an app: codesign -d --entitlements - --xml NAME.app"
            )
        }
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
}
