import FetchedResults
import PredicateSyntax
import ScriptSyntax

extension ControllerBinding {
  /// The statements of an app that make the observer; nil for a controller, and for a predicate that
  /// cannot be written as a `#Predicate`.
  ///
  /// - Parameters:
  ///   - context: The name of the model context.
  ///   - models: The text before the name of a model, such as `Models.`.
  package func swiftDefinition(context: String, models: String) -> [String]? {
    guard let observer, observer.predicate == nil || observer.predicate?.swiftCondition != nil
    else { return nil }
    return SwiftObserver(name, of: observer).setUp(in: context, models: models)
  }

  /// The observer's predicate as an app sets it; nil if it cannot be written as a `#Predicate`.
  package func swiftFilter(models: String) -> String? {
    let entity = controller.fetchRequest.entity.name.swiftName
    return observer?.predicate?.swiftCondition.map { "#Predicate<\(models)\(entity)> { \($0) }" }
  }

  /// The observer's sort keys as an app sets them.
  package var swiftOrder: String {
    "[" + (observer?.sortDescriptors ?? []).map(\.swiftSort).joined(separator: ", ") + "]"
  }
}

/// A model for iOS 27 that follows an observer of SwiftData, and ends with its token.
struct SwiftObserver {
  /// The name of the observer in the script.
  let name: String
  /// The statement that defines it, in one line.
  let statement: String
  private let followed: Followed

  private enum Followed {
    /// The request as the script writes it, without the keys that an observer adds.
    case results(FetchRequest, section: String?)
    case history(entities: [String], authors: [String])
  }

  /// Creates the code for an observer of results.
  init(_ name: String, of observer: ObservedResults) {
    self.name = name
    var request = observer.fetchRequest
    // The class adds the section key itself.
    request.sortDescriptors = observer.sortDescriptors
    statement = "observer \(name) = \(observer.scriptText)"
    followed = .results(request, section: observer.sectionNameKeyPath)
  }

  /// Creates the code for an observer of the history.
  init(_ binding: HistoryBinding) {
    name = binding.name
    statement = "observer \(binding.name) = \(binding.scriptText)"
    followed = .history(
      entities: (binding.history?.entities ?? []).map(\.name),
      authors: (binding.history?.authors ?? []).sorted())
  }

  private var property: String { name.swiftName }
  private var className: String { name.capitalizedFirst + "Model" }

  /// The lines of the file.
  var lines: [String] {
    switch followed {
    case .results(let request, let section):
      file(
        imports: ["Observation", "SwiftData", "UIKit"],
        properties: [
          "private(set) var snapshot = \(Self.snapshot)", "",
          "@ObservationIgnored private let \(property): "
            + "ResultsObserver<\(request.entity.name.swiftName), "
            + (section == nil ? "Never>" : "String>"),
        ],
        parameter: "context: ModelContext", setUp: setUp(request, section, in: "context"),
        body: reading(isSectioned: section != nil))
    case .history(let entities, let authors):
      file(
        imports: ["Observation", "SwiftData"],
        properties: [
          "private(set) var saves = 0", "",
          "@ObservationIgnored private let \(property): HistoryObserver",
        ],
        parameter: "container: ModelContainer", setUp: setUp(entities, authors),
        body: [
          "// The observer only counts. Fetch the transactions with fetchHistory(_:) of a context.",
          "saves = \(property).eventCounter",
        ])
    }
  }

  private static let snapshot = "NSDiffableDataSourceSnapshot<String, PersistentIdentifier>()"

  private func file(
    imports: [String], properties: [String], parameter: String, setUp: [String], body: [String]
  ) -> [String] {
    var lines =
      imports.map { "import \($0)" } + ["", "/// \(statement.inOneLine)", "@MainActor @Observable"]
    lines.append("final class \(className) {")
    lines += properties.indented()
    lines += [
      "  // The observation ends with its token.",
      "  @ObservationIgnored private var token: ObservationTracking.Token?", "",
      "  init(\(parameter)) throws {",
    ]
    lines += setUp.indented().indented()
    lines += [
      "    token = withContinuousObservation(options: [.didSet]) { [weak self] _ in",
      "      self?.update()", "    }", "  }", "", "  private func update() {",
    ]
    return lines + body.indented().indented() + ["  }", "}"]
  }

  // MARK: Results

  /// Returns the statements that make the observer with variables of its own; none for the history.
  fileprivate func setUp(in context: String, models: String) -> [String] {
    guard case .results(let request, let section) = followed else { return [] }
    let type = "ResultsObserver<\(models)\(request.entity.name.swiftName), "
    var lines = setUp(request, section, in: context, models: models, descriptor: "\(name)Request")
    for (index, line) in lines.enumerated() where line.hasPrefix("\(property) = try") {
      lines[index] =
        "let \(property) = try \(type)\(section == nil ? "Never" : "String")>("
    }
    return lines
  }

  private func setUp(
    _ request: FetchRequest, _ section: String?, in context: String, models: String = "",
    descriptor: String = "descriptor"
  ) -> [String] {
    let entity = models + request.entity.name.swiftName
    var lines: [String] = []
    var arguments: [String] = []
    if let predicate = request.predicate {
      if let text = predicate.swiftCondition {
        arguments.append("predicate: #Predicate { \(text) }")
      } else {
        lines.append("// Write as a #Predicate: \(predicate.predicateFormat.inOneLine)")
      }
    }
    if !request.sortDescriptors.isEmpty {
      let keys = request.sortDescriptors.map(\.swiftSort)
      arguments.append("sortBy: [\(keys.joined(separator: ", "))]")
    }
    let isVariable = request.fetchLimit > 0 || request.fetchOffset > 0
    lines.append("\(isVariable ? "var" : "let") \(descriptor) = FetchDescriptor<\(entity)>(")
    lines += arguments.enumerated().map { index, argument in
      "  " + argument + (index < arguments.count - 1 ? "," : ")")
    }
    if arguments.isEmpty { lines[lines.count - 1] += ")" }
    if request.fetchLimit > 0 { lines.append("\(descriptor).fetchLimit = \(request.fetchLimit)") }
    if request.fetchOffset > 0 {
      lines.append("\(descriptor).fetchOffset = \(request.fetchOffset)")
    }
    lines.append("\(property) = try ResultsObserver(")
    lines.append(
      "  fetchDescriptor: \(descriptor),"
        + (section.map { " sectionBy: \\.\($0)," } ?? "") + " modelContext: \(context))")
    return lines
  }

  /// The statements that take the values out of the models.
  private func reading(isSectioned: Bool) -> [String] {
    var lines = [
      "// A deleted model may still be listed, so only its identity is read.",
      "var snapshot = \(Self.snapshot)",
    ]
    if isSectioned {
      lines += [
        "if let sections = \(property).sections {", "  for section in sections {",
        "    snapshot.appendSections([section.title])",
        "    snapshot.appendItems(",
        "      section.map(\\.persistentModelID), toSection: section.title)",
        "  }", "}",
      ]
    } else {
      lines += [
        "snapshot.appendSections([\"\"])",
        "snapshot.appendItems(\(property).results.map(\\.persistentModelID))",
      ]
    }
    return lines + ["self.snapshot = snapshot"]
  }

  // MARK: The history

  private func setUp(_ entities: [String], _ authors: [String]) -> [String] {
    var arguments: [String] = []
    if !entities.isEmpty {
      let types = entities.map { "\($0.swiftName).self" }
      arguments.append("observedModels: [\(types.joined(separator: ", "))]")
    }
    if !authors.isEmpty {
      arguments.append("authors: [\(authors.map(\.quoted).joined(separator: ", "))]")
    }
    arguments.append("modelContainer: container")
    return ["\(property) = try HistoryObserver("]
      + arguments.enumerated().map { index, argument in
        "  " + argument + (index < arguments.count - 1 ? "," : ")")
      }
  }
}

extension FetchSortDescriptor {
  /// The key as a SortDescriptor of Foundation.
  fileprivate var swiftSort: String {
    "SortDescriptor(\\.\(key)" + (ascending ? ")" : ", order: .reverse)")
  }
}

extension FetchPredicate {
  /// The predicate as the body of a `#Predicate`; nil for one that has more than comparisons of an
  /// attribute with a value.
  fileprivate var swiftCondition: String? { condition(tree) }

  private func condition(_ tree: PredicateTree) -> String? {
    switch tree {
    case .constant(let value): return "_ in \(value)"
    case .and(let parts): return joined(parts, " && ")
    case .or(let parts): return joined(parts, " || ")
    case .not(let part): return condition(part).map { "!(\($0))" }
    case .comparison(let comparison): return condition(comparison)
    }
  }

  private func joined(_ parts: [PredicateTree], _ sign: String) -> String? {
    let texts = parts.compactMap { part -> String? in
      switch part {
      case .and, .or: condition(part).map { "(\($0))" }
      case .constant: nil
      case .not, .comparison: condition(part)
      }
    }
    return texts.count == parts.count ? texts.joined(separator: sign) : nil
  }

  private func condition(_ comparison: PredicateTree.Comparison) -> String? {
    guard comparison.modifier == nil, comparison.options.isEmpty,
      case .key(let key, nil) = comparison.left.kind, let value = value(comparison.right)
    else { return nil }
    let sign: String
    switch comparison.comparator {
    case .equal: sign = "=="
    case .notEqual: sign = "!="
    case .less: sign = "<"
    case .lessOrEqual: sign = "<="
    case .greater: sign = ">"
    case .greaterOrEqual: sign = ">="
    case .contains: return "$0.\(key).contains(\(value))"
    case .beginsWith: return "$0.\(key).starts(with: \(value))"
    case .endsWith, .like, .matches, .in, .between: return nil
    }
    return "$0.\(key) \(sign) \(value)"
  }

  private func value(_ operand: OperandTree) -> String? {
    let value: PropertyValue?
    switch operand.kind {
    case .argument(let index): value = arguments.indices.contains(index) ? arguments[index] : nil
    case .variable(let name): value = variables[name]
    case .null: return "nil"
    case .boolean(let isTrue, word: _): return "\(isTrue)"
    case .integer(let number): return "\(number)"
    case .real(_, let text): return text
    case .string(let text): return text.quoted
    case .key, .collectionOperator, .aggregate, .evaluatedObject, .anyKey, .argumentKeyPath,
      .variableKeyPath, .negation, .arithmetic, .setOperation, .index, .function, .call, .subquery,
      .cast, .ternary, .assignment:
      return nil
    }
    switch value {
    case .null?: return "nil"
    case .bool(let isTrue)?: return "\(isTrue)"
    case .int(let number)?: return "\(number)"
    case .double(let number)?: return "\(number)"
    case .string(let text)?: return text.quoted
    case .date?, .decimal?, .uuid?, .uri?, .data?, .object?, .list?, nil: return nil
    }
  }
}
