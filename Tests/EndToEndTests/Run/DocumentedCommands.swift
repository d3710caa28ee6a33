// What a page of the documents shows: its code blocks, and in those for a console the commands and what they print.

import Foundation
import Lab
import LabFaults
import TestSupport

struct DocumentedCommand {
    /// As somebody types it, without the prompt.
    let line: String
    /// The lines below it; empty where the page shows none.
    var output: String

    /// Whether it can run here: packages, services and other programs' commands cannot.
    var runsHere: Bool { ["aasa-monitor", "echo", "log"].contains(line.prefix { $0 != " " }) }

    /// All of a `console` block, in its order.
    static func all(in block: String) -> [DocumentedCommand] {
        var found: [DocumentedCommand] = []
        for line in block.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("$ ") || line.hasPrefix("# ") {
                // A root prompt ends the output before it. Its command does not run here.
                found.append(
                    .init(line: line.hasPrefix("$ ") ? String(line.dropFirst(2)) : String(line), output: ""))
            } else if let last = found.indices.last {
                found[last].output += line + "\n"
            }
        }
        return found
    }
}

struct DocumentedPage {
    let url: URL
    let text: String
    var commands: [DocumentedCommand] { blocks("console").flatMap(DocumentedCommand.all) }

    /// What its code blocks in a language contain, in its order.
    func blocks(_ language: String) -> [String] {
        text.components(separatedBy: "```\(language)\n").dropFirst().map { $0.components(separatedBy: "\n```")[0] }
    }

    static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized

    init(_ path: String) throws {
        url = Self.root.appending(path: path)
        text = try String(contentsOf: url, encoding: .utf8)
    }

    /// Replaces what the page shows with what the command printed, cut in the same places.
    func rewrite(_ command: DocumentedCommand, _ printed: String) throws {
        let now = try String(contentsOf: url, encoding: .utf8)
        let head = "$ \(command.line)\n"
        let cut = Self.cut(printed, like: command.output)
        try now.replacing(head + command.output, with: head + cut, maxReplacements: 1)
            .write(to: url, atomically: true, encoding: .utf8)
    }

    /// For each run of lines between two `…`, as many lines of `printed` where most of them are the same.
    static func cut(_ printed: String, like shown: String) -> String {
        let lines = printed.trimmingSuffix("\n").components(separatedBy: "\n")
        let parts = shown.trimmingSuffix("\n").components(separatedBy: "\n")
            .split(separator: "…", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return printed }
        var kept: [ArraySlice<String>] = []
        var next = 0
        for (index, part) in parts.enumerated() {
            let last = max(next, lines.count - part.count)
            func same(_ start: Int) -> Int { zip(lines[start...], part).count { $0 == $1 } }
            let best = (next...last).max { same($0) < same($1) } ?? next
            let start = index == 0 ? 0 : index == parts.count - 1 ? last : best
            kept.append(lines[start..<min(start + part.count, lines.count)])
            next = min(start + part.count, lines.count)
        }
        return kept.joined(separator: ["…"]).joined(separator: "\n") + "\n"
    }
}

/// A command's output, ready to be compared: times, ages and identifiers of a run are taken out.
struct SteadyOutput {
    private let parts: [String]

    /// `isWrapped`: whether the lines were broken for a terminal, by the length of those times. The words are
    ///   then compared, paragraph by paragraph.
    init(_ text: String, isWrapped: Bool) {
        guard isWrapped else {
            parts = Self.steady(text.trimmingSuffix("\n")).components(separatedBy: "\n")
            return
        }
        parts = text.trimmingSuffix("\n").components(separatedBy: "\n\n").flatMap { paragraph in
            let words = paragraph.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            return Self.steady(words).split(separator: " ").map(String.init) + ["¶"]
        }
    }

    /// Whether it is what a page shows, where `…` alone stands for any lines.
    func fits(_ shown: SteadyOutput) -> Bool {
        let fixed = shown.parts.split(separator: "…", omittingEmptySubsequences: false)
        guard let first = fixed.first, let last = fixed.last, parts.starts(with: first) else { return false }
        if fixed.count == 1 { return parts.count == first.count }
        var rest = parts.dropFirst(first.count)
        for part in fixed.dropFirst().dropLast() {
            guard let range = rest.firstRange(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return rest.count >= last.count && rest.suffix(last.count).elementsEqual(last)
    }

    private static func steady(_ text: String) -> String {
        text.replacing(LabCDN.host, with: "app-site-association.cdn-apple.com")
            .replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/, with: "INSTANT")
            .replacing(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/, with: "INSTANT")
            .replacing(/\d{1,2} [A-Z][a-z]{2} \d\d:\d\d UTC/, with: "INSTANT")
            .replacing(/\b(age|about|after|every)( ?)\d+ ?(s|min)\b/) { "\($0.1)\($0.2)TIME" }
            .replacing(/\b(age|asked_again_in_seconds): \d+/) { "\($0.1): N" }
            .replacing(/\b[0-9.]+ ms\b/, with: "TIME")
            .replacing(/(status \d+), \d+ s\b/) { "\($0.1), TIME" }
            .replacing(/\+\d+s\b/, with: "+TIME")
            // The host of a channel is the receiver's.
            .replacing(/\(slack, [^)]*\)/, with: "(slack)")
    }
}

extension String {
    fileprivate func trimmingSuffix(_ character: Character) -> String {
        var text = self
        while text.last == character { text.removeLast() }
        return text
    }
}

extension Stage {
    /// Puts a program `aasa-monitor` on the path of ``shell(_:after:isTerminal:beside:)``: the built one, with options that
    /// lead it to the lab. `edges`: the addresses of the CDN.
    func installCommands(edges: [String]?) throws {
        let network = hasLab ? edges.map(self.edges) ?? route : []
        let options = network.map { "'\($0)'" }.joined(separator: " ")
        let program = "'\(MonitorProcess.binary.path)'"
        try install(
            "aasa-monitor",
            """
            command=$1
            shift
            case $command in
            check | lint | match | diff | audit | device) set -- \(options) --max-time \(Self.patience) "$@" ;;
            watch) set -- \(options) --every 1s "$@" ;;
            esac
            exec \(program) "$command" "$@"
            """)
    }

    /// Puts a script on that path, for a program that this machine does not have.
    func install(_ name: String, _ script: String) throws {
        try FileManager.default.createDirectory(atPath: path("bin"), withIntermediateDirectories: true)
        try write("bin/\(name)", "#!/bin/sh\n\(script)\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path("bin/\(name)"))
    }

    /// Runs a line as a shell does.
    /// - Parameters:
    ///   - line: what is typed.
    ///   - previous: what `$?` is.
    ///   - isTerminal: whether it prints to a terminal of 80 columns.
    ///   - beside: what happens meanwhile.
    /// - Returns: standard output, then standard error; and the exit code.
    /// - Throws: where it cannot be started, or ends by a signal.
    func shell(
        _ line: String, after previous: Int32 = 0, isTerminal: Bool = false,
        beside: (@Sendable (MonitorProcess) async throws -> Void)? = nil
    ) async throws -> (text: String, code: Int32) {
        let terminal = isTerminal ? try Terminal() : nil
        let process = try tool(
            "sh", ["-c", "(exit \(previous)); \(line)"],
            environment: ["PATH": "\(path("bin")):\(MonitorProcess.environment["PATH"] ?? "")", "NO_COLOR": "1"],
            output: terminal?.child)
        try await beside?(process)
        var text = ""
        // A terminal's buffer is small: unread, it blocks the program.
        while let terminal, process.end == nil {
            text += terminal.read()
            try await Task.sleep(for: .milliseconds(5))
        }
        guard case .exit(let code) = try await process.ended() else {
            throw NeverCame(what: line, seen: process.errors)
        }
        text += terminal?.read() ?? process.output
        return (text.replacing("\r\n", with: "\n") + process.errors, code)
    }
}
