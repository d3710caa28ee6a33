// How long a client may keep a connection waiting. The times are totals: a byte now and then does not extend them.

import NIOCore
import NIOHTTPTypes

/// The limits for clients.
package struct ConnectionLimits: Sendable {
    /// At most so many connections; the next one closes the one that has waited longest for its client.
    package var connections: Int
    /// For a whole head, from the start of the connection or the end of the previous answer.
    package var head: Duration
    /// For a whole body, from the end of its head.
    package var body: Duration
    /// For a client to receive a whole answer, from its start.
    package var answer: Duration

    package init(
        connections: Int = 256, head: Duration = .seconds(20), body: Duration = .seconds(10),
        answer: Duration = .seconds(60)
    ) {
        self.connections = connections
        self.head = head
        self.body = body
        self.answer = answer
    }
}

/// Tracks the requests and answers of one connection, and closes it if its client takes too long.
///
/// Replaces the framework's idle timeout, which every byte restarts. Also keeps the table of all connections up to date.
final class ClientDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// What the connection waits for.
    private enum Wait: Equatable {
        case head, body
        /// This server builds the answer.
        case answer
        /// The client receives the answer.
        case delivery
    }

    private let table: ConnectionTable
    private let limits: ConnectionLimits
    private var entry: ConnectionTable.Entry?
    private var deadline: Scheduled<Void>?
    private var wait: Wait?

    private var isReadingRequest = false
    /// Complete requests whose answer is not sent yet. Clients may pipeline several.
    private var unanswered = 0
    private var isAnswering = false
    /// Whether the request that is being read is already answered, for example with 404.
    private var isAnsweredEarly = false

    init(table: ConnectionTable, limits: ConnectionLimits) {
        self.table = table
        self.limits = limits
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { begin(context.channel) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func channelActive(context: ChannelHandlerContext) {
        begin(context.channel)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: isReadingRequest = true
        case .body: break
        case .end:
            isReadingRequest = false
            if isAnsweredEarly { isAnsweredEarly = false } else { unanswered += 1 }
        }
        update(context.channel)
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head:
            isAnswering = true
            update(context.channel)
            context.write(data, promise: promise)
        case .body:
            context.write(data, promise: promise)
        case .end:
            // The promise completes when the kernel has the whole answer, which a client that does not read can prevent.
            let sent = context.eventLoop.makePromise(of: Void.self)
            let channel = context.channel
            sent.futureResult.assumeIsolated().whenComplete { _ in
                self.isAnswering = false
                if self.unanswered > 0 {
                    self.unanswered -= 1
                } else if self.isReadingRequest {
                    self.isAnsweredEarly = true
                }
                self.update(channel)
            }
            sent.futureResult.cascade(to: promise)
            context.write(data, promise: sent)
        }
    }

    private func begin(_ channel: any Channel) {
        guard entry == nil else { return }
        entry = table.admit(channel)
        update(channel)
    }

    private func end() {
        deadline?.cancel()
        deadline = nil
        if let entry { table.remove(entry) }
        entry = nil
    }

    private func update(_ channel: any Channel) {
        guard let entry else { return }
        let now: Wait =
            isAnswering ? .delivery : unanswered > 0 ? .answer : isReadingRequest ? .body : .head
        guard now != wait else { return }
        wait = now
        table.note(entry, isWaitingForClient: now != .answer)
        deadline?.cancel()
        let limit: Duration? =
            switch now {
            case .head: limits.head
            case .body: limits.body
            case .answer: nil
            case .delivery: limits.answer
            }
        deadline = limit.map { limit in
            channel.eventLoop.scheduleTask(in: TimeAmount(limit)) { channel.close(promise: nil) }
        }
    }
}
