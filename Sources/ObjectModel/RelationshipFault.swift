import Synchronization

/// The objects that a to-many relationship leads to, where a store has not read
/// them yet.
///
/// It is read when it is first asked, and remembers. Copies of a snapshot share
/// it, so what was read for one holds for all of them.
@usableFromInline package final class RelationshipFault: Sendable {
  /// Nil if reading failed; the store then keeps why.
  private let read: @Sendable () -> [PropertyValue]?
  private let known = Mutex<[PropertyValue]?>(nil)

  /// - Parameter read: Returns the objects in the relationship's order, or nil if they cannot be
  ///   read.
  package init(_ read: @escaping @Sendable () -> [PropertyValue]?) { self.read = read }

  /// Whether the objects were never asked for.
  package var isUnread: Bool { known.withLock { $0 == nil } }

  /// The objects, read now where they were not before; none where they cannot
  /// be read.
  @usableFromInline package var members: [PropertyValue] {
    if let members = known.withLock({ $0 }) { return members }
    // Not under the lock: reading is not quick.
    guard let members = read() else { return [] }
    known.withLock { $0 = members }
    return members
  }
}
