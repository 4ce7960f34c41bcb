/// What an expression of a predicate gives: more than an attribute can hold.
package enum PredicateValue {
  case value(PropertyValue)
  case list([PredicateValue])
  /// Without order and, by equality, without duplicates.
  case set([PredicateValue])
  /// A key that is missing gives nil.
  case dictionary([String: PredicateValue])
  /// An object that is asked for its keys.
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

  /// The single value, where this is one; an object's identity.
  var scalar: PropertyValue? {
    switch self {
    case .value(let value): value
    case .subject(let subject): subject.identity
    case .list, .set, .dictionary: nil
    }
  }

  /// What is in it, where this is a collection.
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
  /// What the object is equal to when compared as a whole, such as its ID.
  var identity: PropertyValue { get }

  /// Returns the value of a key; a to-many relationship's is a list or a set
  /// of subjects.
  ///
  /// - Throws: ``InvalidPredicateError`` if the object has no such key.
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
