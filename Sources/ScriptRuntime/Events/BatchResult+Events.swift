import FetchedResults

extension BatchResult {
  /// The largest number of objects in a line.
  private static let mostNamed = 10

  /// `batch deleted 2 objects: Book/1, Book/4`.
  var line: String {
    let verb =
      switch action {
      case .insert: "inserted"
      case .update: "updated"
      case .delete: "deleted"
      }
    guard let count else { return "batch \(action.rawValue) of \(entity.name) succeeded" }
    let head = "batch \(verb) \(count) \(count == 1 ? "object" : "objects")"
    guard let objectIDs, !objectIDs.isEmpty else { return head }
    var names = objectIDs.prefix(Self.mostNamed).map(\.description).joined(separator: ", ")
    if objectIDs.count > Self.mostNamed {
      names += " and \(objectIDs.count - Self.mostNamed) more"
    }
    return "\(head): \(names)"
  }

  /// The fields of the event.
  var fields: [(String, JSON?)] {
    [
      ("action", .string(action.rawValue)), ("entity", .string(entity.name)),
      ("resultType", .string(resultType.rawValue)),
      ("count", count.map { .number(String($0)) }),
      ("objects", objectIDs.map { .array($0.map { .string($0.description) }) }),
    ]
  }
}
