// What deploy/ci makes a runner do, and a repository for it.

import Foundation
import TestSupport
import Testing
import Yams

enum Recipes {
    static let folder = URL(filePath: #filePath).appending(path: "../../../../deploy/ci").standardized
    static var script: String { folder.appending(path: "aasa-ci.sh").path }

    static func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    /// A step of the action that runs a command: its name, the command, and its variables.
    struct Step {
        let name: String
        let command: String
        let environment: [String: String]
    }

    /// The steps with the inputs filled in, without steps for other modes and other actions.
    static func steps(_ inputs: [String: String]) throws -> [Step] {
        let root = try Yams.compose(yaml: try text("action.yml"))
        var values = inputs
        for (key, input) in root?["inputs"]?.mapping.map(Array.init) ?? [] {
            if let name = key.string, values[name] == nil { values[name] = input["default"]?.string }
        }
        return (root?["runs"]?["steps"]?.sequence.map(Array.init) ?? []).compactMap { step in
            guard let command = step["run"]?.string, let name = step["name"]?.string else { return nil }
            if let mode = step["if"]?.string?.firstMatch(of: /inputs.mode == '(\w+)'/)?.1, mode != values["mode"] ?? ""
            {
                return nil
            }
            let pairs = (step["env"]?.mapping.map(Array.init) ?? []).map { key, value in
                let filled = (value.string ?? "").replacing(/\$\{\{ inputs\.([\w-]+) \}\}/) {
                    values[String($0.1)] ?? ""
                }
                return (key.string ?? "", filled)
            }
            return Step(name: name, command: command, environment: Dictionary(pairs) { $1 })
        }
    }

    /// The commands of a job in the GitLab template.
    static func commands(ofJob job: String, _ part: String) throws -> [String] {
        let root = try Yams.compose(yaml: try text("gitlab.yml"))
        return (root?[job]?[part]?.sequence.map(Array.init) ?? []).compactMap(\.string)
    }
}

/// A repository with a file and expectations. Requests merge into its branch `main`.
struct Repository {
    static let file = "public/.well-known/apple-app-site-association"
    private let stage: Stage

    init(on stage: Stage, file text: String, expectations: String) async throws {
        self.stage = stage
        try FileManager.default.createDirectory(
            at: stage.folder.appending(path: "public/.well-known"), withIntermediateDirectories: true)
        try FileManager.default.createDirectory(
            at: stage.folder.appending(path: "bin"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            at: stage.folder.appending(path: "bin/aasa-monitor"), withDestinationURL: MonitorProcess.binary)
        try stage.write(Self.file, text)
        try stage.write("aasa-expectations", expectations)
        try await git("init", "-q", "-b", "main")
        try await commit()
        try await git("update-ref", "refs/remotes/origin/main", "HEAD")
        try await git("checkout", "-q", "-b", "change")
    }

    func git(_ arguments: String...) async throws {
        let options = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "core.hooksPath=hooks"]
        let process = try stage.tool("git", options + arguments)
        guard try await process.ended() == .exit(0) else {
            throw NeverCame(what: "git \(arguments)", seen: process.errors)
        }
    }

    func commit() async throws {
        try await git("add", "public", "aasa-expectations")
        try await git("commit", "-q", "-m", "change")
    }

    /// Runs a command of a recipe as its runner does.
    func run(_ command: String, _ environment: [String: String]) async throws -> MonitorProcess {
        let path = "\(stage.path("bin")):/usr/local/bin:/usr/bin:/bin"
        let variables = ["PATH": path, "HOME": stage.folder.path].merging(environment) { $1 }
            .map { "\($0)=\($1)" }
        let process = try stage.tool("env", ["-i"] + variables + ["sh", "-e", "-c", command])
        try await process.ended()
        return process
    }

    /// Replaces a program of the service with a fake that records its arguments and its input.
    func fake(_ name: String, answering answer: String) throws {
        let text = """
            #!/bin/sh
            printf '%s\\n' "$@" >>calls
            for last in "$@"; do case $last in *=@*|*@*.md) cp "${last#*@}" posted ;; esac; done
            [ -t 0 ] || cat >>sent
            cat <<'END'
            \(answer)
            END
            """
        try stage.write("bin/\(name)", text)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: stage.path("bin/\(name)"))
    }

    func read(_ name: String) -> String {
        (try? String(contentsOf: stage.folder.appending(path: name), encoding: .utf8)) ?? ""
    }
}

/// A pull request on GitHub that changes the file, and what its runner does: deploy/ci/action.yml, with a simulated
/// service.
struct PullRequest {
    static let expectations = """
        # What the app's screens need.
        /buy/1?coupon=x=\(Sample.app)
        /help/website/1=nothing
        """
    /// A comma too many, and /news becomes /blog.
    static let mistaken = Sample.clean.replacing("/news/*", with: "/blog/*")
        .replacing(##""#": "top"}"##, with: ##""#": "top"},"##)
    static let secret = "token-of-the-test"

    let repository: Repository
    let steps: [Recipes.Step]
    private let stage: Stage

    init(on stage: Stage) async throws {
        self.stage = stage
        repository = try await Repository(on: stage, file: Sample.clean, expectations: Self.expectations)
        try repository.fake("gh", answering: "")
        steps = try Recipes.steps([
            "file": Repository.file, "domain": "example.com", "expect": "aasa-expectations", "token": Self.secret,
        ])
    }

    /// Runs every step unchanged.
    func run() async throws -> [MonitorProcess] {
        let runner = [
            "GITHUB_ACTIONS": "true", "GITHUB_BASE_REF": "main", "GITHUB_REF": "refs/pull/12/merge",
            "GITHUB_REPOSITORY": "acme/site", "GITHUB_STEP_SUMMARY": "summary",
            "GITHUB_ACTION_PATH": Recipes.folder.path,
        ]
        var ran: [MonitorProcess] = []
        for step in steps {
            ran.append(try await repository.run(step.command, runner.merging(step.environment) { $1 }))
        }
        return ran
    }

    /// Commits this text and runs the steps.
    func run(with text: String) async throws -> [MonitorProcess] {
        try stage.write(Repository.file, text)
        try await repository.commit()
        return try await run()
    }

    /// Commits the result of `lint --fix` and runs the steps.
    func mended() async throws -> [MonitorProcess] {
        let fixed = try await repository.run("aasa-monitor lint --fix \(Repository.file)", [:])
        #expect(fixed.end == .exit(0), "\(fixed.output)")
        try await repository.commit()
        return try await run()
    }

    /// The run of `mistaken` failed and pointed at the mistake.
    func expectRed(_ ran: [MonitorProcess]) {
        #expect(ran.map(\.end) == [.exit(0), .exit(1), .exit(0)], "\(ran.map(\.errors))")
        #expect(ran[1].output.contains("::error file=\(Repository.file),line=9,col=37,"), "\(ran[1].output)")
        #expect(ran[1].errors.contains("lint --fix \(Repository.file)"))
        #expect(ran[1].output.contains("❌ **Devices ignore the new file.**"))
    }

    /// Expects that the run after `lint --fix` passed, and that the comment has the proof.
    /// - Returns: the first line of the comment.
    func expectGreen(_ ran: [MonitorProcess]) throws -> Substring {
        #expect(ran.map(\.end) == [.exit(0), .exit(0), .exit(0)], "\(ran.map(\.errors))")
        #expect(!ran[1].output.contains("::error"))
        let verdict = try #require(repository.read("posted").split(separator: "\n").first)
        #expect(verdict.hasPrefix("⚠️ **This change opens <code>/blog\\#top"))
        #expect(verdict.hasSuffix("(proven for all URLs)."))
        return verdict
    }
}
