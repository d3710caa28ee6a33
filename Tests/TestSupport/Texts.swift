// Texts as of the tests' current time.

import Evidence
import Foundation

extension Verdict {
    package var text: DiagnosisText { text(at: .testing) }
}

extension Diagnosis {
    package var text: DiagnosisText { text(at: .testing) }
}

extension Finding {
    package var text: FindingText { text(at: .testing) }
}

extension IgnoredFinding {
    package var text: IgnoredFindingText { text(at: .testing) }
}
