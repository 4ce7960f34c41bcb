import FetchedResults
import PredicateSyntax

extension ControllerBinding {
  /// What the script's observer has and no observer of SwiftData; nil if there is nothing, and for a
  /// controller.
  package var swiftDataObstacle: String? {
    guard let observer else { return nil }
    if let obstacle = observer.swiftDataObstacles.first { return obstacle }
    let entity = observer.fetchRequest.entity
    guard let predicate = observer.predicate, predicate.swiftCondition(on: entity) == nil else {
      return nil
    }
    return "#Predicate for \(predicate.predicateFormat)"
  }

  /// The statements of a test that make the observer; nil for a controller.
  ///
  /// - Parameters:
  ///   - variable: The name of the observer in the test.
  ///   - descriptor: The name of its request.
  ///   - context: The name of the model context.
  ///   - models: The text before the name of a model, such as `Models.`.
  package func swiftDefinition(
    as variable: String, descriptor: String, context: String, models: String
  ) -> [String]? {
    observer.map {
      SwiftObserver(variable, of: $0).setUp(in: context, models: models, descriptor: descriptor)
    }
  }

  /// The observer's predicate as an app sets it; nil if there is none.
  package func swiftFilter(models: String) -> String? {
    let entity = controller.fetchRequest.entity
    return observer?.predicate?.swiftCondition(on: entity).map {
      "#Predicate<\(models)\(entity.name.swiftName)> { \($0) }"
    }
  }

  /// The observer's sort keys as an app sets them.
  package var swiftOrder: String {
    let entity = controller.fetchRequest.entity
    let keys = (observer?.sortDescriptors ?? []).compactMap { $0.swiftSort(in: entity) }
    return "[" + keys.joined(separator: ", ") + "]"
  }
}

extension ObservedResults {
  /// The features of the observer, except its predicate, that SwiftData lacks.
  fileprivate var swiftDataObstacles: [String] {
    var found: [String] = []
    if updates == .turns { found.append("'updates turns'") }
    if !keepsFetchLimit { found.append("'keep limit off'") }
    if tracksRelatedObjects { found.append("'track related'") }
    let entity = fetchRequest.entity
    if !fetchRequest.includesSubentities, entity.hasSubentities {
      found.append("'\(entity.name).self'")
    }
    if let path = sectionNameKeyPath, entity.storedText(at: path) == nil {
      found.append("sections by \(path), only by stored attributes of type String")
    }
    if sortDescriptors.contains(where: { $0.key == "_" }) {
      found.append("property '_'")
    } else if sortDescriptors.contains(where: { $0.swiftSort(in: entity) == nil }) {
      found.append("sort order by related objects, or without regard to case")
    }
    return found
  }
}

extension HistoryBinding {
  /// The statements of a test that make the observer.
  ///
  /// - Parameters:
  ///   - variable: The name of the observer in the test.
  ///   - models: The text before the name of a model, such as `Models.`.
  package func swiftDefinition(as variable: String, models: String) -> [String] {
    SwiftObserver(self).setUp(as: variable, models: models)
  }
}

/// A model for iOS 27 that follows an observer of SwiftData, and ends with its token.
struct SwiftObserver {
  /// The name of the observer in the script.
  let name: String
  /// The statement that defines it, in one line.
  let statement: String
  private let followed: Followed
  /// What the observer has and no observer of SwiftData.
  private var obstacles: [String] = []

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
    followed = .results(
      request,
      section: observer.sectionNameKeyPath.flatMap { path in
        request.entity.storedText(at: path).map(\.name)
      })
    obstacles = observer.swiftDataObstacles
  }

  /// Creates the code for an observer of the history.
  init(_ binding: HistoryBinding) {
    name = binding.name
    statement = "observer \(binding.name) = \(binding.scriptText)"
    followed = .history(
      entities: (binding.history?.entities ?? []).map(\.name),
      authors: (binding.history?.authors ?? []).sorted())
  }

  private var property: String {
    name.swiftName(
      unlike: ["container", "context", "descriptor", "saves", "snapshot", "token", "update"],
      ending: "Observer")
  }
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
  fileprivate func setUp(in context: String, models: String, descriptor: String) -> [String] {
    guard case .results(let request, let section) = followed else { return [] }
    let type = "ResultsObserver<\(models)\(request.entity.name.swiftName), "
    var lines = setUp(request, section, in: context, models: models, descriptor: descriptor)
    for (index, line) in lines.enumerated() where line.hasPrefix("\(property) = try") {
      lines[index] =
        "let \(name) = try \(type)\(section == nil ? "Never" : "String")>("
    }
    return lines
  }

  private func setUp(
    _ request: FetchRequest, _ section: String?, in context: String, models: String = "",
    descriptor: String = "descriptor"
  ) -> [String] {
    let entity = models + request.entity.name.swiftName
    var lines = obstacles.map { "// SwiftData has no \($0.inOneLine)." }
    var arguments: [String] = []
    if let predicate = request.predicate {
      if let text = predicate.swiftCondition(on: request.entity) {
        arguments.append("predicate: #Predicate { \(text) }")
      } else {
        lines.append("// Write as a #Predicate: \(predicate.predicateFormat.inOneLine)")
      }
    }
    let keys = request.sortDescriptors.compactMap { $0.swiftSort(in: request.entity) }
    if !keys.isEmpty {
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

  /// Returns the statements that make an observer of the history with a variable of its own; none
  /// for results.
  fileprivate func setUp(as variable: String, models: String) -> [String] {
    guard case .history(let entities, let authors) = followed else { return [] }
    var lines = setUp(entities, authors, models: models)
    lines[0] = "let \(variable) = try HistoryObserver("
    return lines.count == 2 ? [lines[0] + lines[1].drop { $0 == " " }] : lines
  }

  private func setUp(
    _ entities: [String], _ authors: [String], models: String = ""
  ) -> [String] {
    var arguments: [String] = []
    if !entities.isEmpty {
      let types = entities.map { "\(models)\($0.swiftName).self" }
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

extension EntityDescription {
  /// Returns a stored attribute of type String; nil if the key path is something else.
  fileprivate func storedText(at path: String) -> AttributeDescription? {
    guard let index = attributeIndex(named: path), path != "_" else { return nil }
    let attribute = attributes[index]
    return attribute.type == .string && !attribute.isTransient ? attribute : nil
  }
}

extension FetchSortDescriptor {
  /// The key as a SortDescriptor of Foundation; nil if SwiftData does not sort so.
  ///
  /// Without a comparator, a SortDescriptor compares texts as a file browser does.
  fileprivate func swiftSort(in entity: EntityDescription) -> String? {
    guard let index = entity.attributeIndex(named: key), key != "_" else { return nil }
    var arguments = "\\.\(key.swiftName)"
    if entity.attributes[index].type == .string {
      switch selector {
      case .compare: arguments += ", comparator: .lexical"
      case .localizedCompare: arguments += ", comparator: .localized"
      case .localizedStandardCompare: break
      case .caseInsensitiveCompare, .localizedCaseInsensitiveCompare: return nil
      }
    }
    return "SortDescriptor(\(arguments)\(ascending ? "" : ", order: .reverse"))"
  }
}

extension FetchPredicate {
  /// Returns the predicate as the body of a `#Predicate`; nil for one that has more than comparisons
  /// of an attribute with a value.
  fileprivate func swiftCondition(on entity: EntityDescription) -> String? {
    SwiftCondition(self, on: entity).text(of: tree)
  }
}

/// A predicate as the body of a `#Predicate`.
private struct SwiftCondition {
  private let predicate: FetchPredicate
  private let entity: EntityDescription

  init(_ predicate: FetchPredicate, on entity: EntityDescription) {
    self.predicate = predicate
    self.entity = entity
  }

  /// Returns the text of a part; nil if it cannot be written.
  func text(of tree: PredicateTree) -> String? {
    switch tree {
    case .constant(let value): return "_ in \(value)"
    case .and(let parts): return joined(parts, " && ")
    case .or(let parts): return joined(parts, " || ")
    case .not(let part): return text(of: part).map { "!(\($0))" }
    case .comparison(let comparison): return text(of: comparison)
    }
  }

  private func joined(_ parts: [PredicateTree], _ sign: String) -> String? {
    let texts = parts.compactMap { part -> String? in
      switch part {
      case .and, .or: text(of: part).map { "(\($0))" }
      case .constant: nil
      case .not, .comparison: text(of: part)
      }
    }
    return texts.count == parts.count ? texts.joined(separator: sign) : nil
  }

  /// An attribute of the object, or of one that a to-one relationship leads to.
  private struct Key {
    let attribute: AttributeDescription
    /// The text, such as `$0.author?.name`.
    let text: String
    let isOptional: Bool
  }

  private func key(_ operand: OperandTree) -> Key? {
    var names: [String] = []
    var next: OperandTree? = operand
    while let part = next {
      guard case .key(let name, let base) = part.kind else { return nil }
      names.insert(contentsOf: name.split(separator: ".").map(String.init), at: 0)
      next = base
    }
    if names.contains("_") { return nil }
    var entity = entity
    var text = "$0"
    for name in names.dropLast() {
      guard let ordinal = entity.relationshipOrdinal(named: name),
        let link = try? entity.link(at: ordinal), !entity.relationships[ordinal].isToMany
      else { return nil }
      text += ".\(name.swiftName)?"
      entity = link.destination
    }
    guard let name = names.last, let index = entity.attributeIndex(named: name) else { return nil }
    let attribute = entity.attributes[index]
    return Key(
      attribute: attribute, text: text + ".\(name.swiftName)",
      isOptional: attribute.isOptional || names.count > 1)
  }

  private func text(of comparison: PredicateTree.Comparison) -> String? {
    guard comparison.modifier == nil, comparison.options.isEmpty, let key = key(comparison.left),
      let value = value(comparison.right, for: key.attribute.type)
    else { return nil }
    let sign: String
    switch comparison.comparator {
    case .equal: return "\(key.text) == \(value)"
    case .notEqual: return "\(key.text) != \(value)"
    case .less: sign = "<"
    case .lessOrEqual: sign = "<="
    case .greater: sign = ">"
    case .greaterOrEqual: sign = ">="
    case .contains: return call("contains(", value, on: key)
    case .beginsWith: return call("starts(with: ", value, on: key)
    case .endsWith, .like, .matches, .in, .between: return nil
    }
    // Swift orders no optional values.
    return key.isOptional ? nil : "\(key.text) \(sign) \(value)"
  }

  private func call(_ method: String, _ value: String, on key: Key) -> String? {
    // In Swift, every string contains the empty one, which a predicate never finds.
    guard key.attribute.type == .string, value != "nil", value != "".quoted else { return nil }
    if !key.isOptional { return "\(key.text).\(method)\(value))" }
    return "\(key.text)\(key.attribute.isOptional ? "?" : "").\(method)\(value)) == true"
  }

  private func value(_ operand: OperandTree, for type: AttributeType) -> String? {
    let value: PropertyValue?
    switch operand.kind {
    case .argument(let index):
      value = predicate.arguments.indices.contains(index) ? predicate.arguments[index] : nil
    case .variable(let name): value = predicate.variables[name]
    case .null: value = .null
    case .boolean(let isTrue, word: _): value = .bool(isTrue)
    case .integer(let number): value = .int(number)
    case .real(let number, _): value = .double(number)
    case .string(let text): value = .string(text)
    case .key, .collectionOperator, .aggregate, .evaluatedObject, .anyKey, .argumentKeyPath,
      .variableKeyPath, .negation, .arithmetic, .setOperation, .index, .function, .call, .subquery,
      .cast, .ternary, .assignment:
      return nil
    }
    switch (value, type) {
    case (.null, _): return "nil"
    case (.bool(let isTrue), .boolean): return "\(isTrue)"
    case (.int(let number), .boolean): return 0...1 ~= number ? "\(number == 1)" : nil
    case (.int(let number), .integer16), (.int(let number), .integer32),
      (.int(let number), .integer64), (.int(let number), .double), (.int(let number), .float),
      (.int(let number), .decimal):
      return "\(number)"
    case (.double(let number), .double), (.double(let number), .float):
      return number.isFinite ? "\(number)" : nil
    case (.string(let text), .string): return text.quoted
    case (.bool, _), (.int, _), (.double, _), (.string, _), (.date, _), (.decimal, _), (.uuid, _),
      (.uri, _), (.data, _), (.object, _), (.list, _), (nil, _):
      return nil
    }
  }
}
