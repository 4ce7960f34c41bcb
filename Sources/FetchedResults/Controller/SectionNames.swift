import Foundation

/// Turns a section key's value into a section's name.
struct SectionNames {
  let keyPath: String
  /// The place of the value in a row's keys.
  let index: Int
  /// Whether the console gets a line about values that are nil.
  let reportsNil: Bool

  /// The name, and whether the value was nil, which Core Data reports on the console.
  func name(of keys: ObjectSnapshot) -> (name: String, isNil: Bool) { name(of: keys[index]) }

  /// The name for a section key's value, and whether the value is nil.
  func name(of value: PropertyValue) -> (name: String, isNil: Bool) {
    (value.sectionName, value == .null)
  }

  /// The line that Core Data prints if a section value is nil; nil for an observer, which puts such
  /// rows into the section "" by its own rule.
  var nilValueMessage: String? {
    guard reportsNil else { return nil }
    return
      "CoreData: error: (NSFetchedResultsController) A section returned nil value for section name "
      + "key path '\(keyPath)'. Objects will be placed in unnamed section"
  }
}

extension PropertyValue {
  /// The name of the section of the objects with this value.
  package var sectionName: String {
    switch self {
    case .null: ""
    case .bool, .double: PredicateCast.string(of: self)
    // In the format of NSDate's description, in seconds: 2013-10-09 22:00:00 +0000.
    case .date(let date): date.description
    case .int, .string, .decimal, .uuid, .uri, .data, .object, .list: description
    }
  }

  /// Returns the value that a section's name is made of; null if the name is empty and no text.
  ///
  /// A date is given in seconds, as in the name.
  package init(sectionName name: String, of type: AttributeType) {
    let value: PropertyValue? =
      switch type {
      case .string: .string(name)
      case .integer16, .integer32, .integer64: Int64(name).map(PropertyValue.int)
      case .double, .float: Double(name).map(PropertyValue.double)
      case .decimal: Decimal(string: name, locale: nil).map(PropertyValue.decimal)
      case .boolean: name.isEmpty ? nil : .bool(name == "1")
      case .date: Self.date(ofSectionName: name).map(PropertyValue.date)
      case .uuid: UUID(uuidString: name).map(PropertyValue.uuid)
      case .uri: URL(string: name).map(PropertyValue.uri)
      case .binaryData: name.isEmpty ? nil : Data(base64Encoded: name).map(PropertyValue.data)
      }
    self = value ?? .null
  }

  /// Reads a date in the format of its description: `2013-10-09 22:00:00 +0000`.
  private static func date(ofSectionName name: String) -> Date? {
    let parts = name.split(separator: " ")
    guard parts.count == 3 else { return nil }
    return try? Date("\(parts[0])T\(parts[1])Z", strategy: .iso8601)
  }
}
