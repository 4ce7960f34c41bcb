/// The first letter of a message, which says what the rest is for.
///
/// The server reads only this letter, and passes the rest on without a look at it.
package enum PlaygroundChannel: UInt8, Sendable {
  /// The script and its statements.
  case run = 0x72  // r
  /// The language service, by the messages of its protocol.
  case editor = 0x6C  // l
  /// The course.
  case course = 0x63  // c
  /// From a process: the results of a learner, which stay with the server.
  case results = 0x70  // p
  /// From a student's page: the script that the teacher may look at.
  case share = 0x73  // s
  /// From the server: what it says of the session itself.
  case server = 0x78  // x

  package init?(_ letter: UInt8) { self.init(rawValue: letter) }

  /// Whether a page may send it to its process.
  package var isForProcess: Bool {
    switch self {
    case .run, .editor, .course: true
    case .results, .share, .server: false
    }
  }

  /// Whether a process may send it to its page.
  package var isForPage: Bool {
    switch self {
    case .run, .editor, .course: true
    case .results, .share, .server: false
    }
  }
}

/// A message between the server and the process of a session: its length, then its bytes.
package struct PlaygroundFrame {
  private var bytes: [UInt8]

  package init(_ channel: PlaygroundChannel) { bytes = [0, 0, 0, 0, channel.rawValue] }

  /// Creates a message from one that has its letter already.
  package init(message: some Sequence<UInt8>) { bytes = [0, 0, 0, 0] + message }

  package mutating func append(_ more: some Sequence<UInt8>) { bytes += more }

  /// The message with its length before it.
  package var framed: [UInt8] {
    var framed = bytes
    let count = UInt32(bytes.count - 4)
    for place in 0..<4 { framed[place] = UInt8(truncatingIfNeeded: count >> UInt32(8 * place)) }
    return framed
  }
}
