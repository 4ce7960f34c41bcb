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
