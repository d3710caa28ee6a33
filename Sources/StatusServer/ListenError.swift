// Why the server could not take its address, in one sentence for the operator.

import Foundation
import NIOCore

/// The address of the configuration cannot be listened on.
package struct ListenError: Error, Equatable, CustomStringConvertible, LocalizedError {
    package let code: Code
    /// The address, what was seen, what to do.
    package let message: String

    package enum Code: String, Sendable {
        case addressInUse = "address_in_use"
        case permissionDenied = "permission_denied"
        /// No interface of this machine has the address.
        case addressNotAvailable = "address_not_available"
        case unknownHost = "unknown_host"
        case other
    }

    package var description: String { message }
    package var errorDescription: String? { message }
    /// Free of dynamic text, for metrics.
    package var shortLabel: String { code.rawValue }

    init(_ error: any Error, host: String, port: Int) {
        let place = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        (code, message) = Self.explain(error, place: place, host: host)
    }

    private static func explain(_ error: any Error, place: String, host: String) -> (Code, String) {
        if error is SocketAddressError.UnknownHost {
            return (.unknownHost, "cannot listen on \(place): '\(host)' has no address; correct server.listen")
        }
        guard let fault = error as? IOError else {
            return (.other, "cannot listen on \(place): \(error)")
        }
        switch fault.errnoCode {
        case EADDRINUSE:
            return (
                .addressInUse,
                "cannot listen on \(place): another program already does, maybe a second aasa-monitor; end it, or give "
                    + "server.listen another port"
            )
        case EACCES, EPERM:
            return (
                .permissionDenied,
                "cannot listen on \(place): permission denied; ports below 1024 need a privilege, so give "
                    + "server.listen a higher one"
            )
        case EADDRNOTAVAIL, EAFNOSUPPORT:
            return (
                .addressNotAvailable,
                "cannot listen on \(place): this machine has no such address; give server.listen one of its own, such "
                    + "as 127.0.0.1"
            )
        default:
            return (.other, "cannot listen on \(place): \(String(cString: strerror(fault.errnoCode)))")
        }
    }
}
