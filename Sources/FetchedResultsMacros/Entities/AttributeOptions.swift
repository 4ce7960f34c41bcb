/// Options of an attribute, in addition to its type.
public struct AttributeOptions: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: Int

  /// Creates a set from its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Core Data may keep large values in files beside the store.
  public static let allowsExternalBinaryDataStorage = Self(rawValue: 1)
  /// All objects must have different values.
  public static let unique = Self(rawValue: 2)
}
