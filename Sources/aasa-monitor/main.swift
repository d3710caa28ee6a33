import Commands
import Dispatch
import Foundation

// Runs at the default priority. If main itself awaited, everything below it would run at a raised one. libdispatch
// would then ask the system for a better nice value for each of its threads, which only root gets, and log each
// refusal.
Task.detached(priority: .medium) {
    await AasaMonitor.start()
    exit(0)
}
dispatchMain()
