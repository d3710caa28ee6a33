// A file system of a few megabytes in a mount namespace of its own, for a daemon whose disk is full.

import Foundation
import TestTraits

/// A disk that only one process and its children see, at `disk` in the stage's folder.
struct SmallDisk: Sendable {
    let stage: Stage

    /// Whether a process may have a file system of its own here.
    static var isPossible: Bool { get async { await trial.value } }

    private static let trial = Task {
        let mount = ["unshare", "-rm", "mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", "/mnt"]
        return (try? await ChildProcess.run(URL(filePath: "/usr/bin/env"), mount))?.exitCode == 0
    }

    init(_ stage: Stage) throws {
        self.stage = stage
        try FileManager.default.createDirectory(atPath: stage.path("disk"), withIntermediateDirectories: true)
    }

    /// Starts the daemon on it. `megabytes`: where it lives on afterwards more than the 4 MiB that SQLite's log grows to before
    /// it is written back, or the disk is full a second time. `before`: what a shell does first, with the program as
    /// `$PROGRAM`.
    func start(_ watch: Watch, megabytes: Int, before: String = ":") throws -> MonitorProcess {
        try stage.tool(
            "unshare",
            [
                "-rm", "sh", "-c",
                """
                PROGRAM='\(MonitorProcess.binary.path)'
                mount -t tmpfs -o size=\(megabytes)m tmpfs disk && { \(before); } && \
                exec "$PROGRAM" run --config \(watch.file)
                """,
            ])
    }

    /// Shell words that leave room for nothing more.
    static let filling = "{ dd if=/dev/zero of=disk/filler bs=4096 2>dd.log || true; }"

    /// The file that fills the disk, as seen from outside.
    private func filler(_ process: MonitorProcess) -> URL {
        URL(filePath: "/proc/\(process.pid)/root\(stage.path("disk/filler"))")
    }

    /// Fills it.
    func fill(_ process: MonitorProcess) throws {
        let filler = filler(process)
        _ = FileManager.default.createFile(atPath: filler.path, contents: nil)
        let handle = try FileHandle(forWritingTo: filler)
        while (try? handle.write(contentsOf: Data(repeating: 1, count: 4096))) != nil {}
        try handle.close()
    }

    /// Makes room again.
    func clear(_ process: MonitorProcess) throws { try FileManager.default.removeItem(at: filler(process)) }
}
