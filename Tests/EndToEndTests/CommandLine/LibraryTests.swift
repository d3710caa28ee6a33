// The example of docs/library.md, compiled as somebody else's package would: against what is public, and nothing else.

import Foundation
import Testing

extension EndToEndTests {
    @Suite("Library") struct LibraryTests {
        private static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()

        /// The content of the first block of a page that begins with a line.
        private static func block(_ opening: String, in page: String) throws -> String {
            let begin = try #require(page.range(of: "\n\(opening)\n"))
            let end = try #require(page[begin.upperBound...].range(of: "\n```"))
            return String(page[begin.upperBound..<end.lowerBound])
        }

        private static var compiler: URL? {
            (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
                .map { URL(filePath: String($0)).appending(path: "swiftc") }
                .first { FileManager.default.isExecutableFile(atPath: $0.path) }
        }

        @Test("the example compiles against the public part, and prints what the page says")
        func example() async throws {
            guard let compiler = Self.compiler else {
                print("SKIPPED: no swiftc in PATH, which compiles the example of docs/library.md")
                return
            }
            let page = try String(contentsOf: Self.package.appending(path: "docs/library.md"), encoding: .utf8)
            let build = MonitorProcess.binary.deletingLastPathComponent()
            // Named by the sources: a folder of an earlier build holds objects of files that are gone.
            let sources = try #require(
                FileManager.default.enumerator(atPath: Self.package.appending(path: "Sources/AASA").path))
            let objects = sources.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }
                .map { build.appending(path: "AASA.build/\(URL(filePath: $0).lastPathComponent).o").path }
            try await Stage.with { stage in
                let source = stage.folder.appending(path: "main.swift")
                try Self.block("```swift", in: page).write(to: source, atomically: true, encoding: .utf8)
                let program = stage.folder.appending(path: "links")
                let modules = build.appending(path: "Modules").path
                let compiling = try MonitorProcess(
                    ["-swift-version", "6", "-I", modules, source.path, "-o", program.path] + objects,
                    executable: compiler, folder: stage.folder)
                #expect(try await compiling.ended() == .exit(0), "\(compiling.errors)\(compiling.output)")
                let run = try MonitorProcess([], executable: program, folder: stage.folder)
                #expect(try await run.ended() == .exit(0), "\(run.errors)")
                #expect(run.output == (try Self.block("It prints:\n\n```", in: page)) + "\n")
            }
        }
    }
}
