// Property lists as Apple's tools write them: XML, binary, inside the signature of a provisioning profile, or behind the header
// of a signed binary's entitlements.

import COpenSSL
import Foundation

/// The dictionary at the root of a property list.
struct PropertyList {
    private let members: [String: Any]
    /// A provisioning profile: a property list inside a CMS signature.
    let isSigned: Bool

    /// Why bytes are no such list.
    struct Fault: Error {
        /// Behind the file's name.
        let what: String
    }

    init(_ data: Data) throws(Fault) {
        let signed = Self.signedContent(of: data)
        var content = signed ?? data
        // What `codesign` writes without `--xml` on older systems: the blob of the signature, eight bytes of header first.
        if content.starts(with: [0xFA, 0xDE, 0x71, 0x71]) { content = Data(content.dropFirst(8)) }
        guard let list = try? PropertyListSerialization.propertyList(from: content, format: nil) else {
            throw Fault(what: Self.what(content))
        }
        guard let members = list as? [String: Any] else {
            throw Fault(what: "holds no entitlements; name the .entitlements file of the app")
        }
        self.init(members, isSigned: signed != nil)
    }

    private init(_ members: [String: Any], isSigned: Bool) {
        self.members = members
        self.isSigned = isSigned
    }

    /// Whether a key of it is an entitlement. Xcode begins with a file that has none.
    var isOfEntitlements: Bool {
        members.isEmpty
            || members.keys.contains { key in
                key.hasPrefix("com.apple.") || key.hasSuffix("application-identifier")
                    || ["get-task-allow", "aps-environment", "keychain-access-groups"].contains(key)
            }
    }

    func contains(_ key: String) -> Bool { members[key] != nil }

    /// nil where it is no dictionary.
    func list(_ key: String) -> PropertyList? {
        (members[key] as? [String: Any]).map { PropertyList($0, isSigned: isSigned) }
    }

    func string(_ key: String) -> String? { members[key] as? String }
    func boolean(_ key: String) -> Bool? { members[key] as? Bool }

    /// nil where it is no list, or one of other things.
    func strings(_ key: String) -> [String]? { members[key] as? [String] }

    /// What somebody named in place of the entitlements.
    private static func what(_ data: Data) -> String {
        let magic = [UInt8](data.prefix(4))
        switch magic {
        case [0x50, 0x4B, 0x03, 0x04]:
            return "is an archive; take the app out of it, and its entitlements: "
                + "codesign -d --entitlements - --xml Payload/NAME.app"
        case [0xCA, 0xFE, 0xBA, 0xBE], [0xCF, 0xFA, 0xED, 0xFE], [0xCE, 0xFA, 0xED, 0xFE]:
            return "is a program; its entitlements come from: codesign -d --entitlements - --xml FILE"
        default: break
        }
        if data.starts(with: Data("bplist".utf8)) { return "is a damaged binary property list; write it anew" }
        if data.starts(with: Data("[Dict]".utf8)) {
            return "is what codesign shows to people; add --xml: codesign -d --entitlements - --xml NAME.app"
        }
        return "is no property list; name the .entitlements file of the app"
    }

    /// What a CMS signature was made over; nil where the bytes are none. The signature itself is Apple's business, not ours.
    private static func signedContent(of data: Data) -> Data? {
        // An ASN.1 sequence.
        guard data.first == 0x30 else { return nil }
        return data.withUnsafeBytes { bytes in
            guard let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return nil }
            defer { BIO_free(bio) }
            guard let message = d2i_CMS_bio(bio, nil) else {
                ERR_clear_error()
                return nil
            }
            defer { CMS_ContentInfo_free(message) }
            guard let content = CMS_get0_content(message)?.pointee,
                let start = ASN1_STRING_get0_data(content)
            else { return nil }
            return Data(bytes: start, count: Int(ASN1_STRING_length(content)))
        }
    }
}
