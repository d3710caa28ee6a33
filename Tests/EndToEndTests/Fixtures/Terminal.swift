import Foundation
import Glibc

/// A terminal without a user.
struct Terminal {
    /// The end that a child gets as its standard output.
    let child: FileHandle
    private let own: FileHandle

    /// `TIOCSPTLCK` and `TIOCGPTN`: https://man7.org/linux/man-pages/man2/ioctl_tty.2.html
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    struct Unavailable: Error {}

    init() throws {
        // Swift does not import `posix_openpt` and related functions; these are the calls that they make.
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        var unlocked: Int32 = 0
        var number: Int32 = 0
        guard master >= 0, ioctl(master, Self.setLock, &unlocked) == 0, ioctl(master, Self.getNumber, &number) == 0
        else { throw Unavailable() }
        let slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard slave >= 0 else { throw Unavailable() }
        own = FileHandle(fileDescriptor: master, closeOnDealloc: true)
        child = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
    }

    /// The output so far; a terminal holds only a few KiB.
    func read() -> String {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        var all: [UInt8] = []
        while true {
            let count = Glibc.read(own.fileDescriptor, &bytes, bytes.count)
            guard count > 0 else { return String(decoding: all, as: UTF8.self) }
            all += bytes[..<count]
        }
    }
}
