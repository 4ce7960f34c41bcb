/// The identity of a managed object, the same in every context.
///
/// It is printed as `Book/12`: the name of the object's entity and its number. Numbers count from 1
/// within the root entity, in order of insertion. The number is the primary key of a saved object,
/// and is never used again.
public struct ObjectID: Hashable, Sendable {
  /// The object's own entity, which may be a sub-entity of the fetched one.
  public let entity: EntityDescription
  /// The object's number within its root entity, counted from 1.
  public let number: Int64

  @inlinable package init(entity: EntityDescription, number: Int64) {
    self.entity = entity
    self.number = number
  }

  /// Whether both identify the same object.
  ///
  /// Entities with the same root share their numbers.
  @inlinable public static func == (left: Self, right: Self) -> Bool {
    left.number == right.number && left.entity.root === right.entity.root
  }

  /// Hashes the number.
  @inlinable public func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

extension ObjectID: CustomStringConvertible {
  /// A text such as `Book/12`.
  public var description: String { "\(entity.name)/\(number)" }
}

/// Identities are encoded as the text `Book/12`: the name of the object's entity and its number.
extension ObjectID: Codable {
  /// Encodes the text `Book/12`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }

  /// Decodes the text `Book/12`.
  ///
  /// The decoder needs the model with the entities: `decoder.userInfo[.managedObjectModel] =
  /// model`. An identity from elsewhere may refer to an object that does not exist.
  ///
  /// - Throws: `DecodingError`, also if the model is missing or does not have the entity.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let model = decoder.userInfo[.managedObjectModel] as? ManagedObjectModel else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "an object's identity needs decoder.userInfo[.managedObjectModel]")
    }
    let text = try container.decode(String.self)
    guard let slash = text.lastIndex(of: "/"),
      let number = Int64(text[text.index(after: slash)...]), number > 0
    else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "expected an identity such as Book/12, found '\(text)'")
    }
    guard let entity = model.entitiesByName[String(text[..<slash])] else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "the model has no entity '\(text[..<slash])'")
    }
    self.init(entity: entity, number: number)
  }
}

extension CodingUserInfoKey {
  /// The ``ManagedObjectModel`` whose entities decoded identities belong to.
  public static let managedObjectModel: CodingUserInfoKey = {
    guard let key = CodingUserInfoKey(rawValue: "frc.managedObjectModel") else {
      programmingError("every text is a key")
    }
    return key
  }()
}
