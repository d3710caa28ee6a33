/// What each contender of a scene is given.
struct Workload: Sendable {
    static let host = "bench.test"
    static let path = "/.well-known/apple-app-site-association"

    let scene: Scene
    let port: Int
    /// A PEM bundle.
    let caFile: String
    let concurrency: Int
    let bodyBytes: Int

    var url: String { "https://\(Self.host):\(port)\(Self.path)" }
    /// As curl's `--resolve`.
    var resolve: String { "\(Self.host):\(port):127.0.0.1" }

    /// - Throws: `BenchFault` unless the answer is the file.
    func check(status: Int, bytes: Int, by name: String) throws {
        guard status == 200, bytes == bodyBytes else {
            throw BenchFault(
                "\(name): a fetch came back with status \(status) and \(bytes) bytes, expected 200 and \(bodyBytes)")
        }
    }

    /// - Throws: `BenchFault` where the connections do not fit the scene: the numbers would mean something else.
    func check(_ sample: Sample) throws {
        let fits =
            switch scene {
            case .fresh: sample.connections == sample.fetches
            // The server closes a connection after 1000 requests.
            case .kept: sample.connections <= concurrency + sample.fetches / 1000
            }
        guard fits else {
            throw BenchFault(
                "\(sample.name): \(sample.connections) connections for \(sample.fetches) fetches do not fit the scene '\(scene.title)'"
            )
        }
    }
}

/// Why there are no numbers.
struct BenchFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
