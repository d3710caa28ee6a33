// One libcurl easy handle: created, configured, read and freed here. Every call is checked.

import CCurl
import Facts
import Glibc

/// Owns a `CURL *`. Not Sendable: created, used and freed on the driver's thread.
final class EasyHandle {
    let pointer: UnsafeMutableRawPointer

    /// - Throws: `.outOfMemory`.
    init() throws(CurlError) {
        guard let pointer = curl_easy_init() else {
            throw CurlError(code: .outOfMemory, phase: .resolving, message: "libcurl has no memory for a transfer")
        }
        self.pointer = pointer
    }

    deinit { curl_easy_cleanup(pointer) }

    func set(_ option: CURLoption, _ value: Int) throws(CurlError) {
        try check(aasa_curl_set_long(pointer, option, value), option)
    }

    func set(_ option: CURLoption, _ value: Bool) throws(CurlError) { try set(option, value ? 1 : 0) }

    func set(_ option: CURLoption, _ value: String?) throws(CurlError) {
        if let value, value.utf8.contains(0) {
            throw CurlError(code: .badURL, phase: .resolving, message: "a NUL character in an option of the transfer")
        }
        try check(aasa_curl_set_string(pointer, option, value), option)
    }

    func set(_ option: CURLoption, offset value: Int) throws(CurlError) {
        try check(aasa_curl_set_offset(pointer, option, curl_off_t(value)), option)
    }

    func set(_ option: CURLoption, pointer value: UnsafeMutableRawPointer?) throws(CurlError) {
        try check(aasa_curl_set_pointer(pointer, option, value), option)
    }

    /// libcurl copies the bytes.
    func set(_ option: CURLoption, bytes value: UnsafeRawPointer?) throws(CurlError) {
        try check(aasa_curl_set_bytes(pointer, option, value), option)
    }

    /// The list must outlive the handle.
    func set(_ option: CURLoption, _ value: StringList) throws(CurlError) {
        try check(aasa_curl_set_list(pointer, option, value.pointer), option)
    }

    func set(_ option: CURLoption, data callback: @escaping aasa_curl_data_callback) throws(CurlError) {
        try check(aasa_curl_set_data_callback(pointer, option, callback), option)
    }

    func set(_ option: CURLoption, socket callback: @escaping aasa_curl_socket_callback) throws(CurlError) {
        try check(aasa_curl_set_socket_callback(pointer, option, callback), option)
    }

    func set(_ option: CURLoption, prereq callback: @escaping aasa_curl_prereq_callback) throws(CurlError) {
        try check(aasa_curl_set_prereq_callback(pointer, option, callback), option)
    }

    func set(_ option: CURLoption, progress callback: @escaping aasa_curl_progress_callback) throws(CurlError) {
        try check(aasa_curl_set_progress_callback(pointer, option, callback), option)
    }

    func set(_ option: CURLoption, debug callback: @escaping aasa_curl_debug_callback) throws(CurlError) {
        try check(aasa_curl_set_debug_callback(pointer, option, callback), option)
    }

    func allowRefusedRecipients() throws(CurlError) {
        try check(aasa_curl_allow_refused_recipients(pointer), CURLOPT_MAIL_RCPT)
    }

    func long(_ info: CURLINFO) -> Int {
        var value = 0
        return aasa_curl_get_long(pointer, info, &value) == CURLE_OK ? value : 0
    }

    func offset(_ info: CURLINFO) -> Int {
        var value: curl_off_t = 0
        return aasa_curl_get_offset(pointer, info, &value) == CURLE_OK ? Int(value) : 0
    }

    func string(_ info: CURLINFO) -> String? {
        var value: UnsafePointer<CChar>?
        guard aasa_curl_get_string(pointer, info, &value) == CURLE_OK, let value, value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    /// The lines of each certificate that the server sent, in its order.
    var certificateLines: [[String]] {
        var info: UnsafeMutablePointer<curl_certinfo>?
        guard aasa_curl_get_certinfo(pointer, &info) == CURLE_OK, let info, let lists = info.pointee.certinfo else {
            return []
        }
        return (0..<Int(info.pointee.num_of_certs)).map { index in
            var lines: [String] = []
            var node = lists[index]
            while let current = node {
                if let data = current.pointee.data { lines.append(String(cString: data)) }
                node = current.pointee.next
            }
            return lines
        }
    }

    private func check(_ code: CURLcode, _ option: CURLoption) throws(CurlError) {
        guard code != CURLE_OK else { return }
        throw CurlError(
            code: code == CURLE_OUT_OF_MEMORY ? .outOfMemory : .other, phase: .resolving,
            message: "libcurl refused option \(option.rawValue): \(String(cString: curl_easy_strerror(code)))")
    }
}

/// libcurl's callbacks. They run on the driver's thread, inside `curl_multi_perform`. Their context is the `Transfer`,
/// which the driver keeps while the handle is in the multi handle. None calls libcurl to change the handle.
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
                // For 0 bytes 0 is success; any other count than that of the bytes aborts the transfer.
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
        // Called when the connection is established, before the request is sent: the TLS session is then available.
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
                guard transfer.request.addressPolicy.allows(hostAddress(address)) else {
                    transfer.refusedAddress = true
                    return CURL_SOCKET_BAD
                }
                let parts = address.pointee
                return socket(parts.family, parts.socktype | Int32(SOCK_CLOEXEC.rawValue), parts.protocol)
            })
        try set(CURLOPT_OPENSOCKETDATA, pointer: context)
    }
}

private func hostAddress(_ address: UnsafeMutablePointer<curl_sockaddr>) -> HostAddress? {
    guard let start = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return nil }
    // `addr` is declared as the short `sockaddr`, but libcurl stores `addrlen` bytes there for any family.
    let raw = UnsafeRawBufferPointer(start: UnsafeRawPointer(address) + start, count: Int(address.pointee.addrlen))
    return HostAddress(socket: raw, family: address.pointee.family)
}

/// A libcurl string list. libcurl keeps the pointer, so its owner must outlive the handle it is set on.
final class StringList {
    private(set) var pointer: UnsafeMutablePointer<curl_slist>?

    /// - Throws: `.outOfMemory`.
    init(_ entries: [String]) throws(CurlError) {
        for entry in entries {
            guard let longer = curl_slist_append(pointer, entry) else {
                curl_slist_free_all(pointer)
                pointer = nil
                throw CurlError(code: .outOfMemory, phase: .resolving, message: "no memory for a list of options")
            }
            pointer = longer
        }
    }

    deinit { curl_slist_free_all(pointer) }
}
