import FetchedResults
import PredicateSyntax
import ScriptRuntime
import ScriptSyntax

/// The candidates of each kind, from a session and from the text itself.
struct CompletionNames {
  let session: Session
  let place: CursorPlace
  private let resolver: NameResolver

  init(session: Session, place: CursorPlace) {
    self.session = session
    self.place = place
    resolver = NameResolver(session)
    for variable in place.locals { resolver.define(variable) }
    resolver.useAttributes(of: place.updatedSource.flatMap(entity(of:)))
  }

  /// Returns what is known of a variable, or of what else has a bare name.
  func shape(ofName name: String) -> Shape { resolver.shape(ofName: name) ?? .unknown }

  /// Returns what is known of a value.
  func shape(of value: ExpressionSyntax) -> Shape { resolver.shape(of: value) }

  /// Returns what is known of a variable.
  func shape(ofVariable name: String) -> Shape { resolver.shape(ofVariable: name) ?? .unknown }

  /// Returns what can stand where a thing of this kind is wanted.
  func candidates(for want: CursorPlace.Want) -> [String] {
    switch want {
    case .statement(let words): statements(words)
    case .word(let word): [Self.spaced(word, unless: Self.lastWords)]
    case .entity: entities
    case .insertedEntity: entities.map { $0 + "(" }
    case .source: entities + session.requests.keys.sorted() + controllers
    case .controller: controllers
    case .table: session.tableNames.sorted()
    case .context: session.contexts.map(\.name)
    case .type: EntityDeclaration.attributeTypes
    case .attribute(let source, let role, let given):
      attributes(of: source).filter { !given.contains($0) }.map { $0 + role.suffix }
    case .value: values
    case .member(let base): members(of: shape(of: base))
    case .argument(let method, let index): label(of: method, index)
    case .operand(let source): operands(of: source)
    case .comparison: Self.comparisons
    }
  }

  /// Whether the number of an object is being typed, as in `Book/3`.
  func isNumber(behind text: String) -> Bool {
    entities.contains { text.hasSuffix($0 + "/") }
  }

  // MARK: Names of the session

  private var entities: [String] { session.entities.map(\.name).sorted() }

  private var controllers: [String] { session.controllerNames.sorted() }

  private var variables: [String] {
    Array(Set(session.variableNames + place.locals.map(\.name))).sorted()
  }

  /// Returns the entity that a request on `source` is about.
  func entity(of source: String) -> EntityDescription? {
    session.coordinator.managedObjectModel[source] ?? session.requests[source]?.request.entity
      ?? session.controllers[source]?.controller.fetchRequest.entity
  }

  private func attributes(of source: String) -> [String] {
    entity(of: source)?.propertyNames ?? []
  }

  // MARK: Kinds

  private func statements(_ words: [String]) -> [String] {
    // Most statements begin with a word; one may also begin with an object.
    let objects = variables.filter { name in
      guard case .object = shape(ofName: name) else { return false }
      return !place.typed.isEmpty
    }
    return objects.map { $0 + "." } + words.map { Self.spaced($0, unless: Self.wholeStatements) }
  }

  private var values: [String] {
    if place.typed.hasPrefix("$") { return variables.map { "$" + $0 } }
    let attributes = place.updatedSource.map(attributes(of:)) ?? []
    let names = attributes + variables + controllers + entities.map { $0 + "/" }
    // The language's own are many, and are offered to who has begun one.
    guard !place.typed.isEmpty else { return names + ["count("] }
    let functions = ScriptFunctions.usages.keys.sorted().map { $0 + "(" }
    return names + functions + ["false", "nil", "true"]
  }

  private func operands(of source: String) -> [String] {
    let keys =
      source.isEmpty ? session.entities.flatMap(\.propertyNames) : attributes(of: source)
    let names = keys + variables.map { "$" + $0 }
    guard !place.typed.isEmpty else { return names + ["NOT "] }
    return names + ["ALL ", "ANY ", "NOT ", "SELF", "NO", "YES", "nil"]
  }

  private func label(of method: String, _ index: Int) -> [String] {
    let labels = MemberNames.labels(of: method)
    return index < labels.count ? [labels[index] + ": "] : []
  }

  private func members(of shape: Shape) -> [String] {
    switch shape {
    case .object(let entity): entity.propertyNames
    case .controller:
      MemberNames.ofControllers
        + MemberNames.methods.keys.sorted().map { method in
          method + "(" + (MemberNames.labels(of: method).first.map { $0 + ": " } ?? "")
        }
    case .objects, .list: MemberNames.ofLists
    case .section: MemberNames.ofSections
    case .string: MemberNames.ofStrings
    case .range, .sections: MemberNames.ofRanges
    case .unknown: []
    }
  }

  // MARK: Words

  private static let comparisons =
    PredicateTree.Comparator.allCases.map { $0.rawValue + " " }

  /// Statements of one word.
  private static let wholeStatements: Set = [
    "caches", "process", "redo", "reset", "rollback", "save", "undo",
  ]

  /// Words behind which nothing need follow.
  private static let lastWords: Set<String> = {
    let modes = Statement.DelegateMode.allCases.map(\.rawValue)
    let selectors = SortSyntax.Selector.allCases.map(\.rawValue)
    let words = [
      "all", "apple", "asc", "caches", "desc", "memory", "merging", "model", "off", "on", "ordered",
      "readonly", "reload", "request",
    ]
    return Set(words + modes + selectors)
      .union(EntityDeclaration.deleteRules).union(ContextDeclaration.mergePolicies)
  }()

  private static func spaced(_ word: String, unless isLast: Set<String>) -> String {
    isLast.contains(word) ? word : word + " "
  }
}

extension CursorPlace.AttributeRole {
  fileprivate var suffix: String {
    switch self {
    case .inserted: ": "
    case .assigned: " "
    case .key: ""
    }
  }
}
