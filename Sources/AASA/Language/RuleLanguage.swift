/// The URLs that a rule matches, as a machine for each part that the rule looks at.
struct RuleLanguage {
    /// By phase; nil where the part does not count.
    let machines: [(any PartMachine)?]

    init(_ key: RuleKey, meter: WorkMeter) throws(LanguageBudget.Exhausted) {
        func machine(_ elements: [PatternElement]?) throws(LanguageBudget.Exhausted) -> (any PartMachine)? {
            guard let elements else { return nil }
            return try PatternMachine(
                elements, isCaseSensitive: key.isCaseSensitive, isPercentEncoded: key.isPercentEncoded, meter: meter)
        }
        let query: (any PartMachine)?
        switch key.query {
        case .any: query = nil
        case .whole(let elements): query = try machine(elements)
        case .items(let items):
            query = try QueryItemsMachine(
                items, isCaseSensitive: key.isCaseSensitive, isPercentEncoded: key.isPercentEncoded, meter: meter)
        }
        machines = [try machine(key.path), query, try machine(key.fragment)]
    }

    /// The state at the start of a phase.
    func start(of phase: URLPhase) -> Int32 {
        settled(machines[phase.rawValue]?.start ?? PartState.everything, in: phase)
    }

    /// The characters that may lead on from a state.
    func possible(_ state: Int32, in phase: URLPhase) -> ByteSet {
        guard state >= PartState.first, let machine = machines[phase.rawValue] else { return .url }
        return machine.possible(state)
    }

    func step(_ state: Int32, _ byte: UInt8, in phase: URLPhase) throws(LanguageBudget.Exhausted) -> Int32 {
        guard state >= PartState.first, let machine = machines[phase.rawValue] else { return state }
        return settled(try machine.step(state, byte), in: phase)
    }

    /// The state in the next phase, after this one has ended.
    func end(_ state: Int32, of phase: URLPhase) -> Int32 {
        guard accepts(state, in: phase) else { return PartState.dead }
        guard state != PartState.decided, let next = URLPhase(rawValue: phase.rawValue + 1) else {
            return PartState.decided
        }
        return start(of: next)
    }

    private func accepts(_ state: Int32, in phase: URLPhase) -> Bool {
        state < PartState.first ? state != PartState.dead : machines[phase.rawValue]?.accepts(state) ?? true
    }

    private func settled(_ state: Int32, in phase: URLPhase) -> Int32 {
        guard state == PartState.everything, machines[(phase.rawValue + 1)...].allSatisfy({ $0 == nil }) else {
            return state
        }
        return PartState.decided
    }
}
