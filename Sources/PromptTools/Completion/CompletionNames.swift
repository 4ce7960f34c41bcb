import FetchedResults
import PredicateSyntax
import ScriptRuntime
import ScriptSyntax

/// The candidates of each kind, from a session and from the text itself.
struct CompletionNames {
  let session: Session
  let place: CursorPlace
  private let resolver: NameResolver
  /// How many names of a kind are wanted.
  private let limit: Int

  init(session: Session, place: CursorPlace, atMost limit: Int = .max) {
    self.session = session
    self.place = place
    self.limit = limit
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

  /// Whether a candidate goes on where the typed word ends; its case counts only
  /// where the word has a capital letter.
  func isWanted(_ candidate: String) -> Bool { begins(candidate, place.typed) }

  private func begins(_ name: String, _ typed: String) -> Bool {
    // Asked of every name at every key, so most are told apart by their bytes.
    if name.utf8.starts(with: typed.utf8) { return true }
    if let first = typed.utf8.first, first < 0x80, let other = name.utf8.first, other < 0x80,
      first | 0x20 != other | 0x20
    {
      return false
    }
    return !typed.contains(where: \.isUppercase) && name.lowercased().hasPrefix(typed)
      || name.hasPrefix(typed)
  }

  /// Returns what can stand where a thing of this kind is wanted; also what
  /// `isWanted(_:)` refuses.
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
    case .key(let source, let keys, let isOperator):
      self.keys(of: source, behind: keys, isOperator: isOperator)
    case .value: values
    case .member(let base): members(of: shape(of: base))
    case .argument(let method, let index): label(of: method, index)
    case .operand(let source): operands(of: source)
    case .comparison: Self.comparisons
    }
  }

  /// Whether the number of an object is being typed, as in `Book/3`.
  func isNumber(behind text: String) -> Bool {
    text.utf8.last == UInt8(ascii: "/")
      && session.entities.contains { text.hasSuffix($0.name + "/") }
  }

  // MARK: Names of the session

  private var entities: [String] { session.entities.map(\.name).sorted() }

  private var controllers: [String] { session.controllerNames.sorted() }

  /// The variables that the typed word may become.
  private var variables: [String] {
    let typed = place.typed.hasPrefix("$") ? String(place.typed.dropFirst()) : place.typed
    var found = Set(place.locals.map(\.name).filter { begins($0, typed) })
    // A session may have many thousands, and this is asked between two keys.
    for name in session.unsortedVariableNames where begins(name, typed) {
      guard found.count < limit else { break }
      found.insert(name)
    }
    return found.sorted()
  }

  /// Returns the entity that a request on `source` is about.
  func entity(of source: String) -> EntityDescription? {
    session.coordinator.managedObjectModel.entitiesByName[source] ?? session.requests[source]?
      .request.entity
      ?? session.controllers[source]?.controller.fetchRequest.entity
  }

  private func attributes(of source: String) -> [String] {
    entity(of: source)?.propertyNames ?? []
  }

  // MARK: Key paths

  /// What is known of the value at the end of some keys.
  func shape(of keys: [String], on source: String) -> Shape {
    guard let first = keys.first else { return .unknown }
    if first.hasPrefix("$") {
      return keys.dropFirst().reduce(shape(ofVariable: String(first.dropFirst())), Self.next)
    }
    let owner =
      entity(of: source)
      ?? (source.isEmpty ? session.entities.first { $0.propertyIndex(named: first) != nil } : nil)
    guard let owner else { return .unknown }
    let rest = first.uppercased() == "SELF" ? keys.dropFirst() : keys[...]
    return rest.reduce(.object(owner), Self.next)
  }

  private static func next(_ shape: Shape, _ key: String) -> Shape {
    switch shape {
    case .object(let entity): return Shape(ofProperty: key, of: entity)
    case .objects(let entity):
      // Of many objects there are many values.
      guard case .object(let other) = Shape(ofProperty: key, of: entity) else {
        return Shape(ofProperty: key, of: entity)
      }
      return .objects(other)
    case .list, .controller, .sections, .section, .string, .range, .unknown: return .unknown
    }
  }

  private func keys(of source: String, behind keys: [String], isOperator: Bool) -> [String] {
    let operators = CollectionOperator.allCases.map { $0.rawValue + ($0 == .count ? "" : ".") }
    switch shape(of: keys, on: source) {
    case .object(let entity): return isOperator ? [] : entity.propertyNames
    case .objects(let entity):
      return isOperator ? operators : entity.propertyNames + operators.map { "@" + $0 }
    case .list, .controller, .sections, .section, .string, .range, .unknown: return []
    }
  }

  /// The functions of predicates that are called with one bracket, as `abs(pages)`.
  private static let predicateFunctions = PredicateFunction.names.filter {
    $0.count { $0 == ":" } < 2
  }.map { $0.hasSuffix(":") ? $0.dropLast() + "(" : $0 + "()" }

  // MARK: Kinds

  private func statements(_ words: [String]) -> [String] {
    // Most statements begin with a word; one may also begin with an object.
    let objects =
      place.typed.isEmpty
      ? []
      : variables.filter { name in
        if case .object = shape(ofName: name) { true } else { false }
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
    let subjects = source.isEmpty ? session.entities : entity(of: source).map { [$0] } ?? []
    let hasMany = subjects.contains { $0.relationships.contains(where: \.isToMany) }
    guard !place.typed.isEmpty else { return names + (hasMany ? ["ANY ", "NOT "] : ["NOT "]) }
    return names + ["ALL ", "ANY ", "NONE ", "NOT ", "SELF", "NO", "YES", "nil"]
      + Self.predicateFunctions
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
      "all", "alone", "apple", "asc", "caches", "desc", "memory", "merging", "migrate", "model",
      "off", "on", "ordered",
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
