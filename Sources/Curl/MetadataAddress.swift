// The addresses where clouds offer the metadata of a machine, with its credentials: all link-local ones, as nearly every
// cloud uses 169.254.169.254, and the others that providers document.

extension IPAddress {
    /// Whether 4 or 16 bytes in network order are a metadata address, also within an IPv6 address that stands for an IPv4 one.
    static func isMetadata(bytes: [UInt8]) -> Bool {
        scope(bytes: bytes) == .linkLocal || metadata.contains(bytes)
            || bytes.count == 16 && (bytes.starts(with: aws) || innerV4(bytes).contains(where: isMetadata))
    }

    private static let metadata = Set(
        [
            // Alibaba Cloud; Oracle Cloud; Azure's wire server.
            "100.100.100.200", "192.0.0.192", "168.63.129.16",
            // Google Cloud; Oracle Cloud; Akamai (Linode); Scaleway.
            "fd20:ce::254", "fd00:c1::a9fe:a9fe", "fd00:a9fe:a9fe::1", "fd00:42::42",
        ].compactMap(bytes))

    /// fd00:ec2::/32, with ::254 for metadata and ::23 for the credentials of containers.
    private static let aws: [UInt8] = [0xfd, 0x00, 0x0e, 0xc2]

    /// The IPv4 addresses that an IPv6 address may stand for: mapped and compatible ones, both NAT64 prefixes with each
    /// length of RFC 6052, 6to4. Of a local NAT64 prefix (RFC 8215) nobody but its operator knows the length.
    private static func innerV4(_ bytes: [UInt8]) -> [[UInt8]] {
        let last = Array(bytes[12...])
        if bytes.starts(with: [0x20, 0x02]) { return [Array(bytes[2..<6])] }
        if bytes.starts(with: [0x00, 0x64, 0xff, 0x9b, 0x00, 0x01]) {
            let lengths = [[6, 7, 9, 10], [7, 9, 10, 11], [9, 10, 11, 12]].map { places in places.map { bytes[$0] } }
            return lengths + [last]
        }
        let zeros = [UInt8](repeating: 0, count: 10)
        let isMapped = bytes.starts(with: zeros + [0xff, 0xff]) || bytes.starts(with: zeros + [0, 0])
        let isTranslated = bytes.starts(with: [0x00, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0])
        return isMapped || isTranslated ? [last] : []
    }
}
