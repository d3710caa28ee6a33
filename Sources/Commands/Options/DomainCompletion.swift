import ArgumentParser
import Evidence
import Storage

/// The domains of the daemon's store, for shells; none where it cannot be read.
enum DomainCompletion {
    static let kind = CompletionKind.custom { words, _, _ in await names(words) }

    /// `words`: the command line, of which `--store` and `--config` count.
    static func names(_ words: [String]) async -> [String] {
        var options: [String] = []
        for (option, value) in zip(words, words.dropFirst()) where ["--store", "--config"].contains(option) {
            options += [option, value]
        }
        guard let store = try? StoreOptions.parse(options) else { return [] }
        let domains = try? await store.with(.reader) { try await $0.domainNames() }
        return (domains ?? []).map(\.name).sorted()
    }
}
