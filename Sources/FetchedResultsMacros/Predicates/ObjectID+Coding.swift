public import FetchedResults

/// Lets an identity stand in one of Foundation's predicates, whose values can all be coded.
///
/// What is written is the entity's name and the number. To read it, a decoder needs the model:
/// `decoder.userInfo[.managedObjectModel] = model`.
extension ObjectID: Codable {
  private enum CodingKeys: CodingKey {
    case entity
    case number
  }

  /// Writes the entity's name and the number.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(entity.name, forKey: .entity)
    try container.encode(number, forKey: .number)
  }

  /// Reads an identity, with the model in the decoder's `userInfo`.
  ///
  /// - Throws: `DecodingError` where there is no model, or it has no such entity.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let name = try container.decode(String.self, forKey: .entity)
    guard
      let model = CodingUserInfoKey.managedObjectModel.flatMap({ decoder.userInfo[$0] })
        as? ManagedObjectModel,
      let entity = model[name]
    else {
      throw DecodingError.dataCorruptedError(
        forKey: .entity, in: container,
        debugDescription: "userInfo has no model with an entity '\(name)'")
    }
    self.init(entity: entity, number: try container.decode(Int64.self, forKey: .number))
  }
}

extension CodingUserInfoKey {
  /// The key of the model by which identities are read.
  public static var managedObjectModel: CodingUserInfoKey? {
    CodingUserInfoKey(rawValue: "managedObjectModel")
  }
}
