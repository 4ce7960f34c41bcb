import FetchedResults

/// What a follower receives.
public struct Message: Hashable, Sendable {
  /// Names the state of the list after the message; nil where it changes nothing.
  public let id: String?
  /// An update as JSON; empty for a sign of life.
  public let text: String

  static let signOfLife = Message(id: nil, text: "")

  /// The message as an event of a server-sent event stream.
  public var event: String {
    guard let id else { return ": still here\n\n" }
    // JSON has no line break, so it is one line of data.
    return "id: \(id)\ndata: \(text)\n\n"
  }
}

/// A difference, and the values of the rows that it names.
///
/// The difference is the library's own value. It encodes an identity as text, `Departure/3`. To
/// decode it, a decoder needs the model in its `userInfo`.
struct Update: Codable {
  let number: Int
  let difference: SectionedDifference
  let rows: [String: DepartureRow]
}

/// A section with the values of its rows.
public struct DepartureSection: Hashable, Sendable, Codable {
  /// The section's name: a status.
  public let name: String
  /// Its rows, in order.
  public let rows: [IdentifiedRow]
}

/// A row and the identity of its object.
public struct IdentifiedRow: Hashable, Sendable, Codable {
  /// The identity as text.
  public let id: String
  /// The values.
  public let row: DepartureRow
}
