// Files from real sites that are not part of this repository. If they are missing, the tests that need them print a
// message and pass.

import Foundation

/// A folder of test data next to the repository, or the folder that AASA_CORPUS names.
package struct Corpus: Sendable {
    package let root: URL

    /// - Parameter folder: the folder in the corpus that the test needs.
    /// - Returns: nil if it is missing. The reason is printed, so that nobody takes a skipped test for a passed one.
    package static func find(holding folder: String) -> Corpus? {
        let named = ProcessInfo.processInfo.environment["AASA_CORPUS"].map { URL(fileURLWithPath: $0) }
        // Tests/TestSupport/Corpus.swift is three levels below the package's root.
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let root = named ?? package.deletingLastPathComponent().appendingPathComponent("shared/corpus")
        guard FileManager.default.fileExists(atPath: root.appendingPathComponent(folder).path) else {
            print("SKIPPED: no corpus folder '\(folder)' in \(root.path); set AASA_CORPUS to run this test")
            return nil
        }
        return Corpus(root: root)
    }

    /// The files of a folder with one extension, sorted by name.
    package func files(in folder: String, withExtension fileExtension: String) throws -> [File] {
        let directory = root.appendingPathComponent(folder)
        return try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
            .filter { $0.hasSuffix(".\(fileExtension)") }
            .map { File(name: $0, bytes: [UInt8](try Data(contentsOf: directory.appendingPathComponent($0)))) }
    }

    package struct File: Sendable {
        package let name: String
        package let bytes: [UInt8]
    }
}
