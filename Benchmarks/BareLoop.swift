// The lowest possible cost of a check: its two requests through libcurl's multi interface, as in a C program. Each
// request to the origin uses a new connection; the CDN's connection is kept open.

import CCurl
import Glibc

struct BareLoop {
    let server: OriginServer

    private static let concurrency = 16

    private final class Fetch {
        let origin: UnsafeMutableRawPointer
        let copy: UnsafeMutableRawPointer
        var bytes = 0

        init(caFile: String, _ route: UnsafeMutablePointer<curl_slist>) throws {
            guard let origin = curl_easy_init(), let copy = curl_easy_init() else {
                throw BenchFault("libcurl has no memory for a handle")
            }
            (self.origin, self.copy) = (origin, copy)
            try configure(origin, caFile, route, isFresh: true)
            try configure(copy, caFile, route, isFresh: false)
        }

        deinit {
            curl_easy_cleanup(origin)
            curl_easy_cleanup(copy)
        }

        private func configure(
            _ easy: UnsafeMutableRawPointer, _ caFile: String, _ route: UnsafeMutablePointer<curl_slist>, isFresh: Bool
        ) throws {
            let codes = [
                aasa_curl_set_list(easy, CURLOPT_CONNECT_TO, route),
                aasa_curl_set_string(easy, CURLOPT_CAINFO, caFile),
                // With a CA path libcurl parses the trust store again for each connection.
                aasa_curl_set_string(easy, CURLOPT_CAPATH, nil),
                aasa_curl_set_string(easy, CURLOPT_NOPROXY, "*"),
                aasa_curl_set_long(easy, CURLOPT_TIMEOUT, 20),
                aasa_curl_set_long(easy, CURLOPT_CERTINFO, 1),
                aasa_curl_set_long(easy, CURLOPT_FRESH_CONNECT, isFresh ? 1 : 0),
                aasa_curl_set_long(easy, CURLOPT_FORBID_REUSE, isFresh ? 1 : 0),
                aasa_curl_set_long(easy, CURLOPT_SSL_SESSIONID_CACHE, isFresh ? 0 : 1),
                aasa_curl_set_data_callback(easy, CURLOPT_WRITEFUNCTION) { _, size, count, context in
                    guard let context else { return 0 }
                    Unmanaged<Fetch>.fromOpaque(context).takeUnretainedValue().bytes += size * count
                    return size * count
                },
                aasa_curl_set_pointer(easy, CURLOPT_WRITEDATA, Unmanaged.passUnretained(self).toOpaque()),
            ]
            guard codes.allSatisfy({ $0 == CURLE_OK }) else { throw BenchFault("libcurl refused an option") }
        }
    }

    /// Makes `count` checks, `perSecond` of them per second or as fast as possible. At a slow pace the processor's
    /// caches are cold. If `isWarm`, some checks run before the measurement, so that it excludes the trust store and
    /// the first connections to the CDN.
    /// - Returns: seconds of CPU for one check.
    func run(_ names: [String], checks count: Int, perSecond: Double? = nil, isWarm: Bool = false) throws -> Double {
        guard let multi = curl_multi_init(), let route = curl_slist_append(nil, "::127.0.0.1:\(server.port)") else {
            throw BenchFault("libcurl does not start")
        }
        defer {
            curl_multi_cleanup(multi)
            curl_slist_free_all(route)
        }
        let warm = isWarm ? Self.concurrency : 0
        var start: (cpu: Duration, time: ContinuousClock.Instant)?
        var owners: [UnsafeMutableRawPointer: (fetch: Fetch, name: String)] = [:]
        var idle = try (0..<Self.concurrency).map { _ in try Fetch(caFile: server.caFile, route) }
        var (started, done) = (0, 0)
        while done < warm + count {
            if start == nil, done == warm { start = (rusage.cpuOfSelf, .now) }
            var wanted = warm
            if let start {
                let due = perSecond.map { Int((ContinuousClock.now - start.time) / .seconds(1) * $0) + 1 } ?? count
                wanted += min(due, count)
            }
            while started < wanted, let fetch = idle.popLast() {
                let name = names[started % names.count]
                owners[fetch.origin] = (fetch, name)
                try add(fetch.origin, "https://\(name)\(OriginServer.path)", to: multi)
                started += 1
            }
            var active: Int32 = 0
            guard curl_multi_perform(multi, &active) == CURLM_OK else { throw BenchFault("curl_multi_perform failed") }
            var left: Int32 = 0
            while let message = curl_multi_info_read(multi, &left) {
                let (easy, code) = (message.pointee.easy_handle, message.pointee.data.result)
                guard let easy, code == CURLE_OK, let (fetch, name) = owners.removeValue(forKey: easy) else {
                    throw BenchFault("the bare loop: \(String(cString: curl_easy_strerror(code)))")
                }
                curl_multi_remove_handle(multi, easy)
                if easy == fetch.origin {
                    owners[fetch.copy] = (fetch, name)
                    try add(fetch.copy, "https://\(OriginServer.cdn)/a/v1/\(name)", to: multi)
                } else {
                    done += 1
                    idle.append(fetch)
                }
            }
            if done < warm + count { curl_multi_poll(multi, nil, 0, perSecond.map { Int32(1000 / $0) } ?? 1000, nil) }
        }
        guard let start else { return .nan }
        return (rusage.cpuOfSelf - start.cpu) / .seconds(1) / Double(count)
    }

    private func add(_ easy: UnsafeMutableRawPointer, _ url: String, to multi: UnsafeMutableRawPointer) throws {
        guard aasa_curl_set_string(easy, CURLOPT_URL, url) == CURLE_OK, curl_multi_add_handle(multi, easy) == CURLM_OK
        else { throw BenchFault("libcurl takes no transfer") }
    }
}
