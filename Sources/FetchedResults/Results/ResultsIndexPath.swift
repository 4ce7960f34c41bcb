/// The place of an object in a controller's results.
public struct ResultsIndexPath: Hashable, Sendable, Codable {
  /// The index of the section, counted from 0.
  public var section: Int
  /// The index of the object in its section, counted from 0.
  public var row: Int

  /// Creates an index path.
  public init(section: Int, row: Int) {
    self.section = section
    self.row = row
  }
}

extension ResultsIndexPath: Comparable {
  /// Orders by section and then by row.
  public static func < (left: Self, right: Self) -> Bool {
    (left.section, left.row) < (right.section, right.row)
  }
}

extension ResultsIndexPath: CustomStringConvertible {
  /// `[1, 0]`.
  public var description: String { "[\(section), \(row)]" }
}
