// A file system of a few megabytes in its own mount namespace, for a daemon whose disk is full.

import Foundation
import TestTraits

/// A disk that only one process and its children see, at `disk` in the stage's folder.
struct SmallDisk: Sendable {
    let stage: Stage

    /// Whether a process can have its own file system here.
    static var isPossible: Bool { get async { await trial.value } }

    private static let trial = Task {
        let mount = ["unshare", "-rm", "mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", "/mnt"]
        return (try? await ChildProcess.run(URL(filePath: "/usr/bin/env"), mount))?.exitCode == 0
    }

    init(_ stage: Stage) throws {
        self.stage = stage
        try FileManager.default.createDirectory(atPath: stage.path("disk"), withIntermediateDirectories: true)
    }

    /// Starts the daemon on it. `megabytes`: if the daemon continues afterwards, more than 4 MiB, the size that
    /// SQLite's log reaches before it is written back; otherwise the disk fills a second time. `before`: shell commands
    /// that run first, with the program as `$PROGRAM`.
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

    /// Shell words that fill the disk.
    static let filling = "{ dd if=/dev/zero of=disk/filler bs=4096 2>dd.log || true; }"

    /// The file that fills the disk, as seen from outside the namespace.
    private func filler(_ process: MonitorProcess) -> URL {
        URL(filePath: "/proc/\(process.pid)/root\(stage.path("disk/filler"))")
    }

    func fill(_ process: MonitorProcess) throws {
        let filler = filler(process)
        _ = FileManager.default.createFile(atPath: filler.path, contents: nil)
        let handle = try FileHandle(forWritingTo: filler)
        while (try? handle.write(contentsOf: Data(repeating: 1, count: 4096))) != nil {}
        try handle.close()
    }

    func clear(_ process: MonitorProcess) throws { try FileManager.default.removeItem(at: filler(process)) }
}
