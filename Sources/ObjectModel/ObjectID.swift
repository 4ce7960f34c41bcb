/// The identity of a managed object, the same in every context.
///
/// It prints as `Book/12`: the name of the object's entity and its number,
/// which counts from 1 within the entity's root in order of insertion and is
/// the primary key once saved. A number is never used again.
public struct ObjectID: Hashable, Sendable {
  /// The object's own entity, which may inherit from the one fetched.
  public let entity: EntityDescription
  /// The object's number within its root entity, counted from 1.
  public let number: Int64

  @inlinable package init(entity: EntityDescription, number: Int64) {
    self.entity = entity
    self.number = number
  }

  /// Whether both name one object; entities of one root share their numbers.
  @inlinable public static func == (left: Self, right: Self) -> Bool {
    left.number == right.number && left.entity.root === right.entity.root
  }

  /// Feeds the number.
  @inlinable public func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

extension ObjectID: CustomStringConvertible {
  /// `Book/12`.
  public var description: String { "\(entity.name)/\(number)" }
}
