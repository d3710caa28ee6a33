import AASA
import TestTraits
import Testing

/// The root of this target's tests.
@Suite("AASA", .timeLimit(.minutes(120)), .computing)
struct AASASuite {}

/// The error that a text gives, or nil where it is accepted.
func fault(in bytes: [UInt8]) -> JSONSyntaxError? {
    do {
        _ = try JSONDocument(parsing: bytes)
        return nil
    } catch {
        return error
    }
}

func fault(in text: String) -> JSONSyntaxError? { fault(in: Array(text.utf8)) }

func document(_ text: String) throws -> JSONDocument { try JSONDocument(parsing: Array(text.utf8)) }
