// The file itself, and what people expect of it. The words are those of the finding that the rule names.

package enum FileCause: Codable, Equatable, Sendable {
    case fault(Rule)
    case warning(Rule)
    case byteOrderMark
    /// `inCopy`: Apple's copy is the same file.
    case expectationFailed(Rule, inCopy: Bool)
    case pageMissing
    /// A finding that no row knows.
    case finding(Rule)

    var id: DiagnosisID {
        switch self {
        case .fault: .fileFault
        case .warning: .fileWarning
        case .byteOrderMark: .byteOrderMark
        case .expectationFailed: .expectationFailed
        case .pageMissing: .pageMissing
        case .finding: .finding
        }
    }
}

extension Cause {
    /// The rule of the finding that has the words; nil where the cause says all by itself.
    package var rule: Rule? {
        guard case .file(let cause) = self else { return nil }
        return switch cause {
        case .fault(let rule), .warning(let rule), .expectationFailed(let rule, _), .finding(let rule): rule
        case .pageMissing: .expect("page-missing")
        case .byteOrderMark: nil
        }
    }
}
