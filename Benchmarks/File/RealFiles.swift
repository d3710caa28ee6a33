import AASA
import Foundation

/// Files from the wild, beside the repository or where AASA_CORPUS says.
enum RealFiles {
    /// Those that all readers accept: whole JSON without a byte order mark.
    /// - Returns: nil where there are none.
    static func load() -> [FileBenchmark.File]? {
        let named = ProcessInfo.processInfo.environment["AASA_CORPUS"].map { URL(filePath: $0) }
        // Benchmarks/File/RealFiles.swift lies three below the package's root.
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let root = named ?? package.deletingLastPathComponent().appending(path: "shared/corpus")
        let folder = root.appending(path: "aasa")
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
        let files = names.filter { $0.hasSuffix(".aasa") }.compactMap { name -> FileBenchmark.File? in
            let path = folder.appending(path: name).path
            guard let data = FileManager.default.contents(atPath: path) else { return nil }
            let bytes = [UInt8](data)
            guard let document = try? JSONDocument(parsing: bytes), !document.hasByteOrderMark else { return nil }
            return FileBenchmark.File(path: path, bytes: bytes)
        }
        return files.isEmpty ? nil : files
    }
}
