/// A save that was refused, with every failure found.
public struct ValidationError: Error, Hashable, Sendable {
  /// One attribute of one object that may not be saved as it is.
  public struct Failure: Hashable, Sendable {
    /// The object.
    public let objectID: ObjectID
    /// The attribute's name.
    public let attribute: String
    /// What the attribute must be, in words.
    public let reason: String
  }

  /// The failures, by object in order of change and then by attribute.
  public let failures: [Failure]
}

extension ValidationError: CustomStringConvertible {
  /// Every failure in words, in one line.
  public var description: String {
    "cannot save: "
      + failures.map { "\($0.objectID) '\($0.attribute)' \($0.reason)" }.joined(separator: "; ")
  }
}

extension ManagedObject {
  /// The reasons why the object may not be saved.
  var validationFailures: [ValidationError.Failure] {
    var failures: [ValidationError.Failure] = []
    for (index, attribute) in entity.attributes.enumerated()
    where snapshot[index].isNull && !attribute.isOptional {
      failures.append(
        ValidationError.Failure(
          objectID: objectID, attribute: attribute.name, reason: "is a required value"))
    }
    return failures
  }
}
