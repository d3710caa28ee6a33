import Foundation

/// A file of trusted certificates that somebody named. Without a certificate in it every check would fail for a reason of
/// our own, and no site would ever be checked.
enum CertificateFile {
    /// - Throws: `CommandFailure`.
    static func check(_ path: String, option: String) throws {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandFailure(.noInput, "\(option): the file '\(path)' cannot be read")
        }
        guard
            data.firstRange(of: Data("-----BEGIN CERTIFICATE-----".utf8)) != nil
                || data.firstRange(of: Data("-----BEGIN TRUSTED CERTIFICATE-----".utf8)) != nil
        else {
            throw CommandFailure(.noInput, "\(option): the file '\(path)' holds no certificate in PEM form")
        }
    }
}
