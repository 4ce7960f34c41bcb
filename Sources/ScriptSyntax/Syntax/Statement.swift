/// One parsed statement.
///
/// Ranges count UTF-8 bytes from the start of the source.
package struct Statement: Equatable, Sendable {
  package let kind: Kind
  /// From the statement's first word to its last token, without a comment.
  package let range: Range<Int>
  /// The parts and effects of the statement, which follow from its kind.
  package let traits: StatementTraits
  /// Whether the session keeps the value under a name.
  ///
  /// It does so for a value or a fetch that was typed alone at the prompt.
  package let keepsResult: Bool

  package init(_ kind: Kind, range: Range<Int>, keepsResult: Bool = false) {
    self.kind = kind
    self.range = range
    self.keepsResult = keepsResult
    traits = StatementTraits(of: kind)
  }

  package enum AssignmentOperator: String, Hashable, Sendable {
    case set = "="
    case add = "+="
    case subtract = "-="
  }

  /// A setting that `set` changes.
  package enum Setting: String, Hashable, Sendable, CaseIterable {
    case clock
    case locale
    /// The merge policy of the enclosing context.
    case policy
    /// Whether SQL statements are printed.
    case sql
    /// The rule for nil in the predicates of a store in a file: `apple` or `memory`.
    case nilRule = "nil"
    /// The author of the enclosing context's saves, in the history of the store.
    case author
  }

  /// A behaviour of older versions of Apple's classes; the raw value is the word in a script.
  package enum Quirk: String, Hashable, Sendable, CaseIterable {
    case samePathMove
    case updateAndMove
    case sectionChangeAsUpdate
    case snapshotsWithoutReloads
    case unreadMergesLost
    case countedSections
    case unrelatedSavesFire
    case deletedRowsTrap
  }

  /// The word after `delegate books`.
  package enum DelegateMode: String, Hashable, Sendable, CaseIterable {
    case changes
    case didChange
    case none
    case snapshot
    case diff
    case counts
  }
}

extension Statement {
  /// The value that was typed alone at the prompt, where it is printed; nil for other statements.
  package var bareValue: ExpressionSyntax? {
    if keepsResult, case .print(let value) = kind { value } else { nil }
  }

  /// The name that was typed alone at the prompt.
  package var bareName: String? {
    if case .name(let name)? = bareValue?.kind { name } else { nil }
  }

  /// The statements in the statement's blocks, but not those of a file that it includes.
  package var inner: [Statement] { traits.parts.flatMap(\.statements) }

  package static func == (left: Statement, right: Statement) -> Bool {
    left.kind == right.kind && left.range == right.range
  }
}

/// One callback of a custom delegate.
package struct CallbackSyntax: Equatable, Sendable {
  package var callback: Callback
  /// The name of the callback's argument, as in `sectionIndexTitle name`.
  package var parameter: Name?
  package var body: [Statement]
  package var range: Range<Int>

  /// The callbacks; the raw value is the word in a script.
  package enum Callback: String, Hashable, Sendable, CaseIterable {
    case willChangeContent
    case didChangeObject
    case didChangeSection
    case didChangeContent
    case sectionIndexTitle
  }
}

/// An identifier and its place.
package struct Name: Equatable, Sendable {
  package var text: String
  package var range: Range<Int>

  package init(_ text: String, range: Range<Int>) {
    self.text = text
    self.range = range
  }
}

/// `insert 1000 Book(title: "Book \(i)")`.
package struct InsertSyntax: Equatable, Sendable {
  /// The number of objects; nil if the statement does not contain one.
  package var count: ExpressionSyntax?
  package var entity: Name
  package var values: [AttributeAssignment]
}

/// An attribute's new value: `title: "Dune"` of an insert, `pages = pages + 1` of an update.
package struct AttributeAssignment: Equatable, Sendable {
  package var attribute: Name
  package var `operator`: Statement.AssignmentOperator
  package var value: ExpressionSyntax

  package init(
    attribute: Name, operator: Statement.AssignmentOperator, value: ExpressionSyntax
  ) {
    self.attribute = attribute
    self.operator = `operator`
    self.value = value
  }
}

/// A part of a statement, with its role.
package indirect enum StatementPart: Sendable {
  case value(ExpressionSyntax)
  /// What `delete` removes: a value, or the name of a request.
  case target(ExpressionSyntax)
  /// A name that must have this meaning.
  case name(Name, NameUse)
  case request(RequestSyntax)
  /// The clauses with which `change` changes the request of a controller.
  case clauses(RequestClauses, of: Name)
  /// The values that `update` assigns to the objects of a request.
  case update(RequestSyntax, [AttributeAssignment])
  case insert(InsertSyntax)
  case predicate(EmbeddedPredicate, on: ExpressionSyntax)
  case definition(Definition)
  /// The path of a file whose statements run here.
  case file(ExpressionSyntax)
  /// Statements whose variables stay visible after them.
  case block([Statement])
  /// Statements in a scope of their own, and the variables defined at its start.
  case scope([Statement], [LocalVariable])
  case callback(CallbackSyntax, of: Name)
  /// A hook of an entity. Its statements run later.
  case hook(HookSyntax, of: Name)
  /// A statement that may fail.
  case attempt(Statement)

  /// Returns the part for the name of a context; nil if there is none.
  static func context(_ name: Name?) -> StatementPart? { name.map { .name($0, .context) } }

  /// The meaning that a name must have.
  package enum NameUse: Equatable, Sendable {
    case entity
    case context
    /// A context, or the word for the last batch request.
    case mergeSource
    case controller
    case table
    case controllerOrTable
    case controllerOrEntity
  }

  /// A name that a statement defines.
  package enum Definition: Sendable {
    case entity(EntityDeclaration)
    /// The entities and requests of a model file.
    case model(ExpressionSyntax, version: ExpressionSyntax?)
    case context(ContextDeclaration)
    case variable(Name, ExpressionSyntax)
    case request(Name, RequestSyntax)
    /// A request that is part of a model.
    case storedRequest(Name, ExpressionSyntax)
    case controller(Name, RequestSyntax)
    case observer(Name, ObserverSyntax)
    /// A table of a controller.
    case table(Name, of: Name)
  }
}

extension StatementPart {
  /// The statements in the part.
  package var statements: [Statement] {
    switch self {
    case .block(let statements), .scope(let statements, _): statements
    case .callback(let callback, of: _): callback.body
    case .hook(let hook, of: _): hook.body
    case .attempt(let statement): [statement]
    case .value, .target, .name, .request, .clauses, .update, .insert, .predicate, .definition,
      .file:
      []
    }
  }

  /// The values that are computed for the part, without those in its statements.
  package var values: [ExpressionSyntax] {
    switch self {
    case .value(let value), .target(let value), .file(let value): [value]
    case .request(let request): request.clauses.values
    case .clauses(let clauses, of: _): clauses.values
    case .update(let request, let assignments):
      request.clauses.values + assignments.map(\.value)
    case .insert(let insert): insert.allValues
    case .predicate(let predicate, on: let object): predicate.arguments + [object]
    case .definition(let definition): definition.values
    case .scope(_, let locals): locals.compactMap(\.origin.value)
    case .name, .block, .callback, .hook, .attempt: []
    }
  }
}

extension StatementPart.Definition {
  /// The name that is defined; nil for a model file, which defines many.
  package var name: Name? {
    switch self {
    case .entity(let entity): entity.name
    case .context(let context): context.name
    case .variable(let name, _), .request(let name, _), .storedRequest(let name, _),
      .controller(let name, _), .observer(let name, _), .table(let name, of: _):
      name
    case .model: nil
    }
  }

  fileprivate var values: [ExpressionSyntax] {
    switch self {
    case .entity(let declaration):
      declaration.properties.flatMap { property in
        [property.value, property.minimum, property.maximum, property.pattern].compactMap(\.self)
      }
    case .model(let path, let version): [path, version].compactMap(\.self)
    case .variable(_, let value): [value]
    case .request(_, let request), .controller(_, let request): request.clauses.values
    case .observer(_, .results(let request)): request.clauses.values
    case .observer(_, .history(of: _, by: let authors)): authors
    case .storedRequest(_, let name): [name]
    case .context, .table: []
    }
  }
}

extension LocalVariable.Origin {
  fileprivate var value: ExpressionSyntax? {
    switch self {
    case .value(let value), .element(of: let value): value
    case .object, .entityObject, .string, .list, .number: nil
    }
  }
}

/// A statement that `swift` shows as code for an app; it does not run.
package struct CodedStatement: Equatable, Sendable {
  package var action: Action
  /// The range of the statement itself.
  package var range: Range<Int>

  /// The action of the statement.
  package enum Action: Equatable, Sendable {
    case batch(BatchSyntax)
    case count(RequestSyntax)
    case fetch(RequestSyntax)
    case merge(Name, into: Name)
    case mergeHistory(by: ExpressionSyntax?, into: Name)
    case history(by: ExpressionSyntax?, after: ExpressionSyntax?)
    case deleteHistory(before: ExpressionSyntax?)
    case obtainIDs(ExpressionSyntax?)
  }

  /// The statement's own words.
  package var words: String {
    switch action {
    case .batch(let batch): batch.kind.rawValue
    case .count: StatementKind.count.rawValue
    case .fetch: StatementKind.fetch.rawValue
    case .merge: StatementKind.merge.rawValue
    case .mergeHistory: StatementKind.mergeHistory.rawValue
    case .history: StatementKind.history.rawValue
    case .deleteHistory: StatementKind.deleteHistory.rawValue
    case .obtainIDs: StatementKind.obtainIDs.rawValue
    }
  }

  /// The parts of the statement.
  var parts: [StatementPart] {
    switch action {
    case .batch(let batch): batch.parts
    case .count(let request), .fetch(let request): [.request(request)]
    case .merge(let source, into: let target):
      [.name(source, .mergeSource), .name(target, .context)]
    case .mergeHistory(let author, into: let target):
      [author.map { .value($0) }, .name(target, .context)].compactMap(\.self)
    case .history(let author, let number):
      [author, number].compactMap { $0.map { .value($0) } }
    case .deleteHistory(let number): number.map { [.value($0)] } ?? []
    case .obtainIDs(let value): value.map { [.value($0)] } ?? []
    }
  }
}

extension CodedStatement.Action {
  /// Creates the action of a statement that `swift` has code for; nil for any other.
  init?(_ kind: Statement.Kind) {
    if case .batch(let batch) = kind {
      self = .batch(batch)
    } else if case .count(let request) = kind {
      self = .count(request)
    } else if case .fetch(let request) = kind {
      self = .fetch(request)
    } else if case .merge(let source, into: let target) = kind {
      self = .merge(source, into: target)
    } else if case .mergeHistory(by: let author, into: let target) = kind {
      self = .mergeHistory(by: author, into: target)
    } else if case .history(by: let author, after: let number) = kind {
      self = .history(by: author, after: number)
    } else if case .deleteHistory(before: let number) = kind {
      self = .deleteHistory(before: number)
    } else if case .obtainIDs(let value) = kind {
      self = .obtainIDs(value)
    } else {
      return nil
    }
  }
}
