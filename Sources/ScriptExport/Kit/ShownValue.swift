import CoreData

/// A value from Core Data, in the format of frc.
struct ShownValue {
  private let value: Any?
  private let attribute: NSAttributeDescription?
  private let isOrdered: Bool

  init(_ value: Any?, of key: String, entity: NSEntityDescription) {
    self.value = value
    attribute = entity.attributesByName[key]
    isOrdered = entity.relationshipsByName[key]?.isOrdered ?? false
  }

  /// Returns the value as JSON, with the names of objects.
  func json(_ names: ObjectNames) -> String {
    guard let value else { return "null" }
    guard let attribute else { return related(value, names) }
    switch attribute.attributeType {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
      return (value as? NSNumber).map { String($0.int64Value) } ?? "null"
    case .doubleAttributeType, .floatAttributeType:
      let number = (value as? NSNumber)?.doubleValue ?? .nan
      return number.isFinite ? number.description : JSONText.string(number.description)
    case .booleanAttributeType: return (value as? NSNumber)?.boolValue == true ? "true" : "false"
    case .decimalAttributeType:
      return JSONText.string((value as? NSDecimalNumber)?.decimalValue.description ?? "")
    case .dateAttributeType: return (value as? Date).map(JSONText.date) ?? "null"
    case .UUIDAttributeType: return JSONText.string((value as? UUID)?.uuidString ?? "")
    case .URIAttributeType: return JSONText.string((value as? URL)?.absoluteString ?? "")
    case .binaryDataAttributeType:
      return JSONText.string((value as? Data)?.base64EncodedString() ?? "")
    default: return JSONText.string(value as? String ?? "\(value)")
    }
  }

  private func related(_ value: Any, _ names: ObjectNames) -> String {
    if let object = value as? NSManagedObject {
      return JSONText.string(names.name(of: object.objectID))
    }
    let members = (value as? NSOrderedSet)?.array ?? (value as? NSSet)?.allObjects ?? []
    let found = members.compactMap { ($0 as? NSManagedObject).map { names.name(of: $0.objectID) } }
    return JSONText.strings(isOrdered ? found : ObjectNames.sorted(found))
  }
}
