/// A store that cannot do what it was asked.
public enum StoreError: Error, Hashable, Sendable {
  /// The row to change no longer exists.
  case missingRow(ObjectID)
  /// The row is not the one that was read: someone saved it in between.
  case changedMeanwhile(ObjectID)
  /// Another object in the store has values of this one that must be unique: someone saved it in
  /// between.
  case notUnique(ObjectID)
  /// Another process saved an object under the number of a new one.
  case numberTaken(ObjectID)
  /// The store has no way to write the value of an attribute.
  case unstorable(ObjectID, attribute: String)
  /// A batch request would let objects of an entity share values that must be unique.
  case sharedUniqueValues(entity: String)
  /// A batch request would add up to more than 64 bits hold.
  case overflow(entity: String, attribute: String)
  /// The store may only be read.
  case readOnly(store: String)
  /// Another process is writing to the store, and did not end in time.
  case busy(store: String)
  /// The store keeps no history: it was not opened with history tracking.
  case noHistory(store: String)
  /// Transactions that followed a token were deleted from the store's history.
  case historyTokenExpired(store: String)
  /// The store's file is of an older model and cannot be migrated; the file is as it was.
  case migration(store: String, MigrationError)
  /// Someone wanted a write to stop; the store is as it was.
  case cancelled
  /// The store cannot be used, and why, in words.
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
