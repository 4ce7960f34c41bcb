import FetchedResults

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
      statement: statement, name: "\(counts ? "count" : "fetch")\(entity)",
      parameters: code.objects.map(\.swiftParameter), result: counts ? "Int" : "[\(element)]",
      body: code.lines + ["return try context.\(counts ? "count(for: request)" : "fetch(request)")"]
    ).lines
  }
}
