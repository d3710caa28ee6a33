// The limit on open files. Each transfer and each reader of the status page takes one, and libdispatch ends the process
// where it finds none left.

import Glibc

enum OpenFiles {
    /// Enough for a thousand transfers, the status page's readers and the store.
    private static let wanted: rlim_t = 8192

    /// Raises the soft limit, which many systems set to 1024, as far as the hard one allows. Where that fails the limit
    /// stays what it was.
    static func raiseLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < wanted else {
            return
        }
        limit.rlim_cur = min(wanted, limit.rlim_max)
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
