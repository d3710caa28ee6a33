import ServiceLifecycle
import StatusServer

/// A service and what the framework calls it in the log. Without a name the framework writes down all that the service
/// holds, at each start: every domain.
protocol NamedService: Service {
    var name: String { get }
}

extension NamedService {
    var name: String { "\(Self.self)" }
}

extension StatusSite: NamedService {}
