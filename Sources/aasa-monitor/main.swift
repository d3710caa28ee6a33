import Dispatch
import Foundation

#if os(Linux) && Monitor
    import Commands
    private typealias Program = AasaMonitor
#else
    import FileCommands
    private typealias Program = FileMonitor
#endif

// Runs at the default priority. If main itself awaited, everything below it would run at a raised one. libdispatch
// would then ask the system for a better nice value for each of its threads, which only root gets, and log each
// refusal.
Task.detached(priority: .medium) {
    await Program.start()
    exit(0)
}
dispatchMain()
