import Evidence
import Foundation
import Monitoring
import ServiceLifecycle

/// The judgement over all domains as a service: soon after checks, and not at each of them.
struct FleetService: Service {
    let judge: FleetJudge
    let time: any Timekeeper

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await judge.judgeIfDue()
                try? await time.sleep(for: await judge.pause)
            }
        }
    }
}
