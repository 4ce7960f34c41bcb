import FetchedResults
import ScriptSyntax

extension RequestDefinition {
  /// The request as a script writes it, with the clauses of a controller.
  var scriptText: String {
    request.text(sectionNameKeyPath: sectionNameKeyPath, cacheName: cacheName)
      + (keepsLimit ? " \(ControllerOption.keepLimit.rawValue)" : "")
      + (tracksRelated ? " \(ControllerOption.trackRelated.rawValue)" : "")
  }

  /// Returns the statement that defines the request under a name.
  ///
  /// It is a comment if a script could not read it back: if a variable has no value yet, if the
  /// request names an object, or if its name in the model cannot be a request's name in a script.
  package func scriptLine(named name: String) -> String {
    let line = "request \(name) = \(scriptText)"
    return request.hasUsablePredicate && line.definesRequest(name) ? line : "# \(line)"
  }
}

extension FetchRequest {
  /// Returns the request as a script writes it.
  fileprivate func text(sectionNameKeyPath: String?, cacheName: String?) -> String {
    var text = entity.name + (includesSubentities ? "" : ".self")
    if let predicate { text += " where \(predicate.predicateFormat)" }
    if !sortDescriptors.isEmpty {
      text += " sort by " + sortDescriptors.map(\.scriptText).joined(separator: ", ")
    }
    if let sectionNameKeyPath { text += " section by \(sectionNameKeyPath)" }
    if fetchLimit > 0 { text += " limit \(fetchLimit)" }
    if fetchOffset > 0 { text += " offset \(fetchOffset)" }
    if fetchBatchSize > 0 { text += " batch \(fetchBatchSize)" }
    if !relationshipKeyPathsForPrefetching.isEmpty {
      text += " prefetch " + relationshipKeyPathsForPrefetching.joined(separator: ", ")
    }
    if !includesPendingChanges { text += " includesPendingChanges off" }
    if !returnsObjectsAsFaults { text += " returnsObjectsAsFaults off" }
    if shouldRefreshRefetchedObjects { text += " shouldRefreshRefetchedObjects on" }
    if let cacheName { text += " cache \(cacheName.quoted)" }
    return text + resultText
  }

  /// The clauses for results other than objects.
  private var resultText: String {
    var text = ""
    if !propertiesToFetch.isEmpty {
      text += " values " + propertiesToFetch.map(\.scriptText).joined(separator: ", ")
    }
    if !propertiesToGroupBy.isEmpty {
      text += " group by " + propertiesToGroupBy.joined(separator: ", ")
    }
    if let havingPredicate { text += " having \(havingPredicate.predicateFormat)" }
    if returnsDistinctResults { text += " distinct" }
    switch resultType {
    case .managedObjects, .dictionaries: break
    case .managedObjectIDs: text += " returning objectIDs"
    case .count: text += " returning count"
    }
    return text
  }

  /// Whether the predicate has a meaning in any session with the entity.
  fileprivate var hasUsablePredicate: Bool {
    guard let predicate else { return true }
    let values = predicate.arguments + predicate.variables.values
    return !values.contains(where: \.holdsObject)
      && (try? predicate.compile(for: entity, environment: EvaluationEnvironment())) != nil
  }
}

extension PropertyValue {
  /// Whether the value is an object, or a list that contains one.
  fileprivate var holdsObject: Bool {
    switch self {
    case .object: true
    case .list(let values): values.contains(where: \.holdsObject)
    case .null, .bool, .int, .double, .decimal, .string, .date, .uuid, .uri, .data: false
    }
  }
}

extension String {
  /// Whether the text is one statement that defines a request with this name.
  fileprivate func definesRequest(_ name: String) -> Bool {
    let script = ScriptParser.parse(SourceText(name: "", text: self))
    guard !script.hasErrors, script.statements.count == 1,
      case .request(let defined, _)? = script.statements.first?.kind
    else { return false }
    return defined.text == name
  }
}

extension FetchSortDescriptor {
  fileprivate var scriptText: String {
    key + (ascending ? "" : " desc") + (selector.scriptWord.map { " using \($0)" } ?? "")
  }
}

extension FetchedResultsController {
  /// The controller's request, sections and cache as a script writes them.
  var scriptText: String {
    RequestDefinition(of: self).scriptText
  }
}
