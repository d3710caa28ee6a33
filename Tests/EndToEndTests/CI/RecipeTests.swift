import Foundation
import Lab
import TestSupport
import Testing

extension EndToEndTests {
    /// Each recipe of deploy/ci goes from a mistake to green, in its own repository.
    @Suite struct RecipeTests {
        @Test("GitHub's action annotates a mistake and turns green after lint --fix; the comment has the proof")
        func github() async throws {
            try await Stage.withoutLab { stage in
                let request = try await PullRequest(on: stage)
                let repository = request.repository
                #expect(request.steps.map(\.name) == ["Install aasa-monitor", "Check the file", "Comment"])
                let red = try await request.run(with: PullRequest.mistaken)
                request.expectRed(red)
                #expect(
                    try JSONValue(repository.read("aasa-reports/lint.sarif"))["runs"][0]["results"].elements.count == 1)

                let green = try await request.mended()
                let verdict = try request.expectGreen(green)
                #expect(repository.read("posted").hasSuffix("<!-- aasa-monitor \(Repository.file) -->\n"))
                #expect(repository.read("summary").contains(verdict))
                #expect(
                    try JSONValue(repository.read("aasa-reports/lint.sarif"))["runs"][0]["results"].elements.isEmpty)
                let results = try await TestResults(repository.read("aasa-reports/match.xml"), on: stage)
                #expect(results.cases.count == 2 && !results.cases.contains(where: \.isFailed))
                #expect(repository.read("calls").contains("repos/acme/site/issues/12/comments"))
                #expect(!repository.read("calls").contains(PullRequest.secret))

                // An existing comment is overwritten.
                try repository.fake("gh", answering: "77")
                let again = try await request.run()
                #expect(again[2].end == .exit(0))
                #expect(repository.read("calls").contains("PATCH\nrepos/acme/site/issues/comments/77"))
                // The token of a fork has no write permission.
                try stage.write("bin/gh", "#!/bin/sh\nexit 1\n")
                let fork = try await request.run()
                #expect(fork[2].end == .exit(0) && fork[2].output.hasPrefix("::warning "))
            }
        }

        @Test("a broken expectation fails with its URL in every recipe")
        func contract() async throws {
            try await Stage.withoutLab { stage in
                let repository = try await Repository(
                    on: stage, file: Sample.clean, expectations: PullRequest.expectations + "\n/shop/1=\(Sample.app)\n")
                let settings = [
                    "AASA_FILE": Repository.file, "AASA_EXPECT": "aasa-expectations", "AASA_BASE": "main",
                ]
                let checked = try await repository.run("\(Recipes.script) check", settings)
                #expect(checked.end == .exit(1))
                #expect(checked.output.contains("/shop/1  opens nothing: no rule matches\n    error: expected to open"))
                #expect(checked.output.contains("✅ **No change**"))
                let results = try await TestResults(repository.read("aasa-reports/match.xml"), on: stage)
                #expect(results.cases.filter(\.isFailed).map(\.name) == ["/shop/1 opens \(Sample.app)"])
                // As a Windows editor writes it.
                try stage.write("aasa-expectations", "  # a screen\r\n\t\r\n /help/website/1=nothing \r\n")
                let lenient = try await repository.run("\(Recipes.script) match", settings)
                #expect(lenient.end == .exit(0), "\(lenient.errors)")
                // The output of an earlier run is not a result of this one.
                let lost = try await repository.run(
                    "\(Recipes.script) diff", settings.merging(["AASA_BASE": "none"]) { $1 })
                #expect(lost.end == .exit(64) && repository.read("aasa-reports/comment.md").isEmpty)
                let path = settings.merging(["AASA_FILE": "/\(Repository.file)"]) { $1 }
                #expect(try await repository.run("\(Recipes.script) diff", path).end == .exit(64))
                try stage.write("aasa-expectations", "# none yet\n")
                #expect(try await repository.run("\(Recipes.script) match", settings).end == .exit(64))
            }
        }

        @Test("GitLab's template goes from red to green without its token on a command line")
        func gitlab() async throws {
            try await Stage.withoutLab { stage in
                let repository = try await Repository(
                    on: stage, file: Sample.clean, expectations: PullRequest.expectations)
                try repository.fake("curl", answering: "[]")
                try stage.write("bin/jq", "#!/bin/sh\ncat >/dev/null\n")
                try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: stage.path("bin/jq"))
                let runner = [
                    "AASA_CI": Recipes.script, "AASA_FILE": Repository.file, "AASA_EXPECT": "aasa-expectations",
                    "CI_MERGE_REQUEST_DIFF_BASE_SHA": "main", "CI_MERGE_REQUEST_IID": "5", "CI_PROJECT_ID": "3",
                    "CI_API_V4_URL": "https://gitlab.example.com/api/v4", "AASA_GITLAB_TOKEN": PullRequest.secret,
                ]
                func run() async throws -> MonitorProcess.End? {
                    let script = try Recipes.commands(ofJob: "universal-links", "script").joined(separator: "\n")
                    let after = try Recipes.commands(ofJob: "universal-links", "after_script").joined(separator: "\n")
                    let end = try await repository.run(script, runner).end
                    #expect(try await repository.run(after, runner).end == .exit(0))
                    return end
                }
                try stage.write(Repository.file, PullRequest.mistaken)
                #expect(try await run() == .exit(1))
                #expect(try JSONValue(repository.read("aasa-reports/codequality.json")).elements.count == 1)
                #expect(try await repository.run("aasa-monitor lint --fix \(Repository.file)", [:]).end == .exit(0))
                #expect(try await run() == .exit(0))
                #expect(try JSONValue(repository.read("aasa-reports/codequality.json")).elements.isEmpty)
                #expect(repository.read("posted").contains("(proven for all URLs)."))
                #expect(repository.read("calls").contains("/projects/3/merge_requests/5/notes"))
                #expect(!repository.read("calls").contains(PullRequest.secret))
                #expect(repository.read("sent").contains("header = \"PRIVATE-TOKEN: \(PullRequest.secret)\""))
            }
        }

        @Test("the hooks find a mistake in a commit and fix what has only one right answer")
        func hooks() async throws {
            try await Stage.withoutLab { stage in
                let repository = try await Repository(
                    on: stage, file: Sample.clean, expectations: PullRequest.expectations)
                let text = try String(
                    contentsOf: Recipes.folder.appending(path: "../../.pre-commit-hooks.yaml"), encoding: .utf8)
                let entries = text.matches(of: /(?m)^  entry: (.+)$/).map { String($0.output.1) }
                #expect(entries == ["aasa-monitor lint", "aasa-monitor lint --fix"])
                for files in text.matches(of: /(?m)^  files: (.+)$/) {
                    let pattern = try Regex(String(files.output.1))
                    #expect(try pattern.firstMatch(in: Repository.file) != nil)
                }
                try stage.write(Repository.file, PullRequest.mistaken)
                #expect(try await repository.run("\(entries[0]) \(Repository.file)", [:]).end == .exit(1))
                #expect(try await repository.run("\(entries[1]) \(Repository.file)", [:]).end == .exit(0))
                #expect(try await repository.run("\(entries[0]) \(Repository.file)", [:]).end == .exit(0))
            }
        }

        @Test("after a deploy the recipe waits for Apple's CDN, and fails if the CDN does not follow")
        func watch() async throws {
            try await Stage.with { stage in
                let repository = try await Repository(
                    on: stage, file: Sample.clean, expectations: PullRequest.expectations)
                stage.lab.origin("watch.test").serve(Sample.clean)
                // The recipe has no options for the network, but the test must reach the lab.
                let lab = "exec \(MonitorProcess.binary.path) \"$@\" \(stage.route.joined(separator: " "))"
                try FileManager.default.removeItem(atPath: stage.path("bin/aasa-monitor"))
                try stage.write("bin/aasa-monitor", "#!/bin/sh\n\(lab)\n")
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o755], ofItemAtPath: stage.path("bin/aasa-monitor"))
                let step = try #require(
                    try Recipes.steps(["mode": "watch", "domain": "watch.test", "max-time": Stage.patience]).last)
                #expect(step.name == "Watch Apple's CDN")
                let runner = ["GITHUB_ACTIONS": "true", "GITHUB_ACTION_PATH": Recipes.folder.path]
                let watched = try await repository.run(step.command, runner.merging(step.environment) { $1 })
                #expect(watched.end == .exit(0), "\(watched.output)\(watched.errors)")
                #expect(watched.output.contains("::notice"))
                stage.lab.origin("gone.test").behaviour = .reply(.status(404))
                let settings = ["AASA_DOMAIN": "gone.test", "AASA_MAX_TIME": "1"]
                let gone = try await repository.run("\(Recipes.script) watch", settings)
                #expect(gone.end == .exit(1), "\(gone.output)\(gone.errors)")
            }
        }

        @Test("a package with the wrong hash is not installed, and a missing setting is named")
        func install() async throws {
            try await Stage.withoutLab { stage in
                let repository = try await Repository(
                    on: stage, file: Sample.clean, expectations: PullRequest.expectations)
                try FileManager.default.removeItem(atPath: stage.path("bin/aasa-monitor"))
                try stage.write(
                    "bin/curl", "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\necho package >\"$2\"\n")
                for name in ["curl", "apt-get", "sudo"] {
                    if name != "curl" { try stage.write("bin/\(name)", "#!/bin/sh\necho \"$0 $*\" >>installed\n") }
                    try FileManager.default.setAttributes(
                        [.posixPermissions: 0o755], ofItemAtPath: stage.path("bin/\(name)"))
                }
                let unset = try await repository.run("\(Recipes.script) install", [:])
                #expect(unset.end == .exit(64) && unset.errors.contains("AASA_PACKAGE_URL is not set"))
                let url = ["AASA_PACKAGE_URL": "https://packages.example.com/aasa-monitor.deb"]
                let wrong = ["AASA_PACKAGE_SHA256": String(repeating: "0", count: 64)]
                let refused = try await repository.run("\(Recipes.script) install", url.merging(wrong) { $1 })
                #expect(refused.end == .exit(64) && refused.errors.contains("nothing was installed"))
                #expect(repository.read("installed").isEmpty)
                let right = ["AASA_PACKAGE_SHA256": "4e9416efcf77b84013f263e1f9008c656861298be5aabc82f458e6e47c60d9ff"]
                #expect(
                    try await repository.run("\(Recipes.script) install", url.merging(right) { $1 }).end == .exit(0))
                #expect(repository.read("installed").contains("aasa-monitor.deb"))
            }
        }

        @Test("recipes pin what they download and never paste text of a pull request into a command")
        func pins() throws {
            for name in ["action.yml", "github-workflow.yml"] {
                let text = try Recipes.text(name)
                for use in text.matches(of: /uses: (\S+)@(\S+)/) where !use.output.1.hasPrefix("aasa-monitor/") {
                    #expect(use.output.2.wholeMatch(of: /[0-9a-f]{40}/) != nil, "\(use.output.0)")
                }
                for run in text.matches(of: /(?m)run: (.*)$/) { #expect(!run.output.1.contains("${{")) }
            }
            #expect(try Recipes.text("gitlab.yml").contains("image: debian:12.12-slim\n"))
            let page = try DocumentedPage("docs/in-ci.md").text
            for name in ["github-workflow.yml", "gitlab.yml", "Jenkinsfile", ".pre-commit-hooks.yaml"] {
                #expect(page.contains(name), "\(name)")
            }
            let script = try Recipes.text("aasa-ci.sh")
            for setting in Set(script.matches(of: /AASA_[A-Z0-9_]+/).map { String($0.output) }) {
                #expect(page.contains("`\(setting)`"), "docs/in-ci.md has no \(setting)")
            }
        }
    }
}
