// Property lists as Apple's tools write them: XML, binary, inside the signature of a provisioning profile, or behind the header
// of a signed binary's entitlements.

import COpenSSL
import Foundation

/// A value of a property list, as far as entitlements use it.
enum PropertyList {
    case dictionary([String: PropertyList])
    case array([PropertyList])
    case string(String)
    case boolean(Bool)
    /// A number, a date, data.
    case other

    /// What a file was found to be.
    enum Container {
        case plain
        /// A provisioning profile: a property list inside a CMS signature.
        case signed
    }

    /// Why bytes are no property list.
    struct Fault: Error {
        let what: String
    }

    /// Deeper lists than any app's, and more values than any file of a megabyte needs.
    private static let (maximumDepth, maximumValues) = (32, 20_000)

    /// - Throws: `Fault`, with words that follow the file's name.
    static func parse(_ data: Data) throws(Fault) -> (list: PropertyList, container: Container) {
        if let signed = signedContent(of: data) { return (try parsePlain(signed), .signed) }
        return (try parsePlain(data), .plain)
    }

    private static func parsePlain(_ data: Data) throws(Fault) -> PropertyList {
        // What `codesign` writes without `--xml` on older systems: the blob of the signature, eight bytes of header first.
        let data = data.starts(with: [0xFA, 0xDE, 0x71, 0x71]) ? Data(data.dropFirst(8)) : data
        if data.starts(with: Data("bplist".utf8)) {
            var reader = BinaryPropertyListReader(Array(data), values: maximumValues, depth: maximumDepth)
            return try reader.read()
        }
        // Foundation's reader of XML descends as deep as the text does.
        guard depth(ofXML: data) <= maximumDepth else { throw Fault(what: "is nested deeper than any property list") }
        guard let list = try? PropertyListSerialization.propertyList(from: data, format: nil) else {
            throw Fault(what: what(data))
        }
        return PropertyList(list)
    }

    private init(_ value: Any) {
        switch value {
        case let members as [String: Any]: self = .dictionary(members.mapValues(PropertyList.init))
        case let elements as [Any]: self = .array(elements.map(PropertyList.init))
        case let text as String: self = .string(text)
        case let flag as Bool: self = .boolean(flag)
        default: self = .other
        }
    }

    subscript(_ key: String) -> PropertyList? {
        if case .dictionary(let members) = self { members[key] } else { nil }
    }

    var string: String? { if case .string(let text) = self { text } else { nil } }
    var boolean: Bool? { if case .boolean(let flag) = self { flag } else { nil } }

    /// nil where it is no list, or one of other things.
    var strings: [String]? {
        guard case .array(let elements) = self else { return nil }
        let texts = elements.compactMap(\.string)
        return texts.count == elements.count ? texts : nil
    }

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
        if data.starts(with: Data("[Dict]".utf8)) {
            return "is what codesign shows to people; add --xml: codesign -d --entitlements - --xml NAME.app"
        }
        return "is no property list; name the .entitlements file of the app"
    }

    /// How deep lists and dictionaries are nested; a little more where comments hold some.
    private static func depth(ofXML data: Data) -> Int {
        let names = [UInt8(ascii: "a"), UInt8(ascii: "d")]
        var (depth, deepest) = (0, 0)
        for tag in data.split(separator: UInt8(ascii: "<")) {
            guard let first = tag.first, let end = tag.firstIndex(of: UInt8(ascii: ">")) else { continue }
            if first == UInt8(ascii: "/"), tag.dropFirst().first.map(names.contains) == true {
                depth -= 1
            } else if names.contains(first), tag[..<end].last != UInt8(ascii: "/") {
                depth += 1
            }
            deepest = max(deepest, depth)
        }
        return deepest
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

/// Reads binary property lists. Foundation's reader has no budget: a list of 200 bytes can name the same list again and again,
/// and unfold to more than any memory holds. The system's libplist would be one more package for these hundred lines.
private struct BinaryPropertyListReader {
    private let bytes: [UInt8]
    private var values: Int
    private let maximumDepth: Int
    private var referenceSize = 0
    private var offsets: (start: Int, size: Int, count: Int) = (0, 0, 0)

    private static let trailerSize = 32
    private static let damaged = PropertyList.Fault(what: "is a damaged binary property list; write it anew")

    /// `values`: how many are read, those that are read twice counted twice.
    init(_ bytes: [UInt8], values: Int, depth: Int) {
        self.bytes = bytes
        self.values = values
        maximumDepth = depth
    }

    mutating func read() throws(PropertyList.Fault) -> PropertyList {
        guard bytes.count > Self.trailerSize + 8 else { throw Self.damaged }
        let trailer = bytes.count - Self.trailerSize
        let (offsetSize, references) = (Int(bytes[trailer + 6]), Int(bytes[trailer + 7]))
        guard (1...8).contains(offsetSize), (1...8).contains(references) else { throw Self.damaged }
        referenceSize = references
        let count = try integer(at: trailer + 8, size: 8)
        let top = try integer(at: trailer + 16, size: 8)
        let start = try integer(at: trailer + 24, size: 8)
        guard count <= bytes.count, start <= trailer, count * offsetSize <= trailer - start else { throw Self.damaged }
        offsets = (start, offsetSize, count)
        return try value(top, depth: 0)
    }

    private mutating func value(_ number: Int, depth: Int) throws(PropertyList.Fault) -> PropertyList {
        guard depth <= maximumDepth, values > 0 else {
            throw PropertyList.Fault(what: "holds more values than any app's entitlements")
        }
        values -= 1
        guard number < offsets.count else { throw Self.damaged }
        let at = try integer(at: offsets.start + number * offsets.size, size: offsets.size)
        guard at < bytes.count - Self.trailerSize else { throw Self.damaged }
        let marker = bytes[at]
        switch marker >> 4 {
        case 0x0: return marker == 0x08 ? .boolean(false) : marker == 0x09 ? .boolean(true) : .other
        case 0x5:
            let (start, count) = try extent(at)
            return .string(String(decoding: try slice(start, count), as: UTF8.self))
        case 0x6:
            let (start, count) = try extent(at)
            let text = try slice(start, count * 2)
            let units = stride(from: text.startIndex, to: text.endIndex - 1, by: 2).map {
                UInt16(text[$0]) << 8 | UInt16(text[$0 + 1])
            }
            return .string(String(decoding: units, as: UTF16.self))
        case 0xA, 0xC:
            let (start, count) = try extent(at)
            _ = try slice(start, count * referenceSize)
            var elements: [PropertyList] = []
            for index in 0..<count {
                let element = try integer(at: start + index * referenceSize, size: referenceSize)
                elements.append(try value(element, depth: depth + 1))
            }
            return .array(elements)
        case 0xD:
            let (start, count) = try extent(at)
            _ = try slice(start, count * 2 * referenceSize)
            var members: [String: PropertyList] = [:]
            for index in 0..<count {
                let key = try integer(at: start + index * referenceSize, size: referenceSize)
                let member = try integer(at: start + (count + index) * referenceSize, size: referenceSize)
                guard case .string(let name) = try value(key, depth: depth + 1) else { throw Self.damaged }
                members[name] = try value(member, depth: depth + 1)
            }
            return .dictionary(members)
        default: return .other
        }
    }

    /// Where the content of a value begins, and how many units it has.
    private func extent(_ at: Int) throws(PropertyList.Fault) -> (start: Int, count: Int) {
        let low = Int(bytes[at] & 0x0F)
        guard low == 0x0F else { return (at + 1, low) }
        // A further integer has the count: 2 to the power of its low half bytes.
        let size = 1 << Int(try slice(at + 1, 1).first.map { $0 & 0x0F } ?? 0)
        guard size <= 8 else { throw Self.damaged }
        let count = try integer(at: at + 2, size: size)
        guard count <= bytes.count else { throw Self.damaged }
        return (at + 2 + size, count)
    }

    private func slice(_ start: Int, _ count: Int) throws(PropertyList.Fault) -> ArraySlice<UInt8> {
        guard start >= 0, count >= 0, start <= bytes.count, count <= bytes.count - start else { throw Self.damaged }
        return bytes[start..<start + count]
    }

    /// Big-endian.
    private func integer(at start: Int, size: Int) throws(PropertyList.Fault) -> Int {
        let value = try slice(start, size).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard let value = Int(exactly: value) else { throw Self.damaged }
        return value
    }
}
