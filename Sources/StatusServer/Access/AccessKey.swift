import Synchronization

/// The token of the running configuration; a reload replaces it while the server goes on.
final class AccessKey: Sendable {
    private let current: Mutex<AccessToken?>

    init(_ token: AccessToken?) { current = Mutex(token) }

    /// nil: the pages are open to everybody who reaches the address.
    var token: AccessToken? { current.withLock { $0 } }

    func replace(with token: AccessToken?) { current.withLock { $0 = token } }
}
