// One c-ares channel. https://c-ares.org/docs.html

import CCares
import Glibc

final class ResolverChannel {
    /// What c-ares wants to know of its sockets. An object of its own: c-ares still calls back while a channel is destroyed.
    final class Sockets {
        var events: [ares_socket_t: Int16] = [:]
    }

    /// What a callback is given.
    private final class Question {
        let lookUp: LookUp
        let channel: ResolverChannel
        /// For a failure: the caller's own next step.
        let askAgain: () -> Void

        init(_ lookUp: LookUp, _ channel: ResolverChannel, askAgain: @escaping () -> Void) {
            self.lookUp = lookUp
            self.channel = channel
            self.askAgain = askAgain
        }
    }

    private final class AliasQuestion {
        let lookUp: LookUp
        let channel: ResolverChannel
        let fault: LookUpFault

        init(_ lookUp: LookUp, _ channel: ResolverChannel, _ fault: LookUpFault) {
            self.lookUp = lookUp
            self.channel = channel
            self.fault = fault
        }
    }

    let sockets = Sockets()
    let madeAt = ContinuousClock.now
    private(set) var active = 0
    private let handle: ares_channel
    private let isFrank: Bool

    /// To each server, for the first attempt; twice as long for the second, which is the last.
    private static let milliseconds: Int32 = 2000

    /// nil where memory ran out, or the configuration of this machine cannot be read.
    init?(servers: String?, isFrank: Bool) {
        self.isFrank = isFrank
        var options = ares_options()
        options.timeout = Self.milliseconds
        options.tries = 2
        options.sock_state_cb = { data, socket, isRead, isWritten in
            guard let data else { return }
            let sockets = Unmanaged<Sockets>.fromOpaque(data).takeUnretainedValue()
            let events = (isRead != 0 ? Int16(POLLIN) : 0) | (isWritten != 0 ? Int16(POLLOUT) : 0)
            sockets.events[socket] = events == 0 ? nil : events
        }
        options.sock_state_cb_data = Unmanaged.passUnretained(sockets).toOpaque()
        var mask = ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB
        if isFrank {
            options.flags = ARES_FLAG_NOCHECKRESP | ARES_FLAG_NOSEARCH
            mask |= ARES_OPT_FLAGS
        }
        var made: ares_channel?
        guard ares_init_options(&made, &options, mask) == 0, let made else { return nil }
        handle = made
        if let servers, ares_set_servers_ports_csv(made, servers) != 0 { return nil }
    }

    // Nothing is under way any more: each look-up holds its channel.
    deinit { ares_destroy(handle) }

    /// `askAgain`: called in place of a failure that is not confirmed.
    func ask(_ lookUp: LookUp, askAgain: @escaping () -> Void) {
        var hints = ares_addrinfo_hints()
        hints.ai_family = isFrank ? AF_INET : AF_UNSPEC
        active += 1
        let question = Unmanaged.passRetained(Question(lookUp, self, askAgain: askAgain))
        ares_getaddrinfo(
            handle, lookUp.host, nil, &hints,
            { context, status, _, found in
                defer { ares_freeaddrinfo(found) }
                guard let context else { return }
                let question = Unmanaged<Question>.fromOpaque(context).takeRetainedValue()
                question.channel.active -= 1
                question.channel.answer(question.lookUp, status, found, question.askAgain)
            }, question.toOpaque())
    }

    private func answer(
        _ lookUp: LookUp, _ status: Int32, _ found: UnsafeMutablePointer<ares_addrinfo>?, _ askAgain: () -> Void
    ) {
        let outcome = aasa_ares_outcome_of(status)
        guard outcome == AASA_ARES_FOUND else {
            if !isFrank { return askAgain() }
            let words = ares_strerror(status).map { String(cString: $0) } ?? "error \(status)"
            let fault = LookUpFault(kind: Self.kind(outcome), detail: words)
            return fault.kind == .noSuchName || fault.kind == .noAddress
                ? askAlias(lookUp, fault) : lookUp.finish(.failure(fault))
        }
        let addresses = Self.addresses(found)
        lookUp.finish(
            addresses.isEmpty
                ? .failure(LookUpFault(kind: .noAddress, detail: "the name has no address")) : .success(addresses))
    }

    /// One question more, where the name has no address: whether it is an alias, and of what. Its failure changes nothing.
    private func askAlias(_ lookUp: LookUp, _ fault: LookUpFault) {
        lookUp.known = fault
        active += 1
        let question = Unmanaged.passRetained(AliasQuestion(lookUp, self, fault))
        ares_query(
            handle, lookUp.host, 1, 1,
            { context, _, _, answer, length in
                guard let context else { return }
                let question = Unmanaged<AliasQuestion>.fromOpaque(context).takeRetainedValue()
                question.channel.active -= 1
                let bytes = answer.map { Array(UnsafeBufferPointer(start: $0, count: max(0, Int(length)))) } ?? []
                let fault = question.fault
                question.lookUp.finish(
                    .failure(
                        LookUpFault(kind: fault.kind, detail: fault.detail, alias: AliasRecords.target(in: bytes))))
            }, question.toOpaque())
    }

    private static func kind(_ outcome: aasa_ares_outcome) -> LookUpFault.Kind {
        switch outcome {
        case AASA_ARES_NO_SUCH_NAME: .noSuchName
        case AASA_ARES_NO_ADDRESS: .noAddress
        case AASA_ARES_SERVER_FAILURE: .serverFailure
        case AASA_ARES_NO_SERVER: .noServer
        default: .own
        }
    }

    private static func addresses(_ found: UnsafeMutablePointer<ares_addrinfo>?) -> [String] {
        var addresses: [String] = []
        var next = found?.pointee.nodes
        while let node = next?.pointee {
            next = node.ai_next
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            guard
                getnameinfo(
                    node.ai_addr, node.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
            else { continue }
            let address = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            if !addresses.contains(address) { addresses.append(address) }
        }
        return addresses
    }

    // MARK: - For the loop

    /// Until c-ares wants to look at its clock.
    var millisecondsLeft: Int? {
        var left = timeval()
        guard ares_timeout(handle, nil, &left) != nil else { return nil }
        return left.tv_sec * 1000 + Int(left.tv_usec) / 1000 + 1
    }

    func process(_ socket: ares_socket_t, _ events: Int16) {
        let isReady = events & ~Int16(POLLOUT) != 0
        ares_process_fd(handle, isReady ? socket : -1, events & Int16(POLLOUT) != 0 ? socket : -1)
    }

    func processTimeouts() { ares_process_fd(handle, -1, -1) }
}
