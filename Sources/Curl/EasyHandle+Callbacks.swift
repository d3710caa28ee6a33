// libcurl's callbacks. They run on the driver's thread, inside `curl_multi_perform`; their context is the `Transfer`, which
// the driver holds for as long as its handle is in the multi handle. None of them calls back into libcurl to change it.

import CCurl
import Glibc

extension EasyHandle {
    func setCallbacks(_ transfer: Transfer) throws(CurlError) {
        let context = transfer.context
        try set(
            CURLOPT_HEADERFUNCTION,
            data: { data, size, count, context in
                guard let data, let context else { return 0 }
                let line = UnsafeRawBufferPointer(start: data, count: size * count)
                return Transfer.of(context).sink.takeHeaderLine(line) ? line.count : 0
            })
        try set(CURLOPT_HEADERDATA, pointer: context)
        try set(
            CURLOPT_WRITEFUNCTION,
            data: { data, size, count, context in
                guard let data, let context else { return 0 }
                let bytes = UnsafeRawBufferPointer(start: data, count: size * count)
                // A count of 0 for no bytes is success; for some bytes anything but their count aborts.
                return Transfer.of(context).sink.takeBody(bytes) ? bytes.count : 0
            })
        try set(CURLOPT_WRITEDATA, pointer: context)
        try set(
            CURLOPT_XFERINFOFUNCTION,
            progress: { context, _, received, _, _ in
                guard let context else { return 1 }
                let transfer = Transfer.of(context)
                return transfer.sink.noteWireBytes(Int(received)) && !transfer.isLeaving ? 0 : 1
            })
        try set(CURLOPT_XFERINFODATA, pointer: context)
        try set(CURLOPT_NOPROGRESS, false)
        // Called once the connection stands and before the request goes out: the TLS session is there to be asked.
        try set(
            CURLOPT_PREREQFUNCTION,
            prereq: { context, _, _, _, _ in
                guard let context else { return CURL_PREREQFUNC_ABORT }
                let transfer = Transfer.of(context)
                transfer.tlsVersion = aasa_curl_tls_version(transfer.easy.pointer).map { String(cString: $0) }
                return CURL_PREREQFUNC_OK
            })
        try set(CURLOPT_PREREQDATA, pointer: context)
        guard transfer.request.addressPolicy != .any, transfer.settings.proxy == nil else { return }
        try set(
            CURLOPT_OPENSOCKETFUNCTION,
            socket: { context, _, address in
                guard let context, let address else { return CURL_SOCKET_BAD }
                let transfer = Transfer.of(context)
                guard transfer.request.addressPolicy.allows(addressBytes(address)) else {
                    transfer.refusedAddress = true
                    return CURL_SOCKET_BAD
                }
                let parts = address.pointee
                return socket(parts.family, parts.socktype | Int32(SOCK_CLOEXEC.rawValue), parts.protocol)
            })
        try set(CURLOPT_OPENSOCKETDATA, pointer: context)
    }
}

/// The 4 or 16 bytes of the address; none for another family.
private func addressBytes(_ address: UnsafeMutablePointer<curl_sockaddr>) -> [UInt8] {
    guard let start = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return [] }
    // `addr` is declared as the short `sockaddr`, but libcurl lays `addrlen` bytes there, whatever the family.
    let raw = UnsafeRawBufferPointer(
        start: UnsafeRawPointer(address) + start, count: Int(address.pointee.addrlen))
    let range: Range<Int>
    switch address.pointee.family {
    case AF_INET: range = 4..<8
    case AF_INET6: range = 8..<24
    default: return []
    }
    return raw.count >= range.upperBound ? Array(raw[range]) : []
}
