// Property lists as Apple's tools write them: XML, binary, inside the signature of a provisioning profile, or after the header
// of a signed binary's entitlements.

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
    /// https://www.rfc-editor.org/rfc/rfc5652#section-5.1
    private static func signedContent(of data: Data) -> Data? {
        let signedData: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
        var file = BER(data)
        guard var message = file.next(0x30), message.next(0x06)?.bytes.elementsEqual(signedData) == true,
            var explicit = message.next(0xA0), var signed = explicit.next(0x30), signed.next(0x02) != nil,
            signed.next(0x31) != nil, var inner = signed.next(0x30), inner.next(0x06) != nil,
            var content = inner.next(0xA0)
        else { return nil }
        return content.octets().map { Data($0) }
    }
}

/// A sequence of ASN.1 values in BER. From a stream, OpenSSL writes values in pieces and without their lengths.
/// https://www.itu.int/rec/T-REC-X.690
private struct BER {
    private(set) var bytes: Data.SubSequence
    /// The levels that may follow. A profile has fewer.
    private let depth: Int

    init(_ bytes: Data.SubSequence, depth: Int = 32) { (self.bytes, self.depth) = (bytes, depth) }

    /// The content of the next value, if it has the wanted tag; nil wants any tag.
    mutating func next(_ wanted: UInt8? = nil) -> BER? {
        guard depth > 0, let tag = bytes.first, tag == wanted ?? tag, tag & 0x1F != 0x1F else { return nil }
        var rest = BER(bytes.dropFirst(2), depth: depth - 1)
        guard let first = bytes.dropFirst().first else { return nil }
        let start = rest.bytes.startIndex
        if first == 0x80 {
            // Without a length: it ends with two zero bytes.
            while !rest.bytes.starts(with: [0, 0]) { guard rest.next() != nil else { return nil } }
            defer { bytes = rest.bytes.dropFirst(2) }
            return BER(bytes[start..<rest.bytes.startIndex], depth: depth - 1)
        }
        let count = first < 0x80 ? 0 : Int(first & 0x7F)
        let length = count == 0 ? Int(first) : rest.bytes.prefix(min(count, 4)).reduce(0) { $0 << 8 | Int($1) }
        guard count <= 4, rest.bytes.count >= count + length else { return nil }
        rest.bytes = rest.bytes.dropFirst(count)
        defer { bytes = rest.bytes.dropFirst(length) }
        return BER(rest.bytes.prefix(length), depth: depth - 1)
    }

    /// The bytes of an OCTET STRING, which may consist of several.
    mutating func octets() -> [UInt8]? {
        if let whole = next(0x04) { return Array(whole.bytes) }
        guard var parts = next(0x24) else { return nil }
        var result: [UInt8] = []
        while !parts.bytes.isEmpty {
            guard let part = parts.octets() else { return nil }
            result += part
        }
        return result
    }
}
