/// The kind of result that a fetch returns.
public enum FetchRequestResultType: String, Hashable, Sendable, CaseIterable {
  /// The objects, including their unsaved changes.
  case managedObjects
  /// The identities of the objects.
  case managedObjectIDs
  /// Values of saved objects by name, grouped and computed as the request says.
  case dictionaries
  /// The number of objects.
  case count
}

/// A value to fetch into a dictionary.
public struct FetchedProperty: Hashable, Sendable {
  /// The name of the value in the dictionary.
  public var name: String
  /// The function to compute over a group's values; nil for the value itself.
  public var function: Function?
  /// The key path of the value, which may cross to-one relationships.
  public var keyPath: String

  /// A function over a group's values that are not nil.
  public enum Function: String, Hashable, Sendable, CaseIterable {
    /// The number of values.
    case count
    /// The sum; 0 if there are no values.
    case sum
    /// The smallest value.
    case min
    /// The greatest value.
    case max
    /// The mean: a floating-point number, or a decimal if the values are decimals.
    case average
  }

  /// Creates a value to fetch.
  ///
  /// - Parameters:
  ///   - keyPath: Where the value is, from an object of the request.
  ///   - function: How the values of a group become one; nil for the value of each object.
  ///   - name: The name in the dictionary. By default it is the key path, or the function and the
  ///     key path as one word, such as `sumPages`.
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
    /// The value; null if there is none.
    public let value: PropertyValue

    package init(name: String, value: PropertyValue) {
      self.name = name
      self.value = value
    }
  }

  package init(_ entries: [Entry]) { self.entries = entries }

  /// The value for a name; nil if the request did not fetch it.
  public subscript(name: String) -> PropertyValue? { entries.first { $0.name == name }?.value }
}
