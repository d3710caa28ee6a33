import Monitoring
import Synchronization

/// The maintenance windows of the running configuration; a reload replaces them while the server goes on.
final class WindowList: Sendable {
    private let windows: Mutex<[MaintenanceWindow]>

    init(_ windows: [MaintenanceWindow]) { self.windows = Mutex(windows) }

    var current: [MaintenanceWindow] { windows.withLock { $0 } }

    func replace(with windows: [MaintenanceWindow]) { self.windows.withLock { $0 = windows } }
}
