// Property lists as Apple's tools write them: XML, binary, inside the signature of a provisioning profile, or after the header
// of a signed binary's entitlements.

import COpenSSL
import Foundation

/// The dictionary at the root of a property list.
struct PropertyList {
    private let members: [String: Any]
    /// A provisioning profile: a property list inside a CMS signature.
    let isSigned: Bool

    /// Why bytes are not a property list.
    struct Fault: Error {
        /// Comes after the file's name.
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

    /// Whether it has the key of an entitlement. A new file from Xcode is empty.
    var isOfEntitlements: Bool {
        members.isEmpty
            || members.keys.contains { key in
                key.hasPrefix("com.apple.") || key.hasSuffix("application-identifier")
                    || ["get-task-allow", "aps-environment", "keychain-access-groups"].contains(key)
            }
    }

    func contains(_ key: String) -> Bool { members[key] != nil }

    /// nil if it is not a dictionary.
    func list(_ key: String) -> PropertyList? {
        (members[key] as? [String: Any]).map { PropertyList($0, isSigned: isSigned) }
    }

    func string(_ key: String) -> String? { members[key] as? String }
    func boolean(_ key: String) -> Bool? { members[key] as? Bool }

    /// nil if it is not a list of strings.
    func strings(_ key: String) -> [String]? { members[key] as? [String] }

    /// What the file is, if not entitlements.
    private static func what(_ data: Data) -> String {
        let magic = [UInt8](data.prefix(4))
        switch magic {
        case [0x50, 0x4B, 0x03, 0x04]:
            return "is an archive; unpack it, then extract the entitlements of the app: "
                + "codesign -d --entitlements - --xml Payload/NAME.app"
        case [0xCA, 0xFE, 0xBA, 0xBE], [0xCF, 0xFA, 0xED, 0xFE], [0xCE, 0xFA, 0xED, 0xFE]:
            return "is a program; extract its entitlements: codesign -d --entitlements - --xml FILE"
        default: break
        }
        if data.starts(with: Data("bplist".utf8)) { return "is a damaged binary property list; create it again" }
        if data.starts(with: Data("[Dict]".utf8)) {
            return "is the text output of codesign; add --xml: codesign -d --entitlements - --xml NAME.app"
        }
        return "is not a property list; name the .entitlements file of the app"
    }

    /// The content of a CMS signature; nil if the bytes are not one. We do not verify the signature.
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
