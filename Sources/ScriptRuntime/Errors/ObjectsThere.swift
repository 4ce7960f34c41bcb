/// The existing objects of an entity, for a message.
package struct ObjectsThere: Hashable, Sendable {
  let entity: String
  let count: Int
  /// The first and the last object; nil if there are none.
  let first: String?
  let last: String?

  /// The objects as a clause of a sentence.
  var words: String {
    guard let first, let last else { return "there are no objects of \(entity)" }
    return switch count {
    case 1: "there is only \(first)"
    case 2: "there are \(first) and \(last)"
    default: "there are \(count) objects, from \(first) to \(last)"
    }
  }
}
