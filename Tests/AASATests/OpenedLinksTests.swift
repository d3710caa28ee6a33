import TestSupport
import Testing

@testable import AASA

extension AASASuite {
    @Suite("Opened links")
    struct OpenedLinksTests {
        private func isFound(_ links: AppLinks) -> Bool {
            let comparison = BehaviourDiff.compare(nil, links)
            return !comparison.incompleteApps.isEmpty || comparison.changes.contains { $0.to == .opens }
        }

        @Test(
            "URLs from a rule's own patterns give the same result as the full search, on random rules",
            arguments: UInt64(1)...8)
        func random(_ seed: UInt64) throws {
            var random = RandomLanguage(seed: seed &* 73)
            for round in 0..<25 {
                let components = (0..<1 + random.random.next() % 5).map { _ in random.component(isRich: round % 2 == 0)
                }
                let links = try LanguageFixture.links(
                    components.joined(separator: ","), applinks: RandomLanguage.variables)
                #expect(links.opensLinks == isFound(links), "\(components)")
            }
        }

        @Test(
            "exclusions and impossible patterns can keep a file from opening anything",
            arguments: [
                (#"{"/":"*"}"#, true),
                (#"{"/":"/a","exclude":true},{"/":"*"}"#, true),
                (#"{"/":"*","exclude":true},{"/":"/a"}"#, false),
                (#"{"/":"/a","exclude":true}"#, false),
                (#"{"/":"/zq*","exclude":true},{"/":"/a*","exclude":true},{"/":"/?"}"#, true),
                (#"{"/":"/café/*"}"#, false),
                ("", false),
            ])
        func cases(_ components: String, _ opens: Bool) throws {
            let links = try LanguageFixture.links(components)
            #expect(links.opensLinks == opens)
            #expect(isFound(links) == opens)
        }

        @Test("a template of an app ID is not an app")
        func template() throws {
            let text =
                #"{"applinks":{"details":[{"appIDs":["$(AppIdentifierPrefix)com.a"],"components":[{"/":"*"}]}]}}"#
            let links = try #require(try AssociationFile(parsing: Array(text.utf8)).applinks)
            #expect(!links.opensLinks)
        }

        @Test("each real file gives the same result as the full search")
        func corpus() throws {
            guard let corpus = Corpus.find(holding: "aasa") else { return }
            for file in try corpus.files(in: "aasa", withExtension: "aasa") {
                guard let links = (try? AssociationFile(parsing: file.bytes))?.applinks else { continue }
                #expect(links.opensLinks == isFound(links), "\(file.name)")
            }
        }
    }
}
