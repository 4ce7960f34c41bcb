public import Foundation

/// An error whose `localizedDescription` is its description.
public protocol _DescribedError: LocalizedError, CustomStringConvertible {}

extension _DescribedError {
  /// A description of the error.
  public var errorDescription: String? { description }
}

/// An error that prevents a fetch.
public enum FetchError: Error, Hashable, Sendable {
  /// A sort or section key path names no property of the entity.
  case unknownKeyPath(String, entity: String)
  /// A key path that a store reads contains a transient property, which it does not have.
  case transientKeyPath(String, key: String, entity: String)
  /// A sort or section key path crosses a to-many relationship.
  case toManyKey
  /// A sort or section key path has a collection operator.
  case aggregateKeyPath(String)
  /// A property of a dictionary is to-many. A dictionary holds one value for each name.
  case toManyProperty(String)
  /// A property of a grouped dictionary is neither grouped by nor computed.
  case ungroupedProperty(String, groups: [String])
  /// Two values of a dictionary have the same name.
  case repeatedProperty(String)
  /// A sum or an average of values that are not numbers.
  case notNumeric(String, function: String)
  /// A condition on groups in a request without groups.
  case havingWithoutGroup
  /// A name that the dictionaries do not have.
  case notInResult(String, clause: String, names: [String])
  /// A request has another result type where objects are needed.
  case otherResultType(String)
  /// The entity belongs to another model than the store's.
  case foreignEntity(String)
  /// A relationship on the key path has no valid destination.
  case model(ModelError)
  /// The predicate does not fit the entity, or raised while it was evaluated.
  case predicate(InvalidPredicateError)
  /// The store could not answer.
  case store(StoreError)
  /// The fetch was cancelled; see ``EvaluationEnvironment``.
  case cancelled
}

extension FetchError: _DescribedError {
  /// A description of the error, in Apple's words where Core Data reports the same error.
  public var description: String {
    switch self {
    case .unknownKeyPath(let keyPath, let entity):
      "keypath \(keyPath) not found in entity \(entity)"
    case .transientKeyPath(let keyPath, let key, let entity):
      "keypath \(keyPath) not found in entity \(entity), reason: "
        + InvalidPredicateError.reasonOfTransientKey(key)
    case .toManyKey: "to-many key not allowed here"
    case .aggregateKeyPath(let keyPath):
      "Keypath containing KVC aggregate where there shouldn't be one; failed to handle \(keyPath)"
    case .toManyProperty(let keyPath):
      "Invalid to many relationship in setPropertiesToFetch: (\(keyPath))"
    case .ungroupedProperty(let property, let groups):
      "SELECT clauses in queries with GROUP BY components can only contain properties named in the "
        + "GROUP BY or aggregate functions (\(property) is not in {\(groups.joined(separator: ", "))}); "
        + "write 'group by \((groups + [property]).joined(separator: ", "))'"
    case .repeatedProperty(let name): "two values of a dictionary are called '\(name)'"
    case .notNumeric(let keyPath, let function):
      "'\(function)' needs numbers; '\(keyPath)' holds none"
    case .havingWithoutGroup: "'having' asks groups; there is no 'group by'"
    case .notInResult(let name, let clause, let names):
      "'\(clause)' names values of the result; '\(name)' is not one of \(names.joined(separator: ", "))"
    case .foreignEntity(let name):
      "\(name) is an entity of another model than the store's; take the entity from "
        + "managedObjectModel.entitiesByName of the context's coordinator"
    case .otherResultType(let type):
      "the request returns \(type), not objects; write 'fetch' as a statement to print it"
    case .model(let error): error.description
    case .predicate(let error): error.description
    case .store(let error): error.description
    case .cancelled: "the fetch was cancelled"
    }
  }
}

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
  case overflow(entity: String, attribute: String, type: AttributeType)
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

extension StoreError: _DescribedError {
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
    case .overflow(let entity, let attribute, let type):
      "'\(attribute)' of an object of \(entity) would not fit into \(type.bitCount) bits; "
        + "nothing was written"
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

/// A predicate that cannot be parsed, resolved or evaluated.
public struct InvalidPredicateError: Error, Hashable, Sendable {
  /// A description of the error, in Apple's words where Apple raises an exception.
  public let message: String
  /// More details, such as what the parser expected.
  public let reason: String?
  /// The error's place in UTF-8 bytes, in the format string or in the script that contains the
  /// predicate; nil if it has no place.
  public let range: Range<Int>?
  /// The unknown key, if that is the error.
  public let unknownKey: UnknownKey?

  package init(
    message: String, reason: String? = nil, range: Range<Int>? = nil,
    unknownKey: UnknownKey? = nil
  ) {
    self.message = message
    self.reason = reason
    self.range = range
    self.unknownKey = unknownKey
  }

  /// A key that an entity does not have.
  public struct UnknownKey: Hashable, Sendable {
    /// The key as it was written.
    public let key: String
    /// The entity's name.
    public let entity: String
    /// The keys that the entity has, in order of declaration.
    public let candidates: [String]
  }
}

extension InvalidPredicateError {
  /// Returns the same error with a place, if it has none yet.
  func located(at place: Range<Int>) -> Self {
    guard range == nil else { return self }
    return Self(message: message, reason: reason, range: place, unknownKey: unknownKey)
  }
}

extension InvalidPredicateError: _DescribedError {
  /// The message, and the reason if there is one.
  public var description: String {
    guard let reason else { return message }
    return (message.hasSuffix(".") ? String(message.dropLast()) : message) + ", reason: " + reason
  }
}

/// The reason why the file of a store was not migrated to a newer model.
///
/// The file is unchanged in every case.
public enum MigrationError: Error, Hashable, Sendable {
  /// The file holds data for which the new model has no place, and dropping it was not allowed.
  case dataLoss([MigrationLoss])
  /// Objects would have no value for a property that needs one and has no default.
  case missingValue(entity: String, property: String, objects: Int)
  /// Some values do not fit the new type of an attribute.
  case unfitValues(entity: String, attribute: String, type: AttributeType, objects: Int)
  /// No conversion is known between two types. A step of the app can convert the values.
  case noConversion(entity: String, attribute: String, from: AttributeType, to: AttributeType)
  /// Several objects have equal values that must be unique in the new model.
  case notUnique(entity: String, attributes: [String])
  /// A step of the app failed, for a reason described in words.
  case stepFailed(entity: String, number: Int64, reason: String)
  /// A step is for an entity that the new model does not have, or that has no older entity.
  case unusedStep(entity: String)
  /// The file does not fit the model that was given as its own.
  case otherSource(reason: String)
  /// The model that the file's tables imply is not valid, or they may be of several models.
  case unknownSource(reason: String)
  /// Another process, or another coordinator, has the file open.
  case inUse
  /// The store is read-only and does not fit the model, for a reason described in words.
  case readOnly(reason: String)
}

/// Data of a file that a migration would drop.
public struct MigrationLoss: Hashable, Sendable {
  /// The name of the old entity.
  public let entity: String
  /// The name of the old property; nil if all objects of the entity are dropped.
  public let property: String?
  /// The number of objects that lose a value, or are dropped.
  public let objects: Int

  /// Creates a loss.
  public init(entity: String, property: String?, objects: Int) {
    self.entity = entity
    self.property = property
    self.objects = objects
  }
}

extension MigrationLoss: CustomStringConvertible {
  /// A description such as `Book.pages (3 values)`.
  public var description: String {
    guard let property else {
      return "\(entity) (\(objects) \(objects == 1 ? "object" : "objects"))"
    }
    return "\(entity).\(property) (\(objects) \(objects == 1 ? "value" : "values"))"
  }
}

extension MigrationError: _DescribedError {
  /// A description of the error.
  public var description: String {
    switch self {
    case .dataLoss(let losses):
      // Every loss is listed, because the user must know all of them to decide.
      "it would drop \(losses.map(\.description).joined(separator: ", "))"
    case .missingValue(let entity, let property, let objects):
      "\(entity).\(property) needs a value, and \(Self.objects(objects)) would have none; "
        + "give it a default, or make it optional"
    case .unfitValues(let entity, let attribute, let type, let objects):
      "\(entity).\(attribute) of \(Self.objects(objects)) does not fit \(type.rawValue)"
    case .noConversion(let entity, let attribute, let old, let new):
      "\(entity).\(attribute) was \(old.rawValue) and is \(new.rawValue); "
        + "only a step of the app's own can convert it"
    case .notUnique(let entity, let attributes):
      "several objects of \(entity) share \(attributes.joined(separator: ", ")), "
        + "which must be unique"
    case .stepFailed(let entity, let number, let reason):
      "the step for \(entity) failed at object \(number): \(reason)"
    case .unusedStep(let entity):
      "there is a step for \(entity), and no object of an older model becomes one"
    case .otherSource(let reason): "the file is not of the older model that was given: \(reason)"
    case .unknownSource(let reason): "its tables do not tell the older model: \(reason)"
    case .inUse: "it is open elsewhere; close it there and try again"
    case .readOnly(let reason):
      "it does not fit the model (\(reason)), and a file that is open for reading only stays as it is"
    }
  }

  private static func objects(_ count: Int) -> String {
    count == 1 ? "1 object" : "\(count) objects"
  }
}
