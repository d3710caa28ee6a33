// c-ares' part of a name lookup: one channel, its queries, and the parsed answers. <https://c-ares.org/docs.html>

import CCares
import Facts
import Glibc

enum RecordType: Int32 {
    // Type numbers of DNS.
    case a = 1
    case aaaa = 28
}

/// The outcome of a query.
struct NameServerAnswer {
    /// nil if there are addresses.
    let failure: Failure.Kind?
    /// c-ares' message for a failure.
    let words: String
    private(set) var addresses: [String] = []
    /// The names that are aliases (CNAME), the queried name first. `firstTarget` is what that first alias points to.
    private(set) var aliases: [String] = []
    private(set) var firstTarget: String?

    /// From `ares_getaddrinfo`, in its order.
    fileprivate init(_ status: Int32, _ list: UnsafePointer<ares_addrinfo>?) {
        var next = list?.pointee.nodes
        var found: [String] = []
        while let node = next?.pointee {
            next = node.ai_next
            let bytes = UnsafeRawBufferPointer(start: node.ai_addr, count: Int(node.ai_addrlen))
            guard let address = HostAddress(socket: bytes, family: node.ai_family)?.description else { continue }
            if !found.contains(address) { found.append(address) }
        }
        self.init(status, found)
    }

    /// From `ares_query`.
    fileprivate init(_ status: Int32, _ host: UnsafePointer<hostent>?) {
        let host = host?.pointee
        let addresses = Self.entries(host?.h_addr_list).compactMap { address in
            let bytes = UnsafeRawBufferPointer(start: address, count: Int(host?.h_length ?? 0))
            return HostAddress(bytes: Array(bytes))?.description
        }
        self.init(status, addresses)
        aliases = Self.entries(host?.h_aliases).map { String(cString: $0) }
        if !aliases.isEmpty { firstTarget = host?.h_name.map { String(cString: $0) } }
    }

    private init(_ status: Int32, _ addresses: [String]) {
        self.addresses = addresses
        failure =
            switch aasa_ares_outcome_of(status) {
            case AASA_ARES_FOUND: addresses.isEmpty ? .noAddress : nil
            case AASA_ARES_NO_SUCH_NAME: .nameNotFound
            case AASA_ARES_NO_ADDRESS: .noAddress
            case AASA_ARES_SERVER_FAILURE: .nameServerFailure
            case AASA_ARES_NO_SERVER: .noNameServer
            default: .own
            }
        words =
            failure != .noAddress
            ? ares_strerror(status).map { String(cString: $0) } ?? "error \(status)" : "the name has no address"
    }

    /// The entries of a C list that ends with a null pointer.
    private static func entries(
        _ list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    ) -> [UnsafeMutablePointer<CChar>] {
        guard let list else { return [] }
        return Array(
            sequence(state: list) { place in
                defer { place += 1 }
                return place.pointee
            })
    }
}

/// A c-ares channel, confined to the resolver's thread because c-ares' objects are not thread-safe. It asks the name
/// servers in their order, without search domains.
final class NameServerChannel {
    /// The context of a callback. It retains the channel while a query runs.
    private final class Question {
        let channel: NameServerChannel
        let type: RecordType
        let answer: (NameServerAnswer) -> Void

        init(_ channel: NameServerChannel, _ type: RecordType = .a, answer: @escaping (NameServerAnswer) -> Void) {
            self.channel = channel
            self.type = type
            self.answer = answer
        }

        static func taken(_ context: UnsafeMutableRawPointer) -> Question {
            Unmanaged<Question>.fromOpaque(context).takeRetainedValue()
        }

        var context: UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }
    }

    /// Whether a name server's failure is an answer. If false, c-ares asks the next server, and in the end does not
    /// distinguish a failing server from an absent one.
    let takesFailures: Bool
    private let handle: ares_channel

    /// nil if memory ran out or the servers cannot be parsed. `servers` replaces those in `/etc/resolv.conf`:
    /// `HOST[:PORT]`, separated by commas. `patience`: how long to wait for a server's first answer.
    init?(servers: String?, patience: Duration, takesFailures: Bool) {
        self.takesFailures = takesFailures
        var options = ares_options()
        options.timeout = Int32(max(1, patience / .milliseconds(1)))
        // c-ares doubles the timeout of the second try.
        options.tries = takesFailures ? 1 : 2
        options.flags = ARES_FLAG_NOALIASES | (takesFailures ? ARES_FLAG_NOCHECKRESP : 0)
        options.ndomains = 0
        let mask =
            ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_FLAGS | ARES_OPT_DOMAINS | ARES_OPT_LOOKUPS
            | ARES_OPT_NOROTATE
        var made: ares_channel?
        // First the file, then the name servers (bind), regardless of /etc/nsswitch.conf. c-ares copies the string.
        let status = "fb".withCString { lookups in
            options.lookups = UnsafeMutablePointer(mutating: lookups)
            return ares_init_options(&made, &options, mask)
        }
        guard status == 0, let made else { return nil }
        handle = made
        if let servers, ares_set_servers_ports_csv(made, servers) != 0 { return nil }
    }

    // Each running query retains its channel, so none is left and c-ares calls no callback.
    deinit { ares_destroy(handle) }

    /// The addresses of both families from `/etc/hosts`, otherwise from the name servers, sorted by RFC 6724. Of
    /// several failures c-ares reports the last.
    func findAddresses(of name: String, _ answer: @escaping (NameServerAnswer) -> Void) {
        var hints = ares_addrinfo_hints()
        hints.ai_family = AF_UNSPEC
        ares_getaddrinfo(
            handle, name, nil, &hints,
            { context, status, _, list in
                defer { if let list { ares_freeaddrinfo(list) } }
                guard let context else { return }
                Question.taken(context).answer(NameServerAnswer(status, list))
            }, Question(self, answer: answer).context)
    }

    /// The name servers' answer for one record type.
    func ask(_ name: String, _ type: RecordType, _ answer: @escaping (NameServerAnswer) -> Void) {
        ares_query(
            handle, name, 1, type.rawValue,
            { context, status, _, bytes, length in
                guard let context else { return }
                let question = Question.taken(context)
                var host: UnsafeMutablePointer<hostent>?
                defer { if let host { ares_free_hostent(host) } }
                var status = status
                if let bytes {
                    let read =
                        question.type == .a
                        ? ares_parse_a_reply(bytes, length, &host, nil, nil)
                        : ares_parse_aaaa_reply(bytes, length, &host, nil, nil)
                    if status == 0 { status = read }
                }
                question.answer(NameServerAnswer(status, host))
            }, Question(self, type, answer: answer).context)
    }

    /// Ends all queries; each gets a failure.
    func cancel() { ares_cancel(handle) }

    // MARK: - For the loop

    /// The sockets that c-ares waits for.
    var sockets: [pollfd] {
        var sockets = [ares_socket_t](repeating: -1, count: Int(ARES_GETSOCK_MAXNUM))
        let wanted = UInt32(bitPattern: ares_getsock(handle, &sockets, ARES_GETSOCK_MAXNUM))
        return sockets.enumerated().compactMap { index, socket in
            let isRead = wanted & 1 << UInt32(index) != 0
            let isWritten = wanted & 1 << UInt32(index + sockets.count) != 0
            guard isRead || isWritten else { return nil }
            return pollfd(fd: socket, events: Int16((isRead ? POLLIN : 0) | (isWritten ? POLLOUT : 0)), revents: 0)
        }
    }

    /// Until c-ares must check its timeouts; nil if it waits for nothing.
    var millisecondsLeft: Int? {
        var left = timeval()
        guard ares_timeout(handle, nil, &left) != nil else { return nil }
        return left.tv_sec * 1000 + Int(left.tv_usec) / 1000 + 1
    }

    func process(_ socket: pollfd) {
        let events = Int32(socket.revents)
        ares_process_fd(handle, events & ~POLLOUT != 0 ? socket.fd : -1, events & POLLOUT != 0 ? socket.fd : -1)
    }

    func processTimeouts() { ares_process_fd(handle, -1, -1) }
}
