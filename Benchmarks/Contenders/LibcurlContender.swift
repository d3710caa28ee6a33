// The plain use of libcurl's multi interface, as its documentation shows it: a fixed set of easy handles, each used again
// as soon as it is done.

import CCurl

/// Raw libcurl with its default settings, but for what the bench needs: URL, address of the name, CA file.
struct LibcurlContender: Contender {
    enum CAPath: Sendable {
        case asBuilt
        case unset
    }

    let path: CAPath

    var name: String {
        switch path {
        case .asBuilt: "libcurl, defaults"
        case .unset: "libcurl, CA path unset"
        }
    }

    func sample(_ workload: Workload, fetches: Int) throws -> Sample {
        let meter = Meter()
        let connections = try fetchAll(workload, fetches)
        return meter.sample(name: name, fetches: fetches, connections: connections)
    }

    private func fetchAll(_ workload: Workload, _ fetches: Int) throws -> Int {
        guard let multi = curl_multi_init(), let names = curl_slist_append(nil, workload.resolve) else {
            throw BenchFault("libcurl does not start")
        }
        defer {
            curl_multi_cleanup(multi)
            curl_slist_free_all(names)
        }
        var slots: [UnsafeMutableRawPointer: Slot] = [:]
        defer { for easy in slots.keys { curl_multi_remove_handle(multi, easy) } }
        var started = 0
        while started < min(workload.concurrency, fetches) {
            let slot = try Slot(workload, names: names, path: path)
            slots[slot.easy] = slot
            try Self.add(slot, to: multi)
            started += 1
        }
        var (done, connections) = (0, 0)
        while done < fetches {
            var active: Int32 = 0
            guard curl_multi_perform(multi, &active) == CURLM_OK else { throw BenchFault("curl_multi_perform failed") }
            var left: Int32 = 0
            while let message = curl_multi_info_read(multi, &left) {
                let (easy, code) = (message.pointee.easy_handle, message.pointee.data.result)
                guard let slot = easy.flatMap({ slots[$0] }) else {
                    throw BenchFault("libcurl names a handle not ours")
                }
                connections += try slot.finish(code, workload, by: name)
                done += 1
                curl_multi_remove_handle(multi, slot.easy)
                guard started < fetches else { continue }
                try Self.add(slot, to: multi)
                started += 1
            }
            if done < fetches { curl_multi_poll(multi, nil, 0, 1000, nil) }
        }
        return connections
    }

    private static func add(_ slot: Slot, to multi: UnsafeMutableRawPointer) throws {
        guard curl_multi_add_handle(multi, slot.easy) == CURLM_OK else {
            throw BenchFault("curl_multi_add_handle failed")
        }
    }
}

/// An easy handle and the count of what it received.
private final class Slot {
    let easy: UnsafeMutableRawPointer
    private var received = 0

    init(_ workload: Workload, names: UnsafeMutablePointer<curl_slist>, path: LibcurlContender.CAPath) throws {
        guard let easy = curl_easy_init() else { throw BenchFault("libcurl has no memory for a handle") }
        self.easy = easy
        var codes = [
            aasa_curl_set_string(easy, CURLOPT_URL, workload.url),
            aasa_curl_set_list(easy, CURLOPT_RESOLVE, names),
            aasa_curl_set_string(easy, CURLOPT_CAINFO, workload.caFile),
            // Not a setting to compare, but loopback must not go through a proxy of the environment.
            aasa_curl_set_string(easy, CURLOPT_NOPROXY, "*"),
            // Likewise: a stuck fetch must end the bench.
            aasa_curl_set_long(easy, CURLOPT_TIMEOUT, 20),
            aasa_curl_set_data_callback(easy, CURLOPT_WRITEFUNCTION) { _, size, count, context in
                guard let context else { return 0 }
                Unmanaged<Slot>.fromOpaque(context).takeUnretainedValue().received += size * count
                return size * count
            },
            aasa_curl_set_pointer(easy, CURLOPT_WRITEDATA, Unmanaged.passUnretained(self).toOpaque()),
        ]
        if path == .unset { codes.append(aasa_curl_set_string(easy, CURLOPT_CAPATH, nil)) }
        guard codes.allSatisfy({ $0 == CURLE_OK }) else { throw BenchFault("libcurl refused an option") }
    }

    deinit { curl_easy_cleanup(easy) }

    /// - Returns: how many connections the fetch opened.
    func finish(_ code: CURLcode, _ workload: Workload, by name: String) throws -> Int {
        guard code == CURLE_OK else { throw BenchFault("\(name): \(String(cString: curl_easy_strerror(code)))") }
        var (status, opened) = (0, 0)
        aasa_curl_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
        aasa_curl_get_long(easy, CURLINFO_NUM_CONNECTS, &opened)
        try workload.check(status: status, bytes: received, by: name)
        received = 0
        return opened
    }
}
