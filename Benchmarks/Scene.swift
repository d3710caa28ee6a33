/// How the server treats connections.
enum Scene: CaseIterable, Sendable {
    case fresh
    case kept

    var title: String {
        switch self {
        case .fresh: "a fresh connection each: the server closes after each answer and resumes no TLS session"
        case .kept: "kept connections: the server keeps them open"
        }
    }
}
