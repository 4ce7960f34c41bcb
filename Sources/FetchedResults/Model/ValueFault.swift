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
  /// Returns the value; nil if reading failed, in which case the store keeps the error if it should.
  private let read: @Sendable (_ keepsError: Bool) -> PropertyValue?
  private let known = Mutex<PropertyValue?>(nil)

  /// A to-many relationship.
  ///
  /// - Parameter read: Returns the objects in the relationship's order, or nil if they cannot be
  ///   read.
  package init(members read: @escaping @Sendable () -> [PropertyValue]?) {
    reference = nil
    self.read = { _ in read().map(PropertyValue.list) }
  }

  /// Data in a file of its own.
  ///
  /// - Parameters:
  ///   - reference: What the store's row has in place of the data.
  ///   - read: Returns the data, or nil if it cannot be read. If `keepsError` is false, nobody asked
  ///     for the data, and the error is ignored.
  package init(reference: Data, _ read: @escaping @Sendable (_ keepsError: Bool) -> Data?) {
    self.reference = reference
    self.read = { read($0).map(PropertyValue.data) }
  }

  /// Whether the value has not been read yet.
  package var isUnread: Bool { known.withLock { $0 == nil } }

  /// The value, which is read now if necessary.
  ///
  /// If it cannot be read, a relationship is empty and data is null. The next access tries again.
  @usableFromInline package var value: PropertyValue {
    value(keepsError: true) ?? (reference == nil ? .list([]) : .null)
  }

  private func value(keepsError: Bool) -> PropertyValue? {
    if let value = known.withLock({ $0 }) { return value }
    // Read without holding the lock, because reading can take long.
    guard let value = read(keepsError) else { return nil }
    known.withLock { $0 = value }
    return value
  }

  /// Whether the fault has a value.
  ///
  /// Data that cannot be read differs from every value.
  fileprivate func has(_ value: PropertyValue) -> Bool {
    reference == nil ? self.value == value : self.value(keepsError: false) == value
  }

  /// Whether both faults have the same value.
  ///
  /// Data is not read for this: a store gives other data another file.
  fileprivate func hasValue(of other: ValueFault) -> Bool {
    if self === other { return true }
    if let reference, let otherReference = other.reference { return reference == otherReference }
    return value == other.value
  }

  fileprivate func hash(into hasher: inout Hasher) {
    hasher.combine(reference == nil ? value : value(keepsError: false) ?? .null)
  }
}

extension StoredValue: Hashable {
  /// Whether both have the same value.
  ///
  /// An unread relationship is read, unless both are the same fault.
  @usableFromInline package static func == (left: StoredValue, right: StoredValue) -> Bool {
    switch (left, right) {
    case (.known(let a), .known(let b)): a == b
    case (.unread(let a), .unread(let b)): a.hasValue(of: b)
    case (.known(let value), .unread(let fault)), (.unread(let fault), .known(let value)):
      fault.has(value)
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
  @usableFromInline package func hash(into hasher: inout Hasher) {
    switch self {
    case .known, .members: hasher.combine(value)
    case .unread(let fault): fault.hash(into: &hasher)
    }
  }
}
