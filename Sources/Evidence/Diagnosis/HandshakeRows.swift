// TLS that fails for some: for Apple alone, or at some addresses alone.

extension Diagnosis {
    static let handshakeRows: [Row] = [
        { context in
            guard let finding = context.error("origin.certificate-chain-incomplete"),
                case .origin(.fault(.certificateChain(let missing, _), _)) = finding.matter
            else { return nil }
            return .origin(.chainIncomplete(missing: missing, place: context.place(of: finding)))
        },
        { context in
            guard context.check.readings.originFile != nil else { return nil }
            let rules = [
                "certificate-expired", "certificate-not-yet-valid", "certificate-name-mismatch",
                "certificate-untrusted", "tls-failed", "tls-version",
            ]
            guard let finding = rules.lazy.compactMap({ context.error("origin.\($0)") }).first,
                let fault = context.fault(finding)
            else { return nil }
            let place = context.place(of: finding)
            return .origin(
                place.addresses.isEmpty ? .fault(fault, place: place) : .certificateAtAddress(fault, place: place))
        },
    ]
}
