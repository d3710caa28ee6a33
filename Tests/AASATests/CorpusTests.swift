import AASA
import TestSupport
import Testing

extension AASASuite {
    @Suite("Corpus")
    struct CorpusTests {
        @Test("the public JSON suite: y_ is accepted, n_ is refused, i_ may be either")
        func suite() throws {
            guard let corpus = Corpus.find(holding: "json-suite") else { return }
            let files = try corpus.files(in: "json-suite", withExtension: "json")
            #expect(files.count > 300)
            for file in files {
                let error = fault(in: file.bytes)
                if file.name.hasPrefix("y_") { #expect(error == nil, "\(file.name)") }
                if file.name.hasPrefix("n_") { #expect(error != nil, "\(file.name)") }
            }
        }

        @Test("each real file is read or refused at a position, and does not differ from itself")
        func realFiles() throws {
            guard let corpus = Corpus.find(holding: "aasa") else { return }
            let files = try corpus.files(in: "aasa", withExtension: "aasa")
            #expect(!files.isEmpty)
            var accepted = 0
            for file in files {
                do {
                    let parsed = try JSONDocument(parsing: file.bytes)
                    accepted += 1
                    #expect(AssociationDiff.compare(parsed, parsed).changes.isEmpty, "\(file.name)")
                    let again = try JSONDocument(parsing: parsed.root.canonicalForm)
                    #expect(AssociationDiff.compare(parsed, again).changes.isEmpty, "\(file.name)")
                } catch {
                    #expect((0...file.bytes.count).contains(error.offset), "\(file.name)")
                }
            }
            #expect(accepted > files.count / 2)
        }
    }
}
