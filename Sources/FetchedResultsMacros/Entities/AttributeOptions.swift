/// What else holds of an attribute, besides its type.
public struct AttributeOptions: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: Int

  /// Creates a set from its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Core Data may keep large values in files beside the store.
  public static let allowsExternalBinaryDataStorage = Self(rawValue: 1)
  /// No two objects share a value.
  public static let unique = Self(rawValue: 2)
}
