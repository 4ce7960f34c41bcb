package import FetchedResults

/// The value of a script's expression: a value of the engine, or a part of a controller that is
/// read and not stored.
package enum ScriptValue {
  case value(PropertyValue)
  case range(Range<Int64>)
  case controller(ControllerBinding)
  case history(HistoryBinding)
  case fetchedObjects(ControllerBinding)
  case sections(ControllerBinding)
  // Indirect, so that all other values stay small.
  indirect case section(ControllerBinding, SeenSection)
}

extension ScriptValue {
  static var null: ScriptValue { .value(.null) }

  static func int(_ number: Int) -> ScriptValue { .value(.int(Int64(number))) }

  /// The kind of value with its article, for messages.
  var kind: String {
    switch self {
    case .value(let value): value.kind
    case .range: "a range"
    case .controller(let binding): binding.observer == nil ? "a controller" : "an observer"
    case .history: "an observer"
    case .fetchedObjects: "a list"
    case .sections: "a list of sections"
    case .section: "a section"
    }
  }
}

extension Range<Int64> {
  /// The number of integers in the range; nil if it is too large for an integer.
  var length: Int? {
    let (length, overflows) = upperBound.subtractingReportingOverflow(lowerBound)
    return overflows ? nil : Int(length)
  }
}

extension PropertyValue {
  /// The value as messages show it: strings in quotes, and long ones shortened.
  var excerpt: String {
    if case .string(let text) = self, text.utf8.count > 200 {
      return String(text.prefix(100)).quoted + "…"
    }
    let text = quotedDescription
    return text.utf8.count > 2000 ? text.prefix(1000) + "…" : text
  }

  /// The kind of value with its article, for messages.
  package var kind: String {
    switch self {
    case .null: "nil"
    case .bool(let value): value ? "true" : "false"
    case .int: "an integer"
    case .double: "a floating-point number"
    case .string: "a string"
    case .date: "a date"
    case .decimal: "a decimal number"
    case .uuid: "a UUID"
    case .uri: "a URI"
    case .data: "data"
    case .object: "an object"
    case .list: "a list"
    }
  }
}

extension ScriptValue {
  /// Returns the value with new numbers of objects.
  func renumbered(_ ids: [ObjectID: ObjectID]) -> ScriptValue {
    guard case .value(let value) = self else { return self }
    return .value(value.renumbered(ids))
  }
}

extension PropertyValue {
  fileprivate func renumbered(_ ids: [ObjectID: ObjectID]) -> PropertyValue {
    switch self {
    case .object(let id): .object(ids[id] ?? id)
    case .list(let values): .list(values.map { $0.renumbered(ids) })
    // Values that are not read yet will be read by the new numbers.
    case .null, .bool, .int, .double, .string, .date, .decimal, .uuid, .uri, .data: self
    }
  }
}
