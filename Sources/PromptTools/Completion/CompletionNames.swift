import FetchedResults
import PredicateSyntax
import ScriptRuntime
import ScriptSyntax

/// The completion candidates of each kind, from a session and from the text itself.
struct CompletionNames {
  let session: Session
  let place: CursorPlace
  private let resolver: NameResolver
  /// The wanted names, and how many of each kind.
  private let choice: NameChoice

  init(session: Session, place: CursorPlace, isFuzzy: Bool = false, atMost limit: Int = .max) {
    self.session = session
    self.place = place
    let word = place.typed.hasPrefix("$") ? String(place.typed.dropFirst()) : place.typed
    choice = NameChoice(word, isFuzzy: isFuzzy, limit: limit)
    resolver = NameResolver(session)
    for variable in place.locals { resolver.define(variable) }
    resolver.useAttributes(of: place.updatedSource.flatMap(entity(of:)))
  }

  /// Returns the known shape of the value that a bare name has.
  func shape(ofName name: String) -> Shape { resolver.shape(ofName: name) ?? .unknown }

  /// Returns the known shape of a value.
  func shape(of value: ExpressionSyntax) -> Shape { resolver.shape(of: value) }

  /// Returns the known shape of a variable.
  func shape(ofVariable name: String) -> Shape { resolver.shape(ofVariable: name) ?? .unknown }

  /// Whether a candidate fits the typed word.
  func isWanted(_ candidate: String) -> Bool {
    guard !place.typed.isEmpty else { return true }
    guard place.typed.hasPrefix("$") else { return choice.matches(candidate) }
    return candidate.hasPrefix("$") && choice.matches(String(candidate.dropFirst()))
  }

  /// Returns how well a candidate matches the typed word, if matching is not only by prefix.
  func score(of candidate: String) -> Int {
    switch choice.rule {
    case .prefix: 0
    case .fuzzy(let match): match.score(of: candidate) ?? 0
    }
  }

  /// The candidates for a place, as far as they are listed.
  struct Listing {
    /// The offered names, including those that `isWanted(_:)` refuses.
    var candidates: [String]
    /// The number of matching names that are left out.
    var omitted = 0
    /// The common start of the names that are left out.
    var common: String?
  }

  /// Returns the candidates for a place of this kind.
  func listing(for want: CursorPlace.Want) -> Listing {
    switch want {
    case .statement(let words): return Listing(candidates: statements(words))
    case .word(let word):
      return Listing(candidates: [Self.spaced(word, unless: Self.lastWords)])
    case .entity: return listing([entities])
    case .insertedEntity: return listing([insertedEntities], end: "(")
    case .importedEntity: return listing([insertedEntities])
    case .source: return listing([entities, choice.pick(from: session.requests.keys), controllers])
    case .fetchedSource:
      // An observer has fetched by itself.
      let fetched = session.controllerNames.lazy.filter {
        session.controllers[$0]?.observer == nil
      }
      return listing([
        entities, choice.pick(from: session.requests.keys), choice.pick(from: fetched),
      ])
    case .controller: return listing([controllers])
    case .historyObserver: return listing([choice.pick(from: session.historyObservers.keys)])
    case .table: return Listing(candidates: session.tableNames.sorted())
    case .context: return Listing(candidates: session.contexts.map(\.name))
    case .type: return Listing(candidates: EntityDeclaration.attributeTypes)
    case .attribute(let source, let role, let given):
      return Listing(
        candidates: attributes(of: source).filter { !given.contains($0) }.map { $0 + role.suffix })
    case .key(let source, let keys, let isOperator):
      return Listing(candidates: self.keys(of: source, after: keys, isOperator: isOperator))
    case .relationship(let source, let keys):
      let owner = owner(ofKeyAfter: keys, on: source)
      return Listing(candidates: owner?.relationships.map(\.name) ?? [])
    case .value: return values
    case .member(let base): return Listing(candidates: members(of: shape(of: base)))
    case .argument(let method, let index): return Listing(candidates: label(of: method, index))
    case .operand(let source, let mayBePredicate):
      return operands(of: source, mayBePredicate: mayBePredicate)
    case .comparison(let source, let keys):
      return Listing(candidates: comparisons(after: keys, on: source))
    }
  }

  /// Lists names of several kinds, one kind after the other.
  private func listing(_ choices: [NameChoice.Result], end: String = "") -> Listing {
    var listing = Listing(candidates: choices.flatMap { $0.names.map { $0 + end } })
    for choice in choices { listing.leaveOut(choice) }
    return listing
  }

  // MARK: Names of the session

  private var entities: NameChoice.Result {
    choice.pick(from: session.entities.lazy.map(\.name))
  }

  /// The entities that may have objects of their own.
  private var insertedEntities: NameChoice.Result {
    choice.pick(from: session.entities.lazy.filter { !$0.isAbstract }.map(\.name))
  }

  private var controllers: NameChoice.Result { choice.pick(from: session.controllerNames) }

  /// The variables that start with the typed word.
  private var variables: NameChoice.Result {
    let locals = Set(place.locals.map(\.name))
    guard !locals.isEmpty else { return choice.pick(from: session.unsortedVariableNames) }
    return choice.pick(from: locals.union(session.unsortedVariableNames))
  }

  /// Returns the entity that a request fetches from `source`.
  func entity(of source: String) -> EntityDescription? {
    session.coordinator.managedObjectModel.entitiesByName[source] ?? session.requests[source]?
      .request.entity
      ?? session.controllers[source]?.controller.fetchRequest.entity
  }

  private func attributes(of source: String) -> [String] {
    entity(of: source)?.propertyNames ?? []
  }

  // MARK: Key paths

  /// Returns the known shape of the value at the end of some keys.
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
      // A to-many relationship gives many values.
      guard case .object(let other) = Shape(ofProperty: key, of: entity) else {
        return Shape(ofProperty: key, of: entity)
      }
      return .objects(other)
    case .list, .controller, .sections, .section, .string, .range, .unknown: return .unknown
    }
  }

  private func keys(of source: String, after keys: [String], isOperator: Bool) -> [String] {
    let operators = CollectionOperator.allCases.map { $0.rawValue + ($0 == .count ? "" : ".") }
    switch shape(of: keys, on: source) {
    case .object(let entity): return isOperator ? [] : entity.propertyNames
    case .objects(let entity):
      return isOperator ? operators : entity.propertyNames + operators.map { "@" + $0 }
    case .list, .controller, .sections, .section, .string, .range, .unknown: return []
    }
  }

  /// The predicate functions that take their arguments in parentheses, such as `abs(pages)`.
  private static let predicateFunctions = PredicateFunction.names.filter {
    $0.count { $0 == ":" } < 2
  }.map { $0.hasSuffix(":") ? $0.dropLast() + "(" : $0 + "()" }

  // MARK: Kinds

  private func statements(_ words: [String]) -> [String] {
    // Most statements begin with a word; one may also begin with an object.
    let objects =
      place.typed.isEmpty
      ? []
      : variables.names.filter { name in
        if case .object = shape(ofName: name) { true } else { false }
      }
    return objects.map { $0 + "." } + words.map { Self.spaced($0, unless: Self.wholeStatements) }
  }

  private var values: Listing {
    let variables = variables
    guard !place.typed.hasPrefix("$") else {
      var listing = Listing(candidates: variables.names.map { "$" + $0 })
      listing.leaveOut(variables, start: "$")
      return listing
    }
    let (controllers, entities) = (controllers, entities)
    let attributes = place.updatedSource.map(attributes(of:)) ?? []
    let names =
      attributes + variables.names + controllers.names + entities.names.map { $0 + "/" }
    // The language has many functions, so they are offered only after a letter is typed.
    let functions = ScriptFunctions.usages.keys.sorted().map { $0 + "(" }
    let words = functions + ["false", "nil", "true"]
    var listing = Listing(candidates: names + (place.typed.isEmpty ? ["count("] : words))
    listing.leaveOut(variables)
    listing.leaveOut(controllers)
    listing.leaveOut(entities)
    return listing
  }

  private func operands(of source: String, mayBePredicate: Bool) -> Listing {
    // A session may have thousands of entities; the first of them are enough.
    let all = session.entities.prefix(500)
    let keys = source.isEmpty ? all.flatMap(\.propertyNames) : attributes(of: source)
    let variables = variables
    let names = keys + variables.names.map { "$" + $0 }
    let subjects = source.isEmpty ? Array(all) : entity(of: source).map { [$0] } ?? []
    let hasMany = subjects.contains { $0.relationships.contains(where: \.isToMany) }
    let beginnings = hasMany ? ["ANY ", "NOT "] : ["NOT "]
    let allBeginnings = ["ALL ", "ANY ", "NONE ", "NOT "]
    let words =
      place.typed.isEmpty
      ? (mayBePredicate ? beginnings : [])
      : (mayBePredicate ? allBeginnings : []) + ["SELF", "NO", "YES", "nil"]
        + Self.predicateFunctions
    var listing = Listing(candidates: names + words)
    if place.typed.isEmpty || place.typed.hasPrefix("$") {
      listing.leaveOut(variables, start: "$")
    }
    return listing
  }

  private func label(of method: String, _ index: Int) -> [String] {
    let labels = MemberNames.labels(of: method)
    return index < labels.count ? [labels[index] + ": "] : []
  }

  private func members(of shape: Shape) -> [String] {
    switch shape {
    case .object(let entity): entity.propertyNames
    case .controller(_, let isObserver):
      (isObserver ? MemberNames.ofObservers : MemberNames.ofControllers)
        + MemberNames.methods(isOfObservers: isObserver).sorted { $0.key < $1.key }
        .map { method, usage in
          method + "(" + (MemberNames.labels(in: usage).first.map { $0 + ": " } ?? "")
        }
    case .objects, .list: MemberNames.ofLists
    case .section: MemberNames.ofSections
    case .string: MemberNames.ofStrings
    case .range, .sections: MemberNames.ofRanges
    case .unknown: []
    }
  }

  // MARK: Words

  /// Statements that consist of one word.
  private static let wholeStatements: Set = [
    "caches", "process", "redo", "reset", "rollback", "save", "undo",
  ]

  /// Words that can end a statement.
  private static let lastWords: Set<String> = {
    let modes = Statement.DelegateMode.allCases.map(\.rawValue)
    let selectors = SortSyntax.Selector.allCases.map(\.rawValue)
    let words = [
      "all", "alone", "apple", "asc", "caches", "desc", "indexed",
      "memory", "merging", "migrate", "model",
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

extension CompletionNames.Listing {
  /// Adds the names that a choice has left out.
  fileprivate mutating func leaveOut(_ choice: NameChoice.Result, start: String = "") {
    guard choice.omitted > 0 else { return }
    omitted += choice.omitted
    let other = start + (choice.common ?? "")
    common = common.map { $0.commonPrefix(with: other) } ?? other
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

extension CompletionNames {
  /// Returns the comparisons that make sense after some keys, the most likely ones first.
  func comparisons(after keys: [String], on source: String) -> [String] {
    comparators(after: keys, on: source).map { $0.rawValue + " " }
  }

  private func comparators(
    after keys: [String], on source: String
  ) -> [PredicateTree.Comparator] {
    let all = PredicateTree.Comparator.allCases
    guard let key = keys.last else { return all }
    let ordered: [PredicateTree.Comparator] = [
      .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .between, .in,
    ]
    // `@count`, `@avg` and `@sum` give a number; `@max` and `@min` give a value of the attribute.
    if ["@count", "@avg", "@sum"].contains(key) { return ordered }
    guard let owner = owner(of: keys, on: source) else { return all }
    if let index = owner.attributeIndex(named: key) {
      switch owner.attributes[index].type {
      case .string:
        return [
          .equal, .notEqual, .contains, .beginsWith, .endsWith, .like, .matches, .in, .less,
          .lessOrEqual, .greater, .greaterOrEqual, .between,
        ]
      case .integer16, .integer32, .integer64, .double, .float, .decimal, .date: return ordered
      case .boolean, .binaryData: return [.equal, .notEqual]
      case .uuid, .uri: return [.equal, .notEqual, .in]
      }
    }
    guard let ordinal = owner.relationshipOrdinal(named: key),
      !owner.relationships[ordinal].isToMany
    else { return all }
    return [.equal, .notEqual, .in]
  }

  /// Returns the entity that the last key of a key path belongs to; nil if that is unknown.
  func owner(of keys: [String], on source: String) -> EntityDescription? {
    guard let last = keys.last else { return nil }
    guard keys.count > 1 else {
      return entity(of: source)
        ?? (source.isEmpty ? session.entities.first { $0.propertyIndex(named: last) != nil } : nil)
    }
    return owner(ofKeyAfter: Array(keys.dropLast()), on: source)
  }

  /// Returns the entity that a further key of a key path belongs to; nil if that is unknown.
  func owner(ofKeyAfter keys: [String], on source: String) -> EntityDescription? {
    guard !keys.isEmpty else { return entity(of: source) }
    switch shape(of: keys, on: source) {
    case .object(let entity), .objects(let entity): return entity
    case .list, .controller, .sections, .section, .string, .range, .unknown: return nil
    }
  }
}
