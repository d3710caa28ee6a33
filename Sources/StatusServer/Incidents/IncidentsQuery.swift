// What the address of the list of incidents says.

import Evidence
import Foundation
import Monitoring
import Storage

struct IncidentsQuery: Equatable, Sendable {
    var search = ""
    var kind: IncidentKind?
    var days = 14
    var page = 1
    var isPaused = false

    static let windows = [1, 7, 14, 90]

    init() {}

    init(_ parameters: [String: String]) {
        search = String((parameters["q"] ?? "").trimmingCharacters(in: .whitespaces).lowercased().prefix(253))
        kind = parameters["kind"].flatMap(IncidentKind.init(rawValue:))
        days = parameters["days"].flatMap(Int.init).flatMap { Self.windows.contains($0) ? $0 : nil } ?? days
        page = min(max(1, parameters["page"].flatMap(Int.init) ?? 1), 10_000)
        isPaused = parameters["pause"] != nil
    }

    var address: String {
        var items: [URLQueryItem] = []
        if !search.isEmpty { items.append(URLQueryItem(name: "q", value: search)) }
        if let kind { items.append(URLQueryItem(name: "kind", value: kind.rawValue)) }
        if days != 14 { items.append(URLQueryItem(name: "days", value: "\(days)")) }
        if page > 1 { items.append(URLQueryItem(name: "page", value: "\(page)")) }
        if isPaused { items.append(URLQueryItem(name: "pause", value: "1")) }
        guard !items.isEmpty else { return "/incidents" }
        var components = URLComponents()
        components.path = "/incidents"
        components.queryItems = items
        return (components.string ?? "/incidents").replacing("+", with: "%2B")
    }

    func with(_ change: (inout IncidentsQuery) -> Void) -> IncidentsQuery {
        var copy = self
        copy.page = 1
        change(&copy)
        return copy
    }

    var filter: IncidentFilter { IncidentFilter(search: search, kind: kind) }
}
