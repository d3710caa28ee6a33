import AASA
import TestTraits
import Testing

/// The root suite of this target.
@Suite("AASA", .timeLimit(.minutes(120)), .computing)
struct AASASuite {}

/// The error for this text, or nil if it is accepted.
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
