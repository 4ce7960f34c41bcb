/// The value of an expression in a predicate, which can be more than an attribute can hold.
package enum PredicateValue {
  case value(PropertyValue)
  case list([PredicateValue])
  /// Values without an order, and without duplicates by equality.
  case set([PredicateValue])
  /// A key that is missing gives nil.
  case dictionary([String: PredicateValue])
  /// An object whose values are read by key.
  case subject(any PredicateSubject)

  package static var null: Self { .value(.null) }

  package init(_ value: PropertyValue) {
    if case .list(let elements) = value {
      self = .list(elements.map(PredicateValue.init))
    } else {
      self = .value(value)
    }
  }

  /// Whether this is nil.
  var isNull: Bool {
    if case .value(.null) = self { true } else { false }
  }

  /// The single value, if this is one; for an object, its identity.
  var scalar: PropertyValue? {
    switch self {
    case .value(let value): value
    case .subject(let subject): subject.identity
    case .list, .set, .dictionary: nil
    }
  }

  /// The elements, if this is a collection.
  var elements: [PredicateValue]? {
    switch self {
    case .list(let elements), .set(let elements): elements
    case .dictionary(let entries): entries.sorted { $0.key < $1.key }.map(\.value)
    case .value, .subject: nil
    }
  }
}

/// An object whose values a predicate reads by key.
package protocol PredicateSubject {
  /// The value that represents the object in comparisons, such as its ID.
  var identity: PropertyValue { get }

  /// Returns the value of a key. That of a to-many relationship is a list or a set of subjects.
  ///
  /// - Throws: ``InvalidPredicateError`` if the object does not have the key.
  func value(forKey key: String) throws(InvalidPredicateError) -> PredicateValue
}

extension PredicateValue: CustomStringConvertible {
  package var description: String { text { $0.description } }

  /// The description with strings in quotes.
  var quotedDescription: String { text { $0.quotedDescription } }

  private func text(_ describe: (PropertyValue) -> String) -> String {
    switch self {
    case .value(let value): describe(value)
    case .subject(let subject): describe(subject.identity)
    case .list(let elements), .set(let elements):
      "{" + elements.map(\.quotedDescription).joined(separator: ", ") + "}"
    case .dictionary(let entries):
      "{"
        + entries.sorted { $0.key < $1.key }
        .map { "\($0.key) = \($0.value.quotedDescription)" }.joined(separator: "; ") + "}"
    }
  }
}
