/// Runs `body` until its result is not spoiled, 20 times at most: on a busy machine, the product may give up on a step that
/// has only seconds, or call a site slow.
package func attempt<Value>(
    _ body: () async throws -> Value, again isSpoiled: (Value) -> Bool
) async throws -> Value {
    for _ in 0..<19 {
        let result = try await body()
        if !isSpoiled(result) { return result }
    }
    return try await body()
}
