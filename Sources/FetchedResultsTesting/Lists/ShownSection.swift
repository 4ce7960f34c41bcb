public import FetchedResults

/// A section that a list shows.
public struct ShownSection: Hashable, Sendable {
  /// The name of the section.
  ///
  /// Without a section key path it is not compared.
  public var name: String
  /// The rows, in order.
  public var rows: [ShownRow]

  /// Creates a section.
  public init(name: String, rows: [ShownRow]) {
    self.name = name
    self.rows = rows
  }

  /// Creates a section whose texts are not compared.
  public init(name: String, objectIDs: [ObjectID]) {
    self.init(name: name, rows: objectIDs.map { ShownRow(objectID: $0) })
  }
}

/// A row that a list shows.
public struct ShownRow: Hashable, Sendable {
  /// The object of the row.
  public var objectID: ObjectID
  /// The text of the row; nil if texts are not compared.
  public var text: String?

  /// Creates a row.
  public init(objectID: ObjectID, text: String? = nil) {
    self.objectID = objectID
    self.text = text
  }
}
