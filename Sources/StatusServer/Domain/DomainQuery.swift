// What the address of a domain's page says.

import Foundation

struct DomainQuery: Equatable, Sendable {
    /// Seconds; nil: what the last changes suggest.
    var window: TimeInterval?
    /// The URL to try; empty: none.
    var url = ""
    var showsAllLanes = false
    var isPaused = false

    init() {}

    init(_ parameters: [String: String]) {
        window = parameters["window"].flatMap(Int.init).flatMap {
            (3600...(400 * 86400)).contains($0) ? TimeInterval($0) : nil
        }
        url = String((parameters["url"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines).prefix(2000))
        showsAllLanes = parameters["lanes"] == "all"
        isPaused = parameters["pause"] != nil
    }

    func address(_ path: String) -> String {
        var items: [URLQueryItem] = []
        if let window { items.append(URLQueryItem(name: "window", value: "\(Int(window))")) }
        if !url.isEmpty { items.append(URLQueryItem(name: "url", value: url)) }
        if showsAllLanes { items.append(URLQueryItem(name: "lanes", value: "all")) }
        if isPaused { items.append(URLQueryItem(name: "pause", value: "1")) }
        guard !items.isEmpty else { return path }
        var components = URLComponents()
        components.path = path
        components.queryItems = items
        return (components.string ?? path).replacing("+", with: "%2B")
    }

    func with(_ change: (inout DomainQuery) -> Void) -> DomainQuery {
        var copy = self
        change(&copy)
        return copy
    }
}
