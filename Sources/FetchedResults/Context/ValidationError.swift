/// A save that was refused, with every failure found.
public struct ValidationError: Error, Hashable, Sendable {
  /// One property of one object that may not be saved as it is.
  public struct Failure: Hashable, Sendable {
    /// The object.
    public let objectID: ObjectID
    /// The name of the attribute or relationship.
    public let attribute: String
    /// What it must be, in words.
    public let reason: String
  }

  /// The failures, by object in order of change and then by property.
  public let failures: [Failure]
}

extension ValidationError: CustomStringConvertible {
  /// Every failure in words, in one line.
  public var description: String {
    "cannot save: "
      + failures.map { "\($0.objectID) '\($0.attribute)' \($0.reason)" }.joined(separator: "; ")
  }
}
