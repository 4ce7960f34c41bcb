import FetchedResults

extension PropertyValue {
  /// Creates a value from an app's argument for a predicate.
  init(given value: Any?) {
    switch value {
    case nil, is NSNull: self = .null
    case let value as PropertyValue: self = value
    case let object as NSManagedObject: self = .object(object.engine.objectID)
    case let id as NSManagedObjectID: self = .object(id.engine)
    case let text as String: self = .string(text)
    case let date as Date: self = .date(date)
    case let uuid as UUID: self = .uuid(uuid)
    case let url as URL: self = .uri(url)
    case let data as Data: self = .data(data)
    case let number as NSDecimalNumber: self = .decimal(number.decimalValue)
    case let value as Bool where type(of: value) == Bool.self: self = .bool(value)
    case let values as [Any]: self = .list(values.map { PropertyValue(given: $0) })
    case let values as NSSet: self = .list(values.allObjects.map { PropertyValue(given: $0) })
    case let values as NSOrderedSet: self = .list(values.array.map { PropertyValue(given: $0) })
    case let number as Decimal: self = .decimal(number)
    case let number as any BinaryInteger: self = .int(Int64(clamping: number))
    case let number as any BinaryFloatingPoint: self = .double(Double(number))
    case let number as NSNumber: self = PropertyValue(number)
    default: preconditionFailure("'\(value as Any)' is not a value of an attribute")
    }
  }

  /// Creates a value from an app's value for an attribute.
  init(given value: Any?, for type: AttributeType) {
    guard let value, !(value is NSNull) else {
      self = .null
      return
    }
    switch type {
    case .integer16, .integer32, .integer64:
      self = (value as? NSNumber).map { .int($0.int64Value) } ?? PropertyValue(given: value)
    case .double, .float:
      self = (value as? NSNumber).map { .double($0.doubleValue) } ?? PropertyValue(given: value)
    case .decimal:
      self = (value as? NSNumber).map { .decimal($0.decimalValue) } ?? PropertyValue(given: value)
    case .boolean:
      self = (value as? NSNumber).map { .bool($0.boolValue) } ?? PropertyValue(given: value)
    case .string, .date, .uuid, .uri, .binaryData: self = PropertyValue(given: value)
    }
  }

  private init(_ number: NSNumber) {
    switch String(cString: number.objCType) {
    case "d", "f": self = .double(number.doubleValue)
    case "c", "B": self = .bool(number.boolValue)
    default: self = .int(number.int64Value)
    }
  }

  /// Returns the value for an app; nil for null.
  ///
  /// - Parameter isOrdered: Whether a list is the value of an ordered relationship.
  func foundation(in context: NSManagedObjectContext?, isOrdered: Bool) -> Any? {
    switch self {
    case .null: return nil
    case .bool(let value): return NSNumber(value: value)
    case .int(let value): return NSNumber(value: value)
    case .double(let value): return NSNumber(value: value)
    case .string(let value): return value
    case .date(let value): return value
    case .decimal(let value): return NSDecimalNumber(decimal: value)
    case .uuid(let value): return value
    case .uri(let value): return value
    case .data(let value): return value
    case .object(let id): return context?.object(for: id)
    case .list(let values):
      let objects = values.compactMap { $0.foundation(in: context, isOrdered: false) }
      return isOrdered ? NSOrderedSet(array: objects) : NSSet(array: objects)
    }
  }
}
