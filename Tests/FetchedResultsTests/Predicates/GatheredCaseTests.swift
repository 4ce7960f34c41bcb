import FetchedResults
import Foundation
import PredicateSyntax
import RepositoryFiles
import Testing

/// The cases collected from Apple's and others' tests.
///
/// They are skipped if the file is not available beside the checkout.
@Suite("Gathered cases of predicates", .enabled(if: SharedCases.file != nil))
struct GatheredCaseTests {
  @Test("each case of evaluation gives what was gathered, or raises")
  func evaluation() throws {
    for entry in try SharedCases.entries("eval") {
      let expected = (entry["expect"] as? Bool).map { "\($0)" } ?? "error"
      try check(entry, expected)
    }
  }

  @Test("in memory, nil behaves as Apple's documentation has it")
  func divergence() throws {
    for entry in try SharedCases.entries("store_divergence") {
      let expected = try #require(entry["memory"] as? Bool)
      try check(entry, "\(expected)")
    }
  }

  /// The cases with a different result here, by their numbers: an unknown function name is
  /// reported, whatever else is wrong.
  private static let disagreements = ["M036": "function-name", "M091": "function-name"]

  @Test("each malformed text, or its arguments, is refused")
  func malformed() throws {
    for entry in try SharedCases.entries("malformed") {
      let format = try #require(entry["predicate"] as? String)
      let arguments = (entry["args"] as? [Any] ?? []).map(PropertyValue.init(gathered:))
      let id = entry["id"] as? String ?? format

      let error = #expect(throws: FetchedResults.InvalidPredicateError.self, "\(id): \(format)") {
        try FetchPredicate(format: format, argumentArray: arguments)
      }

      let prefix =
        switch Self.disagreements[id] ?? entry["expect"] as? String {
        case "arguments": "Insufficient arguments for conversion characters"
        case "function-name": "Unable to parse function name"
        default: "Unable to parse the format string \""
        }
      #expect(error?.message.hasPrefix(prefix) == true, "\(id): \(error?.message ?? "")")
      checkPlace(of: error, in: format, id)
    }
  }

  /// Checks that the place is part of the text, or its end if more must follow, and that the reason
  /// says more than that the text is wrong.
  private func checkPlace(
    of error: FetchedResults.InvalidPredicateError?, in format: String, _ id: String
  ) {
    guard let error, let place = error.range else {
      Issue.record("\(id): no place")
      return
    }
    let length = format.utf8.count
    let isBehind = place == length..<length
    #expect(!place.isEmpty || isBehind, "\(id): \(place)")
    #expect(place.upperBound <= length, "\(id): \(place)")
    if isBehind { #expect(error.description.contains("ends here"), "\(id): \(error)") }
    let words = [
      "expected", "unknown", "found", "closing", "not a number", "takes", "Insufficient",
      "inside a string it is written",
    ]
    #expect(words.contains { error.description.contains($0) }, "\(id): \(error)")
  }

  @Test("normal forms with arguments are those gathered")
  func normalForms() throws {
    for entry in try SharedCases.entries("structure") {
      guard let expected = entry["predicateFormat"] as? String,
        let format = entry["predicate"] as? String
      else { continue }
      let arguments = (entry["args"] as? [Any] ?? []).map(PropertyValue.init(gathered:))

      let predicate = try FetchPredicate(format: format, argumentArray: arguments)

      #expect(predicate.predicateFormat == expected)
      #expect(try FetchPredicate(format: expected) == predicate)
    }
  }

  /// Checks a case as it is written and in its normal form.
  ///
  /// A row is also tested as an object of an entity.
  private func check(_ entry: [String: Any], _ expected: String) throws {
    let id = entry["id"] as? String ?? ""
    let arguments = entry["args"] as? [Any] ?? []
    let variables = (entry["vars"] as? [String: Any] ?? [:]).mapValues(
      PropertyValue.init(gathered:))
    let object = entry["object"] ?? NSNull()
    let written = try FetchPredicate(
      format: entry["predicate"] as? String ?? "",
      argumentArray: arguments.map(PropertyValue.init(gathered:)))

    for predicate in [written, try FetchPredicate(format: written.predicateFormat)] {
      let predicate = predicate.withSubstitutionVariables(variables)
      let result = outcome {
        try predicate.compile(environment: EvaluationEnvironment())
          .matches(PredicateValue(gathered: object))
      }
      #expect(result == expected, "\(id): \(predicate)")
      guard entry["row"] as? Bool == true, let row = object as? [String: Any] else { continue }
      #expect(try outcome(of: predicate, row: row) == expected, "\(id): \(predicate) of an entity")
    }
  }

  /// Returns the result for an object whose entity has the row's keys, and those keys of the
  /// predicate that the row lacks.
  private func outcome(of predicate: FetchPredicate, row: [String: Any]) throws -> String {
    var values = row.mapValues(PropertyValue.init(gathered:))
    while true {
      let keys = values.keys.sorted()
      let entity = try EntityDescription(
        name: "Row",
        attributes: keys.map { key in
          try AttributeDescription(
            name: key, type: AttributeType(of: values[key] ?? .null), isOptional: true)
        })
      do throws(FetchedResults.InvalidPredicateError) {
        let compiled = try predicate.compile(for: entity, environment: EvaluationEnvironment())
        let snapshot = ObjectSnapshot(ContiguousArray(keys.map { values[$0] ?? .null }))
        return outcome {
          try compiled.matches(snapshot, of: ObjectID(entity: entity, number: 1))
        }
      } catch {
        let missing = try #require(error.unknownKey?.key, "\(predicate): \(error)")
        values[missing] = .null
      }
    }
  }

  private func outcome(_ evaluate: () throws -> Bool) -> String {
    (try? evaluate()).map { "\($0)" } ?? "error"
  }
}

extension AttributeType {
  /// Creates the type of an attribute for the value; any type for null.
  fileprivate init(of value: PropertyValue) {
    self =
      switch value {
      case .bool: .boolean
      case .int: .integer64
      case .double: .double
      case .date: .date
      case .uuid: .uuid
      case .data: .binaryData
      case .null, .string, .decimal, .uri, .object, .list: .string
      }
  }
}

extension PredicateValue {
  /// Reads the encoding of the collected cases.
  fileprivate init(gathered json: Any) {
    switch json {
    case let entries as [String: Any]:
      if let elements = entries["$set"] as? [Any] {
        self = .set(elements.map(PredicateValue.init(gathered:)))
      } else if entries.keys.contains(where: { $0.hasPrefix("$") }) {
        self = .value(PropertyValue(gathered: json))
      } else {
        self = .dictionary(entries.mapValues(PredicateValue.init(gathered:)))
      }
    case let elements as [Any]: self = .list(elements.map(PredicateValue.init(gathered:)))
    default: self = .value(PropertyValue(gathered: json))
    }
  }
}

extension PropertyValue {
  /// Reads the encoding of the collected cases.
  ///
  /// A dictionary becomes a list of its values, which is what IN searches.
  fileprivate init(gathered json: Any) {
    switch json {
    case let number as NSNumber where ["c", "B"].contains(String(cString: number.objCType)):
      self = .bool(number.boolValue)
    case let number as NSNumber:
      self = Int64(exactly: number).map(PropertyValue.int) ?? .double(number.doubleValue)
    case let text as String: self = .string(text)
    case let elements as [Any]: self = .list(elements.map(PropertyValue.init(gathered:)))
    case let entries as [String: Any]:
      if let seconds = entries["$date"] as? NSNumber {
        self = .date(Date(timeIntervalSinceReferenceDate: seconds.doubleValue))
      } else if let bytes = entries["$data"] as? [UInt8] {
        self = .data(Data(bytes))
      } else if let text = entries["$uuid"] as? String, let uuid = UUID(uuidString: text) {
        self = .uuid(uuid)
      } else if entries["$nsnull"] != nil {
        self = .null
      } else {
        self = .list(entries.values.map(PropertyValue.init(gathered:)))
      }
    default: self = .null
    }
  }
}
