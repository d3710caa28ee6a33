// `make simulate SEEDS=1..200 DAYS=20`: the deterministic simulation of the whole monitor. docs/reliability.md
// describes what it checks.

import Foundation
import Simulation

do {
    let command = try SimulationCommand(Array(CommandLine.arguments.dropFirst()))
    let failed = try await command.run { line in
        print(line)
        fflush(nil)
    }
    exit(failed.isEmpty ? 0 : 1)
} catch let usage as SimulationCommand.Usage {
    FileHandle.standardError.write(Data("\(usage)\n".utf8))
    exit(64)
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(70)
}
