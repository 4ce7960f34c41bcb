package import Foundation
import Synchronization

/// A value that a store has not read yet: the objects of a to-many relationship, or data in a file
/// of its own.
///
/// The first access reads the value and keeps it. Copies of a snapshot share the fault, so all of
/// them have what one has read.
@usableFromInline package final class ValueFault: Sendable {
  /// What the store's row has in place of data in a file; nil for a relationship.
  package let reference: Data?
  /// Returns the value; nil if reading failed, in which case the store keeps the error.
  private let read: @Sendable () -> PropertyValue?
  private let known = Mutex<PropertyValue?>(nil)

  /// A to-many relationship.
  ///
  /// - Parameter read: Returns the objects in the relationship's order, or nil if they cannot be
  ///   read.
  package init(members read: @escaping @Sendable () -> [PropertyValue]?) {
    reference = nil
    self.read = { read().map(PropertyValue.list) }
  }

  /// Data in a file of its own.
  ///
  /// - Parameters:
  ///   - reference: What the store's row has in place of the data.
  ///   - read: Returns the data, or nil if it cannot be read.
  package init(reference: Data, _ read: @escaping @Sendable () -> Data?) {
    self.reference = reference
    self.read = { read().map(PropertyValue.data) }
  }

  /// Whether the value has not been read yet.
  package var isUnread: Bool { known.withLock { $0 == nil } }

  /// The value, which is read now if necessary.
  ///
  /// If it cannot be read, a relationship is empty and data is null. The next access tries again.
  @usableFromInline package var value: PropertyValue {
    if let value = known.withLock({ $0 }) { return value }
    // Read without holding the lock, because reading can take long.
    guard let value = read() else { return reference == nil ? .list([]) : .null }
    known.withLock { $0 = value }
    return value
  }

  /// Whether both faults have the same value, without reading it if the store refers to the same
  /// file.
  fileprivate func hasValue(of other: ValueFault) -> Bool {
    if self === other { return true }
    if let reference, reference == other.reference { return true }
    return value == other.value
  }
}

extension StoredValue: Hashable {
  /// Whether both have the same value.
  ///
  /// An unread value is read, unless both are the same fault.
  @usableFromInline package static func == (left: StoredValue, right: StoredValue) -> Bool {
    switch (left, right) {
    case (.known(let a), .known(let b)): a == b
    case (.unread(let a), .unread(let b)): a.hasValue(of: b)
    case (.known(let value), .unread(let fault)), (.unread(let fault), .known(let value)):
      value == fault.value
    case (.members(let a), .members(let b)): a == b
    case (.members(let list), .known(.list(let members))),
      (.known(.list(let members)), .members(let list)):
      list.hasMembers(members)
    case (.members(let list), .unread(let fault)), (.unread(let fault), .members(let list)):
      if case .list(let members) = fault.value { list.hasMembers(members) } else { false }
    case (.known, .members), (.members, .known): false
    }
  }

  /// Hashes the value.
  @usableFromInline package func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
