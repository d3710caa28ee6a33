import Commands
import Dispatch
import Foundation

// At the default priority. Where main itself awaits, everything below it runs at a raised one: libdispatch then asks the
// system for a better nice value for each of its threads, which only root gets, and logs each refusal.
Task.detached(priority: .medium) {
    await AasaMonitor.start()
    exit(0)
}
dispatchMain()
