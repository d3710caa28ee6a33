// Somebody restores the store from a backup: the process starts with what was committed then. Receivers know what came
// later, and the audit forgets it together with the store.

import Evidence
import Foundation
import GRDB
import Monitoring

/// A copy of the store, with what the world and the audit knew at that time.
struct Backup {
    let path: String
    let audit: Audit
    let states: [Int: DomainState]
    let outlooks: [Int: Outlook]
    let silences: [Silence]
    let maybeRetired: Set<Int>
    let places: [String: String]
}

extension Simulation {
    func takeBackup() {
        guard let process, !process.trouble.isDead, busy.isEmpty else {
            return agenda.add(.backup, at: clock.passed + 60_000)
        }
        agenda.add(.backup, at: clock.passed + machineDice.hours(mean: 30))
        takeIn()
        let path = "\(plan.folder)/backup.db"
        do {
            try? FileManager.default.removeItem(atPath: path)
            try reading?.copy(to: path)
        } catch {
            // Another program holds the lock, or the disk is full: there is no backup, and `store backup` says so.
            return backup = nil
        }
        backup = Backup(
            path: path, audit: audit, states: states, outlooks: outlooks, silences: silences,
            maybeRetired: maybeRetired, places: places)
        figures.count("machine: backups")
        log.note(clock.passed, "the store is backed up")
        agenda.add(.restore, at: clock.passed + machineDice.hours(mean: 10))
    }

    /// Somebody stops the process and puts the backup in the store's place; the next start finds it.
    func restore() {
        guard backup != nil else { return }
        isRestoring = true
        figures.count("machine: store restored from a backup")
        log.note(clock.passed, "the store is restored from its backup")
        crash()
    }

    /// The backup that the next process finds in place of the last store; nil: nobody restored one.
    func takeRestored() -> String? {
        guard isRestoring, let backup else { return nil }
        isRestoring = false
        self.backup = nil
        audit = backup.audit
        states = backup.states
        outlooks = backup.outlooks
        silences = backup.silences
        maybeRetired = backup.maybeRetired
        places = backup.places
        return backup.path
    }

    /// A pager's key depends on the problem, not on the store, so one store can resolve what another one opened.
    func examinePagerKey(_ message: StoredMessage, _ body: Data) throws {
        struct Pager: Decodable { let dedup_key: String }
        guard let incident = message.members.first.flatMap({ audit.ledger[$0.incident] }), !incident.isGlobal else {
            return
        }
        let key = try JSONDecoder().decode(Pager.self, from: body).dedup_key
        let problem = "\(incident.kind.rawValue) of \(incident.domain)"
        guard pagerKeys.updateValue(key, forKey: problem).map({ $0 == key }) ?? true else {
            throw Violation(rule: .keys, detail: "a pager gets \(problem) with another key than before")
        }
    }
}
