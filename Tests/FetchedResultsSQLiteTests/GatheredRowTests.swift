import FetchedResults
import FetchedResultsSQLite
import Foundation
import RepositoryFiles
import Testing

/// The collected cases of predicates on flat rows, tested on stores.
///
/// They are skipped if the file is not available beside the checkout.
@Suite("Gathered cases of predicates on both stores", .enabled(if: SharedCases.file != nil))
struct GatheredRowTests {
  @Test("a row is found in a file where it is found in memory, and as was gathered")
  func rows() throws {
    let folder = StoreFolder()
    var asked = 0
    for entry in try SharedCases.entries("eval") where entry["row"] as? Bool == true {
      let expected = (entry["expect"] as? Bool).map { $0 ? "1" : "0" } ?? "error"
      let id = entry["id"] as? String ?? ""
      #expect(try GatheredRows.outcome(entry, in: nil) == expected, "\(id) in memory")
      // SQL compares one value under ANY, where the objects in memory raise an error.
      let inFile = id == "E419" ? "1" : expected
      #expect(
        try GatheredRows.outcome(entry, in: folder.file("\(id).sqlite")) == inFile,
        "\(id) in a file")
      asked += 1
    }
    #expect(asked > 50)
  }

  @Test("nil in a store is as in memory, or as on Apple's systems where that is asked for")
  func divergence() throws {
    let folder = StoreFolder()
    for entry in try SharedCases.entries("store_divergence") {
      guard let object = entry["object"] as? [String: Any],
        !object.values.contains(where: { $0 is [Any] }),
        let memory = entry["memory"] as? Bool, let apple = entry["sqlite"] as? Bool
      else { continue }
      let id = entry["id"] as? String ?? ""
      let file = folder.file("\(id).sqlite")
      #expect(try GatheredRows.outcome(entry, in: nil) == (memory ? "1" : "0"), "\(id) in memory")
      #expect(try GatheredRows.outcome(entry, in: file) == (memory ? "1" : "0"), "\(id)")
      #expect(
        try GatheredRows.outcome(entry, in: file, isThreeValued: true) == (apple ? "1" : "0"),
        "\(id) as Apple")
    }
  }
}

private enum GatheredRows {
  /// Returns whether a case's predicate finds the single row of a store.
  static func outcome(
    _ entry: [String: Any], in file: URL?, isThreeValued: Bool = false
  ) throws -> String {
    let arguments = (entry["args"] as? [Any] ?? []).map(value)
    let predicate = try FetchPredicate(
      format: entry["predicate"] as? String ?? "", argumentArray: arguments
    ).withSubstitutionVariables((entry["vars"] as? [String: Any] ?? [:]).mapValues(value))
    var values = (entry["object"] as? [String: Any] ?? [:]).mapValues(value)
    let asksText = predicate.predicateFormat.contains("\"")
    while true {
      let entity = try EntityDescription(
        name: "Row",
        attributes: values.keys.sorted().map { key in
          try AttributeDescription(
            name: key, type: type(of: values[key] ?? .null, isThreeValued && !asksText),
            isOptional: true)
        })
      // A key that the row lacks is added to its entity, with the value nil.
      do throws(FetchedResults.InvalidPredicateError) {
        _ = try predicate.compile(for: entity, environment: EvaluationEnvironment())
      } catch {
        values[try #require(error.unknownKey?.key, "\(predicate): \(error)")] = .null
        continue
      }
      return try outcome(predicate, entity, values, file, isThreeValued)
    }
  }

  private static func outcome(
    _ predicate: FetchPredicate, _ entity: EntityDescription, _ values: [String: PropertyValue],
    _ file: URL?, _ isThreeValued: Bool
  ) throws -> String {
    let model = try ManagedObjectModel(entities: [entity])
    if let file { try? FileManager.default.removeItem(at: file) }
    let coordinator =
      try file.map {
        try PersistentStoreCoordinator(managedObjectModel: model, sqliteStoreAt: $0)
      } ?? PersistentStoreCoordinator(managedObjectModel: model)
    let context = ManagedObjectContext(coordinator: coordinator)
    context.environment.isThreeValued = isThreeValued
    let object = context.insert(entity)
    for (key, value) in values { try object.setValue(value, forKey: key) }
    try context.save()
    context.reset()
    return (try? context.count(for: FetchRequest(entity: entity, predicate: predicate)))
      .map { "\($0)" } ?? "error"
  }

  /// Returns the type of an attribute for the value; for null, an integer or text.
  private static func type(of value: PropertyValue, _ prefersInteger: Bool) -> AttributeType {
    switch value {
    case .bool: .boolean
    case .int: .integer64
    case .double: .double
    case .date: .date
    case .uuid: .uuid
    case .data: .binaryData
    case .null where prefersInteger: .integer64
    default: .string
    }
  }

  /// Reads the encoding of the collected cases.
  ///
  /// A dictionary becomes a list of its values, which is what IN searches.
  private static func value(_ json: Any) -> PropertyValue {
    switch json {
    case let number as NSNumber where ["c", "B"].contains(String(cString: number.objCType)):
      return .bool(number.boolValue)
    case let number as NSNumber:
      return Int64(exactly: number).map(PropertyValue.int) ?? .double(number.doubleValue)
    case let text as String: return .string(text)
    case let elements as [Any]: return .list(elements.map(value))
    case let entries as [String: Any]:
      if let seconds = entries["$date"] as? NSNumber {
        return .date(Date(timeIntervalSinceReferenceDate: seconds.doubleValue))
      }
      if let bytes = entries["$data"] as? [UInt8] { return .data(Data(bytes)) }
      if let uuid = (entries["$uuid"] as? String).flatMap(UUID.init(uuidString:)) {
        return .uuid(uuid)
      }
      return entries["$nsnull"] != nil ? .null : .list(entries.values.map(value))
    default: return .null
    }
  }
}
