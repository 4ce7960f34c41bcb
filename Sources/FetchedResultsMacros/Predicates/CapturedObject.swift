import FetchedResults
public import Foundation

/// An object that a `#Predicate` captures, as its identity.
///
/// The macro `#Predicate` makes it of a captured object:
///
/// ```swift
/// #Predicate<Book> { $0.author == author }
/// ```
///
/// It can be translated for a fetch. Foundation cannot evaluate or encode it.
public struct CapturedObject<Output>: StandardPredicateExpression {
  /// The object's identity; nil for a captured nil.
  let id: ObjectID?

  /// Throws, because a predicate does not hold the object itself.
  public func evaluate(_ bindings: PredicateBindings) throws -> Output {
    throw PredicateTranslationError(
      description, "a captured object is known to a fetch only; fetch by the predicate")
  }

  /// Throws, because an identity belongs to the entity of a model.
  public init(from decoder: any Decoder) throws {
    throw DecodingError.dataCorrupted(
      DecodingError.Context(
        codingPath: decoder.codingPath, debugDescription: "an object cannot be decoded"))
  }

  /// Throws, because an identity belongs to the entity of a model.
  public func encode(to encoder: any Encoder) throws {
    throw EncodingError.invalidValue(
      self,
      EncodingError.Context(
        codingPath: encoder.codingPath,
        debugDescription: "an object cannot be encoded; capture one of its values instead"))
  }

  fileprivate init(_ id: ObjectID?) { self.id = id }
}

extension CapturedObject: CustomStringConvertible {
  /// The object's identity.
  public var description: String { id?.description ?? "nil" }
}

extension CapturedObject: TranslatableExpression {
  func translated(
    by translator: PredicateTranslator
  ) throws(PredicateTranslationError) -> TranslatedExpression {
    .operand(translator.argument(id.map(PropertyValue.object) ?? .null))
  }
}

extension PredicateExpressions {
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Captures an object by its identity; the macro `#Predicate` calls this.
  public static func build_Arg<Entity: ManagedEntity>(_ object: Entity) -> CapturedObject<Entity> {
    CapturedObject(object.objectID)
  }

  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Captures an object by its identity; the macro `#Predicate` calls this.
  public static func build_Arg<Entity: ManagedEntity>(
    _ object: Entity?
  ) -> CapturedObject<Entity?> {
    CapturedObject(object?.objectID)
  }
}
