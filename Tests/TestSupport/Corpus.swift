// Files from the wild that are not part of this repository. Where they are absent the tests that walk them say so and
// pass.

import Foundation

/// A folder of test data beside the repository, or the one that AASA_CORPUS names.
package struct Corpus: Sendable {
    package let root: URL

    /// - Parameter folder: the folder in the corpus that a test is about to walk.
    /// - Returns: nil where it is absent; the reason is printed, so that nobody takes a skipped test for a passed one.
    package static func find(holding folder: String) -> Corpus? {
        let named = ProcessInfo.processInfo.environment["AASA_CORPUS"].map { URL(fileURLWithPath: $0) }
        // Tests/TestSupport/Corpus.swift lies three below the package's root.
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let root = named ?? package.deletingLastPathComponent().appendingPathComponent("shared/corpus")
        guard FileManager.default.fileExists(atPath: root.appendingPathComponent(folder).path) else {
            print("SKIPPED: no corpus folder '\(folder)' in \(root.path); set AASA_CORPUS to run this test")
            return nil
        }
        return Corpus(root: root)
    }

    /// The files of a folder with one extension, in the order of their names.
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
