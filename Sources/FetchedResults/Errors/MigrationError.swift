public import Foundation

/// Why the file of a store was not migrated to a newer model.
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
  /// The model that the file's tables imply is not valid.
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
  /// How many objects lose a value, or are dropped.
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

extension MigrationError: CustomStringConvertible, LocalizedError {
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

  /// A description of the error.
  public var errorDescription: String? { description }

  private static func objects(_ count: Int) -> String {
    count == 1 ? "1 object" : "\(count) objects"
  }
}
