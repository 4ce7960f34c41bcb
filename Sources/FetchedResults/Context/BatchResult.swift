/// What a batch request did to the store.
public struct BatchResult: Hashable, Sendable {
  /// What a batch request does.
  public enum Action: String, Hashable, Sendable {
    /// New rows were written.
    case insert
    /// Rows were changed.
    case update
    /// Rows were deleted.
    case delete
  }

  /// What the request did.
  public let action: Action
  /// The entity that the request named.
  public let entity: EntityDescription
  /// What the request asked for.
  public let resultType: BatchResultType
  /// The objects; nil unless the request asked for them.
  public let objectIDs: [ObjectID]?
  /// How many objects there were; nil if the request asked for nothing.
  public let count: Int?

  init(
    _ action: Action, of entity: EntityDescription, _ resultType: BatchResultType,
    _ ids: [ObjectID]
  ) {
    self.action = action
    self.entity = entity
    self.resultType = resultType
    objectIDs = resultType == .objectIDs ? ids : nil
    count = resultType == .statusOnly ? nil : ids.count
  }

  /// The result as contexts merge it; empty unless the request asked for the objects.
  public var changes: [ManagedObjectContext.ChangeKey: [ObjectID]] {
    guard let objectIDs else { return [:] }
    let key: ManagedObjectContext.ChangeKey =
      switch action {
      case .insert: .insertedObjects
      case .update: .updatedObjects
      case .delete: .deletedObjects
      }
    return [key: objectIDs]
  }
}
