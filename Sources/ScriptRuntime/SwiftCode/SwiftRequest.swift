import FetchedResults
import Foundation
import PredicateSyntax

/// A fetch request, as the statements that set it up in an app.
struct SwiftRequest {
  let request: FetchRequest
  /// The type of the results.
  private let element: String
  private let predicate: SwiftPredicate?
  private let having: SwiftPredicate?

  /// - Parameter element: The type of the results; nil for the entity's class.
  init(_ request: FetchRequest, of element: String? = nil) {
    self.request = request
    self.element = element ?? request.entity.name.swiftName
    predicate = request.predicate.map(SwiftPredicate.init)
    let described = request.propertiesToFetch.filter(\.needsDescription).map(\.name)
    having = request.havingPredicate.map { SwiftPredicate($0.naming(described)) }
  }

  /// The objects in the request, which become parameters.
  var objects: [ObjectID] { predicate?.objects ?? [] }

  /// The statements.
  var lines: [String] {
    let entity = request.entity.name
    var lines = ["let request = NSFetchRequest<\(element)>(entityName: \(entity.quoted))"]
    lines += predicate?.lines(of: "request.predicate") ?? []
    if !request.sortDescriptors.isEmpty {
      lines.append("request.sortDescriptors = [")
      lines += request.sortDescriptors.flatMap { descriptor in
        SwiftCall("NSSortDescriptor", descriptor.swiftArguments(for: request), end: "),")
          .lines.indented()
      }
      lines.append("]")
    }
    if !request.includesSubentities { lines.append("request.includesSubentities = false") }
    if request.fetchLimit > 0 { lines.append("request.fetchLimit = \(request.fetchLimit)") }
    if request.fetchOffset > 0 { lines.append("request.fetchOffset = \(request.fetchOffset)") }
    if request.fetchBatchSize > 0 {
      lines.append("request.fetchBatchSize = \(request.fetchBatchSize)")
    }
    return lines + optionLines + resultLines
  }

  private var optionLines: [String] {
    var lines: [String] = []
    if !request.includesPendingChanges { lines.append("request.includesPendingChanges = false") }
    if !request.returnsObjectsAsFaults { lines.append("request.returnsObjectsAsFaults = false") }
    if !request.relationshipKeyPathsForPrefetching.isEmpty {
      let paths = request.relationshipKeyPathsForPrefetching.map(request.entity.swiftKeyPath)
      lines.append(
        "request.relationshipKeyPathsForPrefetching = [\(paths.joined(separator: ", "))]")
    }
    if request.shouldRefreshRefetchedObjects {
      lines.append("request.shouldRefreshRefetchedObjects = true")
    }
    return lines
  }

  // MARK: Results that are not objects

  private var resultLines: [String] {
    switch request.resultType {
    case .managedObjects, .count: []
    case .managedObjectIDs: ["request.resultType = .managedObjectIDResultType"]
    case .dictionaries: dictionaryLines
    }
  }

  private var dictionaryLines: [String] {
    var lines = request.propertiesToFetch.flatMap(descriptionLines)
    lines.append("request.resultType = .dictionaryResultType")
    let properties = request.propertiesToFetch.map {
      $0.needsDescription ? variable(for: $0) : $0.keyPath.quoted
    }
    if !properties.isEmpty {
      lines.append("request.propertiesToFetch = [\(properties.joined(separator: ", "))]")
    }
    if !request.propertiesToGroupBy.isEmpty {
      let groups = request.propertiesToGroupBy.map(\.quoted).joined(separator: ", ")
      lines.append("request.propertiesToGroupBy = [\(groups)]")
    }
    lines += having?.lines(of: "request.havingPredicate") ?? []
    if request.returnsDistinctResults { lines.append("request.returnsDistinctResults = true") }
    return lines
  }

  /// Returns the variable for the description of a value.
  private func variable(for property: FetchedProperty) -> String {
    let described = request.propertiesToFetch.filter(\.needsDescription).map(\.name)
    let others = described.filter { $0 != property.name } + objects.map(\.swiftProperty)
    return property.name.swiftName(unlike: Set(others + ["request", "context"]), ending: "Value")
  }

  /// Returns the description of a value that is computed or has a name of its own.
  private func descriptionLines(of property: FetchedProperty) -> [String] {
    guard property.needsDescription else { return [] }
    let name = variable(for: property)
    let path = "NSExpression(forKeyPath: \(property.keyPath.quoted))"
    let expression =
      property.function.map { ["forFunction: \"\($0.rawValue):\"", "arguments: [\(path)]"] }
    var lines = [
      "let \(name) = NSExpressionDescription()", "\(name).name = \(property.name.quoted)",
    ]
    if let expression {
      lines += SwiftCall("\(name).expression = NSExpression", expression, end: ")").lines
    } else {
      lines.append("\(name).expression = \(path)")
    }
    if let type = property.resultType(in: request.entity) {
      lines.append("\(name).resultType = \(type.swiftAttributeType)")
    }
    return lines
  }
}

extension FetchPredicate {
  /// Returns the predicate with variables in place of keys.
  ///
  /// In a condition on groups, a computed value is `$total`, because the entity has no key with
  /// that name.
  fileprivate func naming(_ names: [String]) -> FetchPredicate {
    let named = tree.rewritten { operand in
      guard case .key(let name, of: nil) = operand.kind, names.contains(name) else { return nil }
      return OperandTree(.variable(name), range: operand.range)
    }
    return FetchPredicate(tree: named, arguments: arguments, variables: variables)
  }
}

extension FetchedProperty {
  /// Whether the property needs an expression description in an app.
  fileprivate var needsDescription: Bool { function != nil || name != keyPath }

  /// Returns the type of the value; nil if the key path does not lead to an attribute.
  fileprivate func resultType(in entity: EntityDescription) -> AttributeType? {
    if function == .count { return .integer64 }
    guard let type = entity.attribute(atKeyPath: keyPath)?.type else { return nil }
    guard function == .average else { return type }
    return type == .decimal ? .decimal : .double
  }
}

extension AttributeType {
  /// The case of NSAttributeDescription's type.
  fileprivate var swiftAttributeType: String {
    switch self {
    case .integer16: ".integer16"
    case .integer32: ".integer32"
    case .integer64: ".integer64"
    case .double: ".double"
    case .float: ".float"
    case .boolean: ".boolean"
    case .string: ".string"
    case .decimal: ".decimal"
    case .date: ".date"
    case .uuid: ".uuid"
    case .uri: ".uri"
    case .binaryData: ".binaryData"
    }
  }
}

extension ObjectID {
  /// The name of the property for the object in an app: `author1`.
  var swiftProperty: String { entity.name.swiftIdentifier.uncapitalizedFirst + String(number) }

  /// The parameter for the object: `author1: Author`.
  var swiftParameter: String { "\(swiftProperty): \(entity.name.swiftName)" }
}

extension FetchSortDescriptor {
  fileprivate func swiftArguments(for request: FetchRequest) -> [String] {
    let method = selector.swiftMethod.map { ["selector: #selector(NSString.\($0)(_:))"] } ?? []
    // A key may be the name of a value in the results, which the compiler does not know.
    let isName = request.propertiesToFetch.contains { $0.needsDescription && $0.name == key }
    let path = isName ? key.quoted : request.entity.swiftKeyPath(key)
    return ["key: \(path)", "ascending: \(ascending)"] + method
  }
}

extension FetchSortDescriptor.Selector {
  /// The name of the NSString method; nil for the default.
  fileprivate var swiftMethod: String? {
    self == .compare ? nil : String(rawValue.prefix { $0 != ":" })
  }
}

extension PropertyValue {
  /// Whether the value has no text that NSPredicate could parse.
  var isWrittenAsArgument: Bool {
    switch self {
    case .null, .bool, .int, .double, .string: false
    case .date, .decimal, .uuid, .uri, .data, .object: true
    case .list(let values): values.contains(where: \.isWrittenAsArgument)
    }
  }

  var namedObjects: [ObjectID] {
    switch self {
    case .object(let id): [id]
    case .list(let values): values.flatMap(\.namedObjects)
    case .null, .bool, .int, .double, .string, .date, .decimal, .uuid, .uri, .data: []
    }
  }

  /// The value as an argument of `NSPredicate(format:)`.
  var swiftArgument: String {
    switch self {
    case .null: return "NSNull()"
    case .bool(let value): return "NSNumber(value: \(value))"
    case .int(let value): return "NSNumber(value: \(value))"
    case .double(let value): return "NSNumber(value: \(value))"
    case .string(let value): return value.quoted
    case .date(let value):
      return "NSDate(timeIntervalSinceReferenceDate: \(value.timeIntervalSinceReferenceDate))"
    case .decimal(let value): return "NSDecimalNumber(string: \(value.description.quoted))"
    case .uuid(let value): return "NSUUID(uuidString: \(value.uuidString.quoted))!"
    case .uri(let value): return "NSURL(string: \(value.absoluteString.quoted))!"
    case .data(let value):
      return "NSData(base64Encoded: \(value.base64EncodedString().quoted))!"
    case .object(let id): return id.swiftProperty
    case .list(let values):
      return "[" + values.map(\.swiftArgument).joined(separator: ", ") + "] as NSArray"
    }
  }
}

/// A fetch without a controller, or a count, as code for an app.
struct SwiftFetch {
  let request: FetchRequest
  /// Whether the objects are only counted.
  let isCount: Bool
  /// The statement in the script.
  let statement: String

  /// The lines of the file.
  var lines: [String] {
    let entity = request.entity.name
    let element =
      if isCount || request.resultType == .count {
        "any NSFetchRequestResult"
      } else {
        switch request.resultType {
        case .managedObjects: entity.swiftName
        case .managedObjectIDs: "NSManagedObjectID"
        case .dictionaries: "NSDictionary"
        case .count: "any NSFetchRequestResult"
        }
      }
    let counts = element.hasPrefix("any")
    let code = SwiftRequest(request, of: element)
    return SwiftFunction(
      statement: statement, name: (counts ? "count" : "fetch") + entity.swiftIdentifier,
      parameters: code.objects.map(\.swiftParameter), result: counts ? "Int" : "[\(element)]",
      body: code.lines + ["return try context.\(counts ? "count(for: request)" : "fetch(request)")"]
    ).lines
  }
}

/// A predicate as code for an app.
struct SwiftPredicate {
  /// The objects in the predicate, which become parameters.
  let objects: [ObjectID]
  /// The format string and its arguments.
  private let arguments: [String]

  init(_ predicate: FetchPredicate) {
    let (format, values) = predicate.format { $0.isWrittenAsArgument }
    arguments = ["format: \(format.quoted)"] + values.map(\.swiftArgument)
    var seen: Set<ObjectID> = []
    objects = values.flatMap(\.namedObjects).filter { seen.insert($0).inserted }
  }

  /// Returns the statement that assigns the predicate to a property.
  func lines(of property: String) -> [String] {
    SwiftCall("\(property) = NSPredicate", arguments, end: ")").lines
  }
}

/// A batch request as code for an app.
struct SwiftBatch {
  /// The request with its present values.
  let request: BatchRequest
  /// The statement in the script.
  let statement: String

  /// The lines of the file.
  var lines: [String] {
    switch request {
    case .insert(let request): insertion(request)
    case .update(let request): update(request)
    case .delete(let request): deletion(request)
    }
  }

  private var type: BatchResultType {
    switch request {
    case .insert(let request): request.resultType
    case .update(let request): request.resultType
    case .delete(let request): request.resultType
    }
  }

  private func function(
    _ verb: String, _ entity: EntityDescription, _ objects: [ObjectID], _ body: [String]
  ) -> [String] {
    let result =
      switch type {
      case .objectIDs: ("[NSManagedObjectID]", "[]")
      case .count: ("Int", "0")
      case .statusOnly: ("Bool", "false")
      }
    let outcome = [
      "let result = try context.execute(batch) as? NSBatch\(verb.capitalizedFirst)Result",
      "return result?.result as? \(result.0) ?? \(result.1)",
    ]
    return SwiftFunction(
      statement: statement, name: "batch\(verb.capitalizedFirst)\(entity.name.swiftIdentifier)",
      parameters: objects.map(\.swiftParameter), result: result.0, body: body + outcome
    ).lines
  }

  // MARK: Inserting

  /// The number of objects that are written out.
  ///
  /// An app gets the others from its data.
  private static let shownObjects = 3

  private func insertion(_ request: BatchInsertRequest) -> [String] {
    let objects = request.objectsToInsert
    let shown = objects.prefix(Self.shownObjects).map { "  \(dictionary($0, request.entity))," }
    let left = objects.count - shown.count
    let body =
      ["let objects: [[String: Any]] = ["] + shown + (left > 0 ? ["  // and \(left) more"] : [])
      + [
        "]",
        "let batch = NSBatchInsertRequest(",
        "  entityName: \(request.entity.name.quoted), objects: objects)",
        "batch.resultType = \(insertResultType)",
      ]
    return function("insert", request.entity, [], body)
  }

  private func dictionary(_ values: [String: PropertyValue], _ entity: EntityDescription) -> String
  {
    let pairs = entity.propertyNames.compactMap { name in
      values[name].map { "\(name.quoted): \($0.swiftArgument)" }
    }
    return pairs.isEmpty ? "[:]" : "[\(pairs.joined(separator: ", "))]"
  }

  private var insertResultType: String {
    switch type {
    case .objectIDs: ".objectIDs"
    case .count: ".count"
    case .statusOnly: ".statusOnly"
    }
  }

  // MARK: Updating

  private func update(_ request: BatchUpdateRequest) -> [String] {
    let values = request.entity.propertyNames.compactMap { name in
      request.propertiesToUpdate[name].map { "  \(name.quoted): \($0.swiftExpression(of: name))," }
    }
    let predicate = request.predicate.map(SwiftPredicate.init)
    let resultType =
      switch type {
      case .objectIDs: ".updatedObjectIDsResultType"
      case .count: ".updatedObjectsCountResultType"
      case .statusOnly: ".statusOnlyResultType"
      }
    var body = ["let batch = NSBatchUpdateRequest(entityName: \(request.entity.name.quoted))"]
    if !request.includesSubentities { body.append("batch.includesSubentities = false") }
    body += predicate?.lines(of: "batch.predicate") ?? []
    body += ["batch.propertiesToUpdate = ["] + values + ["]", "batch.resultType = \(resultType)"]
    return function("update", request.entity, predicate?.objects ?? [], body)
  }

  // MARK: Deleting

  private func deletion(_ request: BatchDeleteRequest) -> [String] {
    let rows = SwiftRequest(request.fetchRequest, of: "any NSFetchRequestResult")
    let resultType =
      switch type {
      case .objectIDs: ".resultTypeObjectIDs"
      case .count: ".resultTypeCount"
      case .statusOnly: ".resultTypeStatusOnly"
      }
    let body =
      rows.lines + [
        "let batch = NSBatchDeleteRequest(fetchRequest: request)",
        "batch.resultType = \(resultType)",
      ]
    return function("delete", request.fetchRequest.entity, rows.objects, body)
  }
}

extension BatchUpdateRequest.NewValue {
  /// Returns the value in Swift.
  ///
  /// A sum becomes an expression that the store computes.
  fileprivate func swiftExpression(of key: String) -> String {
    switch self {
    case .value(let value): value.swiftArgument
    case .sum(let value):
      "NSExpression(format: \("%K + %@".quoted), \(key.quoted), \(value.swiftArgument))"
    }
  }
}
