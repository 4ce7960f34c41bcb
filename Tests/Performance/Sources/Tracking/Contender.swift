/// A row as every contender holds it: sorted by section, key and number.
struct Row: Hashable, Comparable, Sendable {
  var section: Int
  var key: Int
  var id: Int

  static func < (left: Row, right: Row) -> Bool {
    (left.section, left.key, left.id) < (right.section, right.key, right.id)
  }
}

/// One edit of a batch.
enum Edit {
  /// Changes a row without moving it.
  case update(id: Int)
  /// Gives a row another key, and possibly another section.
  case move(id: Int, section: Int, key: Int)
  case insert(section: Int, key: Int)
  case delete(id: Int)
}

/// A way to find out how a batch of edits affects a sorted, sectioned list.
protocol Contender: AnyObject {
  static var name: String { get }
  init(rows: [Row]) throws
  /// Makes the edits, and waits until the changes are known.
  ///
  /// - Returns: How many changes were reported.
  func perform(_ edits: [Edit]) throws -> Int
}
