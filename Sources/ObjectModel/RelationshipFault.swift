import Synchronization

/// The objects of a to-many relationship that a store has not read yet.
///
/// The first access reads them and keeps them. Copies of a snapshot share the fault, so all of them
/// have what one has read.
@usableFromInline package final class RelationshipFault: Sendable {
  /// Returns the objects; nil if reading failed, in which case the store keeps the error.
  private let read: @Sendable () -> [PropertyValue]?
  private let known = Mutex<[PropertyValue]?>(nil)

  /// - Parameter read: Returns the objects in the relationship's order, or nil if they cannot be
  ///   read.
  package init(_ read: @escaping @Sendable () -> [PropertyValue]?) { self.read = read }

  /// Whether the objects have not been read yet.
  package var isUnread: Bool { known.withLock { $0 == nil } }

  /// The objects, which are read now if necessary; empty if they cannot be read.
  @usableFromInline package var members: [PropertyValue] {
    if let members = known.withLock({ $0 }) { return members }
    // Read without holding the lock, because reading can take long.
    guard let members = read() else { return [] }
    known.withLock { $0 = members }
    return members
  }
}
