// What tests do on a busy machine: wait for a condition, and repeat what came too late to be of use.

/// A condition that must become true never did.
package struct NeverBecameTrue: Error {}

/// Waits for a condition that must become true: ten minutes, much longer than on a busy machine.
package func until(_ condition: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(600)
    while try await !condition() {
        guard ContinuousClock.now < deadline else { throw NeverBecameTrue() }
        try await Task.sleep(for: .milliseconds(2))
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
