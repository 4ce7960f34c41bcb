import Departures
import FlyingSocks

/// Messages as the body of a response, which ends when the messages do.
struct EventBody: AsyncBufferedSequence {
  typealias Element = UInt8

  let messages: AsyncStream<Message>

  func makeAsyncIterator() -> Iterator { Iterator(messages: messages.makeAsyncIterator()) }

  struct Iterator: AsyncBufferedIteratorProtocol {
    var messages: AsyncStream<Message>.AsyncIterator
    private var isFirst = true
    private var rest: ArraySlice<UInt8> = []

    init(messages: AsyncStream<Message>.AsyncIterator) { self.messages = messages }

    mutating func next() async -> UInt8? { await nextBuffer(suggested: 1)?.first }

    mutating func nextBuffer(suggested count: Int) async -> ArraySlice<UInt8>? {
      if rest.isEmpty {
        guard let message = await messages.next(isolation: #isolation) else { return nil }
        // A browser waits so long, in milliseconds, before it connects again.
        rest = Array(((isFirst ? "retry: 500\n" : "") + message.event).utf8)[...]
        isFirst = false
      }
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }
  }
}
