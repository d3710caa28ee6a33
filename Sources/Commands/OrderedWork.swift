// Many pieces of work at once, their results in the order given and as soon as that order allows.

enum OrderedWork {
    /// Runs `work` on each input, at most `maximumConcurrent` at once, and gives the results to `each` in the order of the
    /// inputs. The first error ends all of it and is thrown.
    static func run<Input: Sendable, Output: Sendable>(
        _ inputs: [Input], maximumConcurrent: Int, work: @escaping @Sendable (Input) async throws -> Output,
        each: (Output) -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: (Int, Output).self) { group in
            var waiting: [Int: Output] = [:]
            var next = 0
            var shown = 0
            func start() {
                guard next < inputs.count else { return }
                let index = next
                let input = inputs[index]
                group.addTask { (index, try await work(input)) }
                next += 1
            }
            for _ in 0..<max(1, maximumConcurrent) { start() }
            while let (index, output) = try await group.next() {
                waiting[index] = output
                start()
                while let ready = waiting.removeValue(forKey: shown) {
                    each(ready)
                    shown += 1
                }
            }
        }
    }
}
