import FetchedResults

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
      statement: statement, name: "batch\(verb.capitalizedFirst)\(entity.name)",
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
