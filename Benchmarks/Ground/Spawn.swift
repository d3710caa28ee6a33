import Glibc

/// Starts a program in a process group of its own, with no signal blocked and a bare environment: neither proxies nor CA
/// settings of the user's may reach one contender and not the others.
///
/// - Parameters:
///   - program: path of it.
///   - arguments: without the program's name.
///   - output: file for standard output, replaced.
///   - complaints: file for standard error, replaced.
/// - Returns: the child's process id, which is that of its group too.
/// - Throws: `BenchFault` where the program cannot be run.
func spawn(_ program: String, _ arguments: [String], output: String, complaints: String) throws -> pid_t {
    var attributes = posix_spawnattr_t()
    var actions = posix_spawn_file_actions_t()
    posix_spawnattr_init(&attributes)
    posix_spawn_file_actions_init(&actions)
    defer {
        posix_spawnattr_destroy(&attributes)
        posix_spawn_file_actions_destroy(&actions)
    }
    var none = sigset_t()
    sigemptyset(&none)
    var ignored = sigset_t()
    sigemptyset(&ignored)
    sigaddset(&ignored, SIGPIPE)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &ignored)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
        &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, complaints, O_WRONLY | O_CREAT | O_TRUNC, 0o600)

    var words = copies([program] + arguments)
    var environment = copies(["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C"])
    defer { for word in words + environment { free(word) } }
    var child: pid_t = 0
    let code = posix_spawn(&child, program, &actions, &attributes, &words, &environment)
    guard code == 0 else { throw BenchFault("\(program) cannot be run: \(String(cString: strerror(code)))") }
    return child
}

/// As C wants an array of texts: nil at its end.
private func copies(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] { texts.map { strdup($0) } + [nil] }
