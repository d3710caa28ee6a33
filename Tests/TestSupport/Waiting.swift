// What tests do on a busy machine: wait for a condition, and repeat what came too late to be of use.

/// How long a test waits for an event that must come: much longer than on a busy machine. It only ends a test that would
/// hang.
package let waitLimit: Duration = .seconds(600)

package struct NeverCame: Error, CustomStringConvertible {
    let what: String
    let seen: String

    package init(what: String, seen: String) { (self.what, self.seen) = (what, seen) }

    package var description: String { "never came: \(what); seen: \(seen.suffix(3000))" }
}

/// Waits for a condition that must become true. `pause`: between two tries; longer if a try starts a program.
package func until(
    _ what: String = "what the test waits for", every pause: Duration = .milliseconds(10), seen: () -> String = { "" },
    _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + waitLimit
    while try await !condition() {
        guard ContinuousClock.now < deadline else { throw NeverCame(what: what, seen: seen()) }
        try await Task.sleep(for: pause)
    }
}

/// Runs `body` until its result is of use, 20 times at most: on a busy machine, the product may give up on a step that has
/// only seconds, or call a site slow.
package func attempt<Value>(
    _ body: () async throws -> Value, again isOfNoUse: (Value) -> Bool
) async throws -> Value {
    for _ in 0..<19 {
        let result = try await body()
        if !isOfNoUse(result) { return result }
    }
    return try await body()
}
