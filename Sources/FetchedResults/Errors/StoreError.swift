public import Foundation

/// An error of a store.
public enum StoreError: Error, Hashable, Sendable {
  /// The row to change no longer exists.
  case missingRow(ObjectID)
  /// The row has changed since it was read, because another process or context saved it.
  case changedMeanwhile(ObjectID)
  /// Another object in the store has the same unique values, because it was saved in the meantime.
  case notUnique(ObjectID)
  /// Another process saved an object with the number of a new object.
  case numberTaken(ObjectID)
  /// The store cannot hold the value of an attribute.
  case unstorable(ObjectID, attribute: String)
  /// A batch request would give several objects the same unique values.
  case sharedUniqueValues(entity: String)
  /// A sum in a batch request does not fit into 64 bits.
  case overflow(entity: String, attribute: String)
  /// The store is read-only.
  case readOnly(store: String)
  /// Another process was writing to the store for too long.
  case busy(store: String)
  /// The store keeps no history: it was not opened with history tracking.
  case noHistory(store: String)
  /// Transactions that followed a token were deleted from the store's history.
  case historyTokenExpired(store: String)
  /// The store's file has an older model and cannot be migrated. The file is unchanged.
  case migration(store: String, MigrationError)
  /// A write was cancelled. The store is unchanged.
  case cancelled
  /// The store cannot be used, for a reason described in words.
  case unusable(store: String, reason: String)
}

extension StoreError: CustomStringConvertible {
  /// A description of the error.
  public var description: String {
    switch self {
    case .missingRow(let id): "\(id) is no longer in the store"
    case .changedMeanwhile(let id): "\(id) was changed in the store since it was read"
    case .notUnique(let id):
      "another object in the store has values of \(id) that must be unique"
    case .numberTaken(let id):
      "another process saved an object as \(id) in the meantime; roll back and insert again"
    case .unstorable(let id, let attribute):
      "the store cannot hold the value of '\(attribute)' of \(id): a text with a NUL character"
    case .sharedUniqueValues(let entity):
      "NSCocoaErrorDomain 133021: two objects of \(entity) would share values that must be unique; "
        + "nothing was written, because a batch request follows no merge policy"
    case .overflow(let entity, let attribute):
      "'\(attribute)' of an object of \(entity) would not fit into 64 bits; nothing was written"
    case .readOnly(let store): "the store '\(store)' is open for reading only"
    case .busy(let store):
      "cannot use the store '\(store)': another process is writing to it, and was for 5 seconds"
    case .noHistory(let store):
      "no history tracking option detected on the store '\(store)' (NSCocoaErrorDomain 134091)"
    case .historyTokenExpired(let store):
      "the history of the store '\(store)' no longer reaches back to the token; fetch everything again"
        + " (NSPersistentHistoryTokenExpiredError, NSCocoaErrorDomain 134301)"
    case .migration(let store, let error): "cannot migrate the store '\(store)': \(error)"
    case .cancelled: "the write was cancelled; nothing was written"
    case .unusable(let store, let reason): "cannot use the store '\(store)': \(reason)"
    }
  }
}

extension StoreError: LocalizedError {
  /// A description of the error.
  public var errorDescription: String? { description }
}
