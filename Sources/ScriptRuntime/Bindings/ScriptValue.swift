package import FetchedResults

/// What an expression of a script gives: a value of the engine, or a part of a
/// controller that is looked at rather than stored.
package enum ScriptValue {
  case value(PropertyValue)
  case range(Range<Int64>)
  case controller(ControllerBinding)
  case fetchedObjects(ControllerBinding)
  case sections(ControllerBinding)
  // By reference, so that every other value stays small.
  indirect case section(ControllerBinding, FetchedResultsSectionInfo)
}

extension ScriptValue {
  static var null: ScriptValue { .value(.null) }

  static func int(_ number: Int) -> ScriptValue { .value(.int(Int64(number))) }

  /// What kind of thing this is, with its article, for messages.
  var kind: String {
    switch self {
    case .value(let value): value.kind
    case .range: "a range"
    case .controller: "a controller"
    case .fetchedObjects: "a list"
    case .sections: "a list of sections"
    case .section: "a section"
    }
  }
}

extension Range<Int64> {
  /// How many numbers the range holds; nil if no integer says it.
  var length: Int? {
    let (length, overflows) = upperBound.subtractingReportingOverflow(lowerBound)
    return overflows ? nil : Int(length)
  }
}

extension PropertyValue {
  /// The value in a message: strings in quotes, and a long one cut off.
  var excerpt: String {
    if case .string(let text) = self, text.utf8.count > 200 {
      return String(text.prefix(100)).quoted + "…"
    }
    let text = quotedDescription
    return text.utf8.count > 2000 ? text.prefix(1000) + "…" : text
  }

  /// What kind of value this is, with its article, for messages.
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
