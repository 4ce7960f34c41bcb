import FetchedResults
import ScriptSyntax

/// A request in an expression that is evaluated many times.
final class PreparedRequest {
  let syntax: RequestSyntax
  let predicate: PreparedPredicate?
  /// Whether there are clauses besides the predicate.
  let hasOtherClauses: Bool

  init(_ syntax: RequestSyntax, _ variables: VariableTable) {
    self.syntax = syntax
    predicate = syntax.clauses.predicate.map { PreparedPredicate($0, variables) }
    var others = syntax.clauses
    others.predicate = nil
    hasOtherClauses = !others.isEmpty
  }
}

/// A predicate with prepared arguments.
final class PreparedPredicate {
  let syntax: EmbeddedPredicate
  let arguments: [PreparedExpression]
  /// The `$` variables that the script has to provide.
  let variables: [Name]
  /// Warnings about forms that Apple's parser refuses.
  let refusals: [Diagnostic]
  /// The last predicate that was checked without a warning, with its entity.
  private var checked: (predicate: FetchPredicate, entity: EntityDescription)?

  init(_ syntax: EmbeddedPredicate, _ variables: VariableTable) {
    self.syntax = syntax
    arguments = syntax.arguments.map { PreparedExpression($0, variables) }
    self.variables = syntax.variables
    refusals = syntax.refusalWarnings
  }

  /// Records that a predicate was checked without a warning.
  func noteFit(_ predicate: FetchPredicate, _ entity: EntityDescription) {
    checked = (predicate, entity)
  }

  /// Whether a predicate has the same entity and the same kinds of values as the one that was
  /// checked last.
  func isKnownToFit(_ predicate: FetchPredicate, _ entity: EntityDescription) -> Bool {
    guard let checked, checked.entity === entity else { return false }
    let before = checked.predicate
    return predicate.arguments.count == before.arguments.count
      && zip(predicate.arguments, before.arguments).allSatisfy { $0.isLike($1) }
      && predicate.variables.allSatisfy { name, value in
        before.variables[name].map(value.isLike) ?? false
      }
  }
}

extension PropertyValue {
  /// Whether a predicate treats a value like another one, because both have the same kind.
  ///
  /// A text may be a pattern and a list may contain anything, so these must be equal.
  fileprivate func isLike(_ other: PropertyValue) -> Bool {
    switch (self, other) {
    case (.int, .int), (.double, .double), (.date, .date), (.decimal, .decimal), (.uuid, .uuid):
      true
    case (.object(let a), .object(let b)): a.entity === b.entity
    default: self == other
    }
  }
}

/// `.title`.
final class MemberStep: PreparedStep {
  private let name: Name
  /// Whether the part before it is also a member.
  private let followsMember: Bool
  /// The entity for which the name was last looked up, and the index of the property.
  private var known: (entity: EntityDescription, index: Int)?

  init(
    _ name: Name, followsMember: Bool, _ range: Range<Int>, leftRange: Range<Int>
  ) {
    self.name = name
    self.followsMember = followsMember
    super.init(range, leftRange: leftRange)
  }

  override func apply(
    to left: ScriptValue, in evaluator: Evaluator
  ) throws(ScriptError) -> ScriptValue {
    switch left {
    case .value(.object(let id)):
      let object = try evaluator.names.readObject(id, leftRange)
      let entity = object.entity
      if known?.entity !== entity { known = entity.place(of: name.text) }
      guard let known else { return try evaluator.members.member(name, of: left, leftRange) }
      evaluator.names.session.note(.read(id, key: name.text))
      return .value(object.value(at: known.index))
    // A key path through nil gives nil, as in `dune.author.name`.
    case .value(.null) where followsMember: return .null
    case .value, .range, .controller, .history, .fetchedObjects, .sections, .section:
      return try evaluator.members.member(name, of: left, leftRange)
    }
  }
}

extension EntityDescription {
  /// Returns the entity with the index of a property; nil if it has none with this name.
  fileprivate func place(of name: String) -> (entity: EntityDescription, index: Int)? {
    propertyIndex(named: name).map { (self, $0) }
  }
}

/// `[0, 1]`.
final class IndexStep: PreparedStep {
  private let indices: [PreparedExpression]

  init(_ indices: [PreparedExpression], _ range: Range<Int>, leftRange: Range<Int>) {
    self.indices = indices
    super.init(range, leftRange: leftRange)
  }

  override func apply(
    to left: ScriptValue, in evaluator: Evaluator
  ) throws(ScriptError) -> ScriptValue {
    try evaluator.members.element(of: left, leftRange, at: indices, range)
  }
}

/// An argument of a method.
struct PreparedArgument {
  let label: String?
  let value: PreparedExpression
}

/// `.indexPath(forObject: dune)`.
final class MethodStep: PreparedStep {
  private let name: Name
  private let arguments: [PreparedArgument]

  init(
    _ name: Name, _ arguments: [PreparedArgument], _ range: Range<Int>, leftRange: Range<Int>
  ) {
    self.name = name
    self.arguments = arguments
    super.init(range, leftRange: leftRange)
  }

  override func apply(
    to left: ScriptValue, in evaluator: Evaluator
  ) throws(ScriptError) -> ScriptValue {
    try evaluator.members.call(name, of: left, arguments, range)
  }
}

/// `+ 1`, `== nil`, `AND read`.
final class BinaryStep: PreparedStep {
  private let sign: ExpressionSyntax.BinaryOperator
  private let right: PreparedExpression

  init(
    _ sign: ExpressionSyntax.BinaryOperator, _ right: PreparedExpression, _ range: Range<Int>,
    leftRange: Range<Int>
  ) {
    self.sign = sign
    self.right = right
    super.init(range, leftRange: leftRange)
  }

  override func apply(
    to left: ScriptValue, in evaluator: Evaluator
  ) throws(ScriptError) -> ScriptValue {
    let operand = PlacedValue(value: left, range: leftRange)
    switch sign {
    case .and:
      guard try evaluator.truth(of: operand) else { return .value(.bool(false)) }
      return .value(.bool(try evaluator.truth(of: right)))
    case .or:
      if try evaluator.truth(of: operand) { return .value(.bool(true)) }
      return .value(.bool(try evaluator.truth(of: right)))
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
      let (left, right) = try evaluator.operands(evaluator.scalar(operand), right)
      return .value(.bool(try evaluator.compare(left, sign, right, range)))
    case .add, .subtract, .multiply, .divide, .remainder:
      let (left, right) = try evaluator.operands(evaluator.scalar(operand), right)
      return .value(try evaluator.combine(left, sign, right, range))
    }
  }

  override var isPlain: Bool {
    switch sign {
    case .add, .subtract, .multiply, .divide, .remainder: right.isPlain
    case .and, .or, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: false
    }
  }

  override func plainValue(after left: PropertyValue, _ frames: FrameStack) -> PropertyValue? {
    guard let right = right.plainValue(frames) else { return nil }
    return try? left.combined(sign, with: right)
  }
}

/// `...9`, `..<9`.
final class RangeStep: PreparedStep {
  private let high: PreparedExpression
  private let isClosed: Bool

  init(
    _ high: PreparedExpression, isClosed: Bool, _ range: Range<Int>, leftRange: Range<Int>
  ) {
    self.high = high
    self.isClosed = isClosed
    super.init(range, leftRange: leftRange)
  }

  override func apply(
    to left: ScriptValue, in evaluator: Evaluator
  ) throws(ScriptError) -> ScriptValue {
    let first = try evaluator.integer(PlacedValue(value: left, range: leftRange))
    let last = try evaluator.integer(high)
    let (end, overflows) = last.addingReportingOverflow(isClosed ? 1 : 0)
    if overflows { throw evaluator.frames.failure(.overflow, range) }
    return .range(first..<max(first, end))
  }
}

/// Looks up the names in requests, or throws errors that say what is wrong with them.
struct RequestNames {
  private let session: Session
  private let frames: FrameStack
  private let names: NameLookup

  init(_ session: Session, _ frames: FrameStack) {
    self.session = session
    self.frames = frames
    names = NameLookup(session, frames)
  }

  /// Returns the source of a request, before its clauses are applied.
  func source(of syntax: RequestSyntax) throws(ScriptError) -> RequestDefinition {
    let source = try namedSource(of: syntax)
    if syntax.clauses.result != nil { try refuseDictionaries(of: source, syntax.source) }
    return source
  }

  private func namedSource(of syntax: RequestSyntax) throws(ScriptError) -> RequestDefinition {
    let name = syntax.source
    if let entity = session.coordinator.managedObjectModel.entitiesByName[name.text] {
      var request = FetchRequest(entity: entity)
      request.includesSubentities = !syntax.isExact
      return RequestDefinition(request: request)
    }
    if syntax.isExact {
      throw frames.failure(.unknown(.entity, name.text, suggestion: nil), name.range)
    }
    if let request = session.requests[name.text] { return request }
    if let refusal = names.refusalInExtension(name.text, name.range) { throw refusal }
    if let binding = session.controllers[name.text] {
      return RequestDefinition(of: binding.controller)
    }
    if let meaning = names.anyMeaning(of: name.text) {
      throw frames.failure(.misused(name.text, is: meaning, wanted: .source), name.range)
    }
    let entities = session.entities.map(\.name)
    let known = entities + session.requests.keys.sorted() + session.controllerNames
    // A capital letter means an entity, so `Books` is rather `Book` than a controller `books`.
    let near =
      (name.text.first?.isUppercase == true
        ? session.nearestName(to: name.text, among: entities) : nil)
      ?? session.nearestName(to: name.text, among: known)
    throw frames.failure(
      .unknown(.source, name.text, suggestion: near, known: known), name.range)
  }

  /// Returns the controller that `fetch` names; nil if it names something else.
  func fetchedController(_ syntax: RequestSyntax) -> ControllerBinding? {
    !session.isInExtension
      && session.coordinator.managedObjectModel.entitiesByName[syntax.source.text] == nil
      ? session.controllers[syntax.source.text] : nil
  }

  /// Checks the key path of a sort or a section.
  ///
  /// The error suggests the nearest name for an unknown key.
  func checkKeyPath(
    _ path: Name, of entity: EntityDescription, isSort: Bool
  ) throws(ScriptError) {
    var owner = entity
    for key in path.text.split(separator: ".").map(String.init) {
      if key.hasPrefix("@") { break }
      let index = try names.propertyIndex(key, in: owner, path.range)
      guard index >= owner.attributes.count,
        let next = owner.destination(ofRelationship: key)
      else { break }
      owner = next
    }
    try frames.locating(path.range) { try RowOrder.check(path.text, of: entity, isSort: isSort) }
  }

  /// Checks a key path that consists of relationships only.
  func checkRelationships(_ path: Name, of entity: EntityDescription) throws(ScriptError) {
    var owner = entity
    for key in path.text.split(separator: ".").map(String.init) {
      try names.propertyIndex(key, in: owner, path.range)
      guard let next = owner.destination(ofRelationship: key) else {
        throw frames.failure(
          .needed("a relationship", found: "'\(key)', an attribute of \(owner.name)"), path.range)
      }
      owner = next
    }
  }

  /// Checks the key path of a value.
  ///
  /// If it leads to many objects, the error has Apple's wording.
  func checkValue(
    _ value: FetchedValueSyntax, of entity: EntityDescription
  ) throws(ScriptError) {
    let path = value.keyPath
    let last = path.text.split(separator: ".").last.map(String.init) ?? path.text
    if path.text == last, let ordinal = entity.relationshipOrdinal(named: last),
      entity.relationships[ordinal].isToMany
    {
      throw frames.failure(.engine("\(FetchError.toManyProperty(path.text))"), path.range)
    }
    try checkKeyPath(path, of: entity, isSort: true)
  }

  /// Checks a predicate against its entity, and adds the place to errors.
  ///
  /// - Parameter isFetched: Whether a store evaluates it, which has no transient properties.
  func compile(
    _ predicate: FetchPredicate, on entity: EntityDescription, _ range: Range<Int>,
    isFetched: Bool = true
  ) throws(ScriptError) {
    do {
      _ = try predicate.compile(
        for: entity, environment: session.context.environment, graph: session.context,
        readsTransient: !isFetched)
    } catch {
      let place = error.range.map { $0.isEmpty ? range : $0 } ?? range
      guard let unknown = error.unknownKey else { throw frames.failure(.engine("\(error)"), place) }
      let near = session.nearestName(to: unknown.key, among: unknown.candidates)
      throw frames.failure(
        .unknown(
          .attribute(of: unknown.entity), unknown.key, suggestion: near,
          known: unknown.candidates.filter { !$0.hasPrefix("@") }), place)
    }
  }
}

// MARK: - What controllers and observers refuse

/// Refusals that depend on no value, so that `frc check` finds them, too.
extension RequestNames {
  /// Throws an error if `fetch` cannot fetch a controller.
  func refuseFetch(of binding: ControllerBinding, _ syntax: RequestSyntax) throws(ScriptError) {
    if binding.observer != nil {
      throw frames.failure(.controller(.needlessFetch(binding.name)), syntax.range)
    }
    guard syntax.clauses.isEmpty else {
      throw frames.failure(.controller(.controllerWithClauses(binding.name)), syntax.range)
    }
  }

  /// Throws an error if `change` has a clause that is fixed.
  func refuseFixed(
    _ clauses: RequestClauses, of binding: ControllerBinding, _ range: Range<Int>
  ) throws(ScriptError) {
    if binding.observer != nil {
      var rest = clauses
      rest.predicate = nil
      rest.sort = nil
      guard rest.isEmpty else {
        throw frames.failure(
          .controller(.fixedInObserver(binding.name)), clauses.section?.range ?? range)
      }
      return
    }
    if let section = clauses.section {
      throw frames.failure(.controller(.fixedClause("section by")), section.range)
    }
    if let cache = clauses.cache {
      throw frames.failure(.controller(.fixedClause("cache")), cache.range)
    }
  }

  /// Throws an error if a source gives dictionaries, in a request that gives something else.
  func refuseDictionaries(of source: RequestDefinition, _ name: Name) throws(ScriptError) {
    guard source.request.resultType != .dictionaries else {
      throw frames.failure(.dictionaries(name.text), name.range)
    }
  }

  /// Throws an error if a controller could not track the request.
  func refuseSavedMembership(
    of definition: RequestDefinition, _ range: Range<Int>
  ) throws(ScriptError) {
    guard definition.request.includesPendingChanges else {
      throw frames.failure(.controller(.savedMembership), range)
    }
  }

  /// Throws an error if an observer cannot have a clause of its definition.
  ///
  /// It sorts by its section key. An unknown key has an error of its own.
  func refuseClauses(
    ofObserver syntax: RequestSyntax, on entity: EntityDescription
  ) throws(ScriptError) {
    if let cache = syntax.clauses.cache {
      throw frames.failure(.controller(.notOfObservers("cache")), cache.range)
    }
    if let section = syntax.clauses.section,
      (try? checkKeyPath(section, of: entity, isSort: false)) != nil
    {
      try checkKeyPath(section, of: entity, isSort: true)
    }
  }

  /// Throws an error if an observer could not track the request.
  func refuseSavedMembership(
    ofObserver definition: RequestDefinition, _ range: Range<Int>
  ) throws(ScriptError) {
    guard definition.request.includesPendingChanges else {
      throw frames.failure(.controller(.notOfObservers("includesPendingChanges off")), range)
    }
  }

  /// Throws an error if an observer cannot have the delegate: nil for one with callbacks.
  func refuseDelegate(
    _ mode: Statement.DelegateMode?, of binding: ControllerBinding, _ range: Range<Int>
  ) throws(ScriptError) {
    guard binding.observer != nil else { return }
    if let mode, [.changes, .counts, .none].contains(mode) { return }
    throw frames.failure(.controller(.noDelegate(binding.name)), range)
  }
}
