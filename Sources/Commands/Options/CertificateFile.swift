import Evidence
import Foundation
import MonitorConfiguration

/// A file of trusted certificates that somebody named. Without a certificate in it every check would fail for a reason of
/// our own, and no site would ever be checked.
enum CertificateFile {
    /// The system's whole trust store is below 1 MiB.
    private static let limit = 16 << 20

    /// - Throws: `CommandFailure`.
    static func check(_ path: String, option: String) throws(CommandFailure) {
        let data: Data
        do {
            data = Data(try SmallFile.bytes(at: path, limit: limit))
        } catch {
            throw CommandFailure(.noInput, "\(option): \(error.description.displayable)")
        }
        guard
            data.firstRange(of: Data("-----BEGIN CERTIFICATE-----".utf8)) != nil
                || data.firstRange(of: Data("-----BEGIN TRUSTED CERTIFICATE-----".utf8)) != nil
        else {
            throw CommandFailure(.noInput, "\(option): the file '\(path.displayable)' holds no certificate in PEM form")
        }
    }
}
