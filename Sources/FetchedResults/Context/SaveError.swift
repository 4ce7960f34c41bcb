/// Why a save failed.
///
/// Nothing was written, and the changes are still unsaved.
public enum SaveError: Error, Hashable, Sendable {
  /// Objects have values that their entities do not allow.
  case validation(ObjectValidationError)
  /// The store has newer values than the context read, or objects share unique values.
  case conflict(MergeConflictError)
  /// The changes never come to an end.
  case endless(EndlessSaveError)
  /// A willSave hook called `save()`.
  case nested(NestedSaveError)
  /// The store cannot be read or written.
  case store(StoreError)
  /// The task, or the ``ManagedObjectContext/progress``, was cancelled.
  case cancelled

  /// Creates the error of a save from the error of one of its parts.
  init(_ error: any Error, store: String) {
    switch error {
    case let error as SaveError: self = error
    case let error as ObjectValidationError: self = .validation(error)
    case let error as MergeConflictError: self = .conflict(error)
    case let error as EndlessSaveError: self = .endless(error)
    case let error as NestedSaveError: self = .nested(error)
    case StoreError.cancelled, FetchError.cancelled: self = .cancelled
    case let error as StoreError: self = .store(error)
    case FetchError.store(let error): self = .store(error)
    default: self = .store(.unusable(store: store, reason: "\(error)"))
    }
  }

  /// The error of the part that failed: an ``ObjectValidationError``, a ``MergeConflictError``, an
  /// ``EndlessSaveError``, a ``NestedSaveError`` or a ``StoreError``.
  ///
  /// If the save was cancelled, it is this error itself.
  public var underlyingError: any Error {
    switch self {
    case .validation(let error): error
    case .conflict(let error): error
    case .endless(let error): error
    case .nested(let error): error
    case .store(let error): error
    case .cancelled: self
    }
  }
}

extension SaveError: CustomStringConvertible {
  /// A description of the error.
  public var description: String {
    switch self {
    case .validation(let error): error.description
    case .conflict(let error): error.description
    case .endless(let error): error.description
    case .nested(let error): error.description
    case .store(let error): error.description
    case .cancelled: "the save was cancelled; nothing was written"
    }
  }
}
