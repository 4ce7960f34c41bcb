/// A save was refused; lists every failure.
public struct ObjectValidationError: Error, Hashable, Sendable {
  /// A property of an object that does not allow it to be saved.
  public struct Failure: Hashable, Sendable {
    /// The object.
    public let objectID: ObjectID
    /// The name of the attribute or relationship; empty if the object as a whole cannot be saved or
    /// deleted.
    public let attribute: String
    /// The rule that the property breaks.
    public let rule: Rule
    /// The requirement, as text.
    public let reason: String
  }

  /// A requirement on a property.
  ///
  /// The raw value is Core Data's error code, in NSCocoaErrorDomain.
  public enum Rule: Int, Sendable {
    /// validateForDelete refuses the deletion.
    case refusedDeletion = 1550
    /// A value, or a related object, is required.
    case required = 1570
    /// A relationship has too few objects.
    case minimumCount = 1580
    /// A relationship has too many objects.
    case maximumCount = 1590
    /// A relationship denies the deletion.
    case deniedDeletion = 1600
    /// A number is too large.
    case maximumNumber = 1610
    /// A number is too small.
    case minimumNumber = 1620
    /// A date is too late.
    case latestDate = 1630
    /// A date is too early.
    case earliestDate = 1640
    /// A string is too long.
    case maximumLength = 1660
    /// A string is too short.
    case minimumLength = 1670
    /// A string does not match its pattern.
    case pattern = 1680
  }

  /// The failures, by object in order of change and then by property.
  public let failures: [Failure]

  /// Core Data's error code, in NSCocoaErrorDomain: that of the rule, or 1560 if there are several
  /// failures.
  public var code: Int { failures.count == 1 ? failures[0].rule.rawValue : 1560 }
}

extension ObjectValidationError: CustomStringConvertible {
  /// The domain and the code, and every failure in words, in one line.
  public var description: String {
    let isOne = failures.count == 1
    return "NSCocoaErrorDomain \(code): cannot save: "
      + failures.map { failure in
        "\(failure.objectID)"
          + (failure.attribute.isEmpty ? ": " : " '\(failure.attribute)' ") + failure.reason
          + (isOne ? "" : " (\(failure.rule.rawValue))")
      }.joined(separator: "; ")
  }
}
