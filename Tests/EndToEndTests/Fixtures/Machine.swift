// The tests run side by side, and each of them is a handful of processes. On a small machine all of them at once would be
// so slow that limits of seconds, which are what some tests are about, no longer hold.

/// How much of the machine a test needs for itself.
enum MachineShare: Int {
    case small = 1
    case large = 4
    case whole = 8
}

/// Hands out shares of the machine, in the order of the calls.
actor Machine {
    static let shared = Machine()

    private var free = MachineShare.whole.rawValue
    private var waiting: [(share: Int, go: CheckedContinuation<Void, Never>)] = []

    func take(_ share: MachineShare) async {
        if waiting.isEmpty, free >= share.rawValue {
            free -= share.rawValue
            return
        }
        await withCheckedContinuation { waiting.append((share.rawValue, $0)) }
    }

    func give(_ share: MachineShare) {
        free += share.rawValue
        while let next = waiting.first, next.share <= free {
            free -= next.share
            waiting.removeFirst().go.resume()
        }
    }
}
