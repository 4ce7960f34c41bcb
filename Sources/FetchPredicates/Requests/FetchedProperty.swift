/// What a fetch returns.
public enum FetchRequestResultType: String, Hashable, Sendable, CaseIterable {
  /// The objects, with unsaved changes laid over them.
  case managedObjects
  /// The identities of the objects.
  case managedObjectIDs
  /// Values of saved objects by name, grouped and computed where the request says so.
  case dictionaries
  /// How many objects there are.
  case count
}

/// A value that a dictionary of a fetch has.
public struct FetchedProperty: Hashable, Sendable {
  /// The name of the value in the dictionary.
  public var name: String
  /// What is computed of the values of a group; nil for the value itself.
  public var function: Function?
  /// The key path of the value, over to-one relationships.
  public var keyPath: String

  /// What is computed of a group's values, of those that are not nil.
  public enum Function: String, Hashable, Sendable, CaseIterable {
    /// How many there are.
    case count
    /// The sum; 0 of nothing.
    case sum
    /// The least.
    case min
    /// The greatest.
    case max
    /// The mean: a floating-point number, or a decimal of decimals.
    case average
  }

  /// Creates a value to fetch.
  ///
  /// - Parameter name: The name in the dictionary; nil for the key path, or for the function and the
  ///   key path in one word, as `sumPages`.
  public init(_ keyPath: String, function: Function? = nil, name: String? = nil) {
    self.keyPath = keyPath
    self.function = function
    self.name = name ?? function.map { Self.name($0, of: keyPath) } ?? keyPath
  }

  private static func name(_ function: Function, of keyPath: String) -> String {
    function.rawValue
      + keyPath.split(separator: ".").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}

extension FetchedProperty: ExpressibleByStringLiteral {
  /// Creates the value of a key path, under its own name.
  public init(stringLiteral keyPath: String) { self.init(keyPath) }
}

/// Values by name, in the order of the request.
public struct FetchedDictionary: Hashable, Sendable {
  /// The values with their names.
  public let entries: [Entry]

  /// A value and its name.
  public struct Entry: Hashable, Sendable {
    /// The name.
    public let name: String
    /// The value; null of nothing.
    public let value: PropertyValue

    package init(name: String, value: PropertyValue) {
      self.name = name
      self.value = value
    }
  }

  package init(_ entries: [Entry]) { self.entries = entries }

  /// The value of a name; nil if the request did not ask for it.
  public subscript(name: String) -> PropertyValue? { entries.first { $0.name == name }?.value }
}
