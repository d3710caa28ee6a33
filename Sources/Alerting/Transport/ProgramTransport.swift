// Messages to programs of the operator's: what a program's end means as an answer. How one runs is in ProgramRun.swift.

import Evidence
import Foundation
import Glibc

extension ReceiverTransport {
    /// - Throws: `CancellationError`, after the program was ended.
    static func run(_ call: ProgramCall, _ request: MessageRequest) async throws -> TransportAnswer {
        try Task.checkCancellation()
        let run: ProgramRun
        do {
            run = try ProgramRun(call, input: request.body)
        } catch {
            return TransportAnswer(
                status: nil,
                fault: TransportFault(
                    kind: error.isOfProgram ? .program : .network, detail: error.description, wasSent: false))
        }
        let result = await withTaskCancellationHandler {
            await run.result(within: request.timeout)
        } onCancel: {
            run.cancel()
        }
        let fault: String
        switch result.end {
        // It ended by itself, even where its time was up in the same moment.
        case .exit(let code): return TransportAnswer(status: Int(code), body: result.output)
        case .signal where result.isCancelled: throw CancellationError()
        case .signal where result.isOverTime:
            fault = "it took longer than \(request.timeout.components.seconds) s, and was ended"
        case .signal(let number): fault = "it was ended by signal \(number)"
        }
        return TransportAnswer(
            status: nil, body: result.output, fault: TransportFault(kind: .network, detail: fault))
    }
}

/// Why a program did not start.
struct ProgramCannotStart: Error, CustomStringConvertible {
    let file: String
    /// As in `errno`.
    let number: Int32

    /// The file is at fault, and not this machine's want of memory or processes.
    var isOfProgram: Bool { ![EAGAIN, ENOMEM, EMFILE, ENFILE, ENOBUFS].contains(number) }

    var description: String {
        let place = number == ENOENT ? " (the file, or the interpreter in its first line)" : ""
        return "\(file) cannot be started: \(String(cString: strerror(number)))\(place)"
    }
}
