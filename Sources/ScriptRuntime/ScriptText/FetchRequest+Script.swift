package import FetchedResults
import PredicateSyntax
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
  ///
  /// - Parameter addsIdentity: Whether the identity of the objects is the last sort key.
  fileprivate func text(
    sectionNameKeyPath: String?, cacheName: String?, addsIdentity: Bool = false
  ) -> String {
    var text = entity.name + (includesSubentities ? "" : ".self")
    if let predicate { text += " where \(predicate.predicateFormat)" }
    let keys = sortDescriptors.map(\.scriptText) + (addsIdentity ? ["objectID"] : [])
    if !keys.isEmpty { text += " sort by " + keys.joined(separator: ", ") }
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
  /// The sort key as a script writes it.
  var scriptText: String {
    key + (ascending ? "" : " desc") + (selector.scriptWord.map { " using \($0)" } ?? "")
  }
}

extension FetchedResultsController {
  /// The controller's request, sections and cache as a script writes them.
  var scriptText: String {
    RequestDefinition(of: self).scriptText
  }
}

extension ObservedResults {
  /// The request as the script wrote it, without the keys that an observer adds.
  var scriptText: String { text(sortDescriptors, addsIdentity: false) }

  /// The request with the section key as its first sort key, and the identity as its last.
  var completedText: String { text(fetchRequest.sortDescriptors, addsIdentity: true) }

  private func text(_ keys: [FetchSortDescriptor], addsIdentity: Bool) -> String {
    var request = fetchRequest
    request.sortDescriptors = keys
    return request.text(
      sectionNameKeyPath: sectionNameKeyPath, cacheName: nil, addsIdentity: addsIdentity)
      + (keepsFetchLimit ? "" : " \(ControllerOption.keepLimit.rawValue) off")
      + (tracksRelatedObjects ? " \(ControllerOption.trackRelated.rawValue)" : "")
      + (updates == .turns ? " updates \(ObserverUpdates.turns.rawValue)" : "")
  }
}

/// A request, with all settings that a controller needs.
package struct RequestDefinition {
  package var request: FetchRequest
  package var sectionNameKeyPath: String?
  package var cacheName: String?
  package var keepsLimit = false
  package var tracksRelated = false

  package init(request: FetchRequest) { self.request = request }

  /// Creates the definition of a controller.
  init(of controller: FetchedResultsController) {
    request = controller.fetchRequest
    sectionNameKeyPath = controller.sectionNameKeyPath
    cacheName = controller.cacheName
    keepsLimit = controller.keepsFetchLimit
    tracksRelated = controller.tracksRelatedObjects
  }
}

extension FetchSortDescriptor.Selector {
  init(_ selector: SortSyntax.Selector) {
    self =
      switch selector {
      case .binary: .compare
      case .caseInsensitive: .caseInsensitiveCompare
      case .localized: .localizedCompare
      case .localizedCaseInsensitive: .localizedCaseInsensitiveCompare
      case .localizedStandard: .localizedStandardCompare
      }
  }

  /// The word after `using`; nil for the default.
  var scriptWord: String? {
    switch self {
    case .compare: nil
    case .caseInsensitiveCompare: SortSyntax.Selector.caseInsensitive.rawValue
    case .localizedCompare: SortSyntax.Selector.localized.rawValue
    case .localizedCaseInsensitiveCompare: SortSyntax.Selector.localizedCaseInsensitive.rawValue
    case .localizedStandardCompare: SortSyntax.Selector.localizedStandard.rawValue
    }
  }
}

extension EmbeddedPredicate {
  /// Returns a part of the predicate in its normal form, with values as the script writes them.
  func text(of part: PredicateTree) -> String {
    part.normalForm(argument: argument, keepsWords: true)
  }

  /// Returns an expression of the predicate, without the text inside a SUBQUERY.
  func text(of expression: OperandTree) -> String {
    expression.rewritten { operand in
      guard case .subquery = operand.kind else { return nil }
      let rest = OperandTree(.argument(-1), range: operand.range)
      return OperandTree(.function("SUBQUERY", [rest]), range: operand.range)
    }.normalForm(argument: argument, keepsWords: true)
  }

  private func argument(_ index: Int) -> String {
    arguments.indices.contains(index) ? arguments[index].description : "…"
  }
}
