import Foundation

/// A wrong use of a managed object.
public enum ObjectError: Error, Hashable, Sendable {
  /// The entity has no attribute of this name.
  case unknownKey(String, entity: String)
  /// The value does not fit the attribute's type.
  case wrongType(PropertyValue, attribute: String, type: AttributeType)
  /// The value is not an object of the relationship's destination.
  case wrongMember(PropertyValue, relationship: RelationshipDescription)
  /// The property is not a to-many relationship, so objects cannot be added or removed.
  case notToMany(String, entity: String)
  /// The attribute is computed, so it cannot be set.
  case computed(String)
  /// The object is deleted.
  case deleted(ObjectID)
  /// The object is neither in the context nor in the store. Another context has inserted it and not
  /// saved it, or it is deleted.
  case elsewhere(ObjectID)
  /// The object's context was released or reset, so the object cannot be related to others.
  case withoutContext(ObjectID)
  /// The destination or the inverse of the relationship is wrong.
  case model(ModelError)
  /// There is no object with this identity.
  case missing(ObjectID)
  /// The store could not be read to find the object.
  case unreadable(StoreError)
}

extension ObjectError: _DescribedError {
  /// A description of the mistake.
  public var description: String {
    switch self {
    case .unknownKey(let key, let entity): "\(entity) has no attribute '\(key)'"
    case .wrongType(let value, let attribute, let type):
      "'\(attribute)' takes \(type.article) \(type.rawValue), not \(value.quotedDescription)"
    case .wrongMember(let value, let relationship):
      "'\(relationship.name)' takes "
        + (relationship.isToMany
          ? "a list of \(relationship.destination)" : relationship.destination.withArticle)
        + ", not \(value.quotedDescription)"
    case .notToMany(let key, let entity): "'\(key)' of \(entity) is not a to-many relationship"
    case .computed(let attribute): "'\(attribute)' is computed and cannot be set"
    case .deleted(let id): "\(id) is deleted"
    case .elsewhere(let id):
      "\(id) is neither in this context nor in the store: it belongs to another context, which has "
        + "not saved it, or it is deleted; save it in its own context first"
    case .withoutContext(let id):
      "the context of \(id) was released or reset; keep the context as long as you use its objects"
    case .model(let error): error.description
    case .missing(let id): "there is no object \(id)"
    case .unreadable(let error): error.description
    }
  }
}

extension AttributeType {
  fileprivate var article: String {
    switch self {
    case .integer16, .integer32, .integer64: "an"
    case .string, .double, .float, .decimal, .boolean, .date, .uuid, .uri, .binaryData: "a"
    }
  }
}

extension String {
  /// The name with `a` or `an` before it.
  fileprivate var withArticle: String {
    (first.map { "AEIOUaeiou".contains($0) } == true ? "an " : "a ") + self
  }
}

/// A save that was refused because its changes did not come to an end.
///
/// A save processes its changes, and processes what delegates and hooks changed in the meantime,
/// until nothing is left to do. A delegate that changes objects each time it is called never lets
/// it end. Nothing is saved then; the changes stay pending.
public struct EndlessSaveError: Error, Hashable, Sendable {
  /// After how many rounds the save gave up.
  public let rounds: Int
  /// An object that willSave changed in each of them; nil if the changes came from a delegate.
  public let changedObjectID: ObjectID?

  init() {
    rounds = Self.mostRounds
    changedObjectID = nil
  }

  /// The error of a willSave that never stops changing an object.
  init(changing id: ObjectID) {
    rounds = Self.mostHookRounds
    changedObjectID = id
  }

  /// The most rounds of a save.
  static let mostRounds = 1000
  /// The most rounds of willSave in a save.
  static let mostHookRounds = 100
}

extension EndlessSaveError: _DescribedError {
  /// A description of the error, in one line.
  public var description: String {
    let start = "cannot save: after \(rounds) rounds "
    if let changedObjectID {
      return start + "willSave still changes \(changedObjectID); "
        + "assign a value only where it differs"
    }
    return start + "there are still new changes; "
      + "does a delegate change objects each time it is called?"
  }
}

/// A save that was refused because the context is about to save already: willSave
/// called it.
public struct NestedSaveError: Error, Hashable, Sendable {}

extension NestedSaveError: _DescribedError {
  /// A description of the error, in one line.
  public var description: String {
    "cannot save in willSave: the save is under way, and will save what willSave changes"
  }
}

#if DEBUG

/// Stops a debug build if two threads use one context at the same time.
///
/// Swift 6 does not compile such a program. In Swift 5 mode, it would damage the context silently.
final class UseCheck {
  private let user = Locked<ObjectIdentifier?>(nil)

  /// Notes that the calling thread uses the context.
  ///
  /// - Returns: Whether it did not use it already. If so, call ``end()`` afterwards.
  func begin() -> Bool {
    let thread = ObjectIdentifier(Thread.current)
    return user.withLock { user in
      if user == thread { return false }
      require(
        user == nil,
        "two threads use one ManagedObjectContext at the same time; give each thread or actor a "
          + "context of its own, such as by PersistentContainer.performBackgroundTask")
      user = thread
      return true
    }
  }

  func end() { user.withLock { $0 = nil } }
}
#endif

extension ManagedObjectContext {
  /// Calls `body`.
  ///
  /// A debug build stops if another thread uses the context in the meantime.
  @inline(__always)
  func alone<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    #if DEBUG
    let isOutermost = useCheck.begin()
    defer { if isOutermost { useCheck.end() } }
    #endif
    return try body()
  }
}

/// The reason why a save failed.
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

extension SaveError: _DescribedError {
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
