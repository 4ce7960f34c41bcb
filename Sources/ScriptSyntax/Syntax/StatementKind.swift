extension Statement {
  /// The content of a statement, with one case for each kind.
  package indirect enum Kind: Equatable, Sendable {
    // Model and store
    case entity(EntityDeclaration)
    /// `model "Library.xcdatamodeld" version "Library 2"`.
    case model(ExpressionSyntax, version: ExpressionSyntax?)
    /// `store memory`.
    case storeMemory(StoreOptions)
    /// `store sqlite "library.sqlite" readonly`.
    case storeSQLite(ExpressionSyntax, StoreOptions)
    /// `save`, `save bg`. Without a name, the enclosing context is saved.
    case save(Name?)
    case rollback(Name?)
    case reset(Name?)
    /// `process`: processPendingChanges.
    case process

    // Contexts
    /// `context edit parent main`.
    case context(ContextDeclaration)
    /// `merge bg into main`, `merge batch into main`.
    case merge(Name, into: Name)
    /// `merge history by "widget" into main`.
    case mergeHistory(by: ExpressionSyntax?, into: Name)
    /// `automerge main on`.
    case automerge(Name, isOn: Bool)
    /// `observe main`, `observe main off`.
    case observe(Name, isOn: Bool)
    /// `refresh dune`, `refresh dune merging`.
    case refresh(ExpressionSyntax, isMerging: Bool)
    case refreshAll
    case undo
    case redo

    // Objects
    case insert(InsertSyntax)
    case `let`(Name, ExpressionSyntax)
    /// `dune.title = …`, `dune.pages += 10`; the target is a `member`.
    case assign(ExpressionSyntax, AssignmentOperator, ExpressionSyntax)
    case update(RequestSyntax, [AttributeAssignment])
    /// `import "books.csv" into Book`.
    case importRows(ExpressionSyntax, into: Name)
    /// `delete dune`, `delete Book/3`.
    case delete(ExpressionSyntax)
    /// `delete Book where …`; `delete Book` deletes all.
    case deleteMatching(RequestSyntax)

    /// `batch delete Book where …`, which changes the store directly.
    case batch(BatchSyntax)
    /// `obtain permanent ids`, `obtain permanent ids for dune`.
    case obtainIDs(ExpressionSyntax?)

    // Control
    /// `perform { … }`, `perform bg { … }`, `perform stepping { … }`.
    case perform(Name?, isStepping: Bool, [Statement])
    case `for`(Name, in: ExpressionSyntax, [Statement])
    case `if`(ExpressionSyntax, then: [Statement], else: [Statement])
    case `repeat`(ExpressionSyntax, [Statement])
    /// `include "v1.frc" alone`. With `alone`, the file runs in a session of its own.
    case include(ExpressionSyntax, isAlone: Bool)
    /// `extension "widget" { … }`: changes by another process.
    case `extension`(ExpressionSyntax?, [Statement])
    case set(Setting, ExpressionSyntax)
    case expect(ExpressionSyntax)
    case `try`(Statement)

    // Requests and controllers
    case request(Name, RequestSyntax)
    /// `request r = stored "Name"`: a request that is part of a model.
    case storedRequest(Name, ExpressionSyntax)
    case controller(Name, RequestSyntax)
    /// `observer books = Book sort by title`, `observer sync = history of Book by "App"`.
    case observer(Name, ObserverSyntax)
    /// `fetch books`, or an ad-hoc `fetch Book where …`. Without clauses it may be either. Which
    /// one it is becomes known when names are resolved.
    case fetch(RequestSyntax)
    case count(RequestSyntax)
    case change(Name, RequestClauses)
    case delegate(Name, DelegateMode)
    /// `delegate books { didChangeObject { … } }`: a custom delegate.
    case ownDelegate(Name, [CallbackSyntax])
    /// `return EXPRESSION`, in a callback that returns a value.
    case `return`(ExpressionSyntax)
    /// `delete cache "Demo"`.
    case deleteCache(ExpressionSyntax)
    /// `delete caches`.
    case deleteCaches
    /// `delete history before 3`.
    case deleteHistory(before: ExpressionSyntax?)

    // Table views
    /// `table view = books { update configureCell }`.
    case table(Name, of: Name, TableSyntax)
    /// `suspend view`.
    case suspend(Name)
    /// `resume view`.
    case resume(Name)
    /// `reload view`.
    case reload(Name)
    /// `trace view on`.
    case trace(Name, isOn: Bool)

    // Looking
    /// `show books`, `show view`.
    case show(Name)
    /// `show books.request`.
    case showRequest(Name)
    /// `show model`.
    case showModel
    case objects(Name)
    case print(ExpressionSyntax)
    case caches
    /// `stats`.
    case stats
    /// `history`, `history by "widget" after 3`.
    case history(by: ExpressionSyntax?, after: ExpressionSyntax?)
    /// `evaluate PREDICATE on OBJECT`.
    case evaluate(EmbeddedPredicate, on: ExpressionSyntax)
    /// `explain`, `explain Book/3`.
    case explain(ExpressionSyntax?)
    /// `swift books`, `swift Book`.
    case swift(Name)
    /// `swift batch delete Book where …`: shows the code of a statement, which does not run.
    case swiftStatement(CodedStatement)
    /// `quirk samePathMove on`.
    case quirk(Quirk, isOn: Bool)
  }
}

extension StatementTraits {
  /// Describes the statements of a kind.
  ///
  /// This is the only list of their parts and effects.
  init(of kind: Statement.Kind) {
    switch kind {
    case .entity(let entity):
      self.init(
        .defines, [.definition(.entity(entity))] + entity.hooks.map { .hook($0, of: entity.name) },
        store: .never)
    case .model(let path, let version): self.init(defining: .model(path, version: version))
    case .storeMemory, .quirk: self.init(.changes, store: .never)
    case .storeSQLite(let value, _), .return(let value):
      self.init(.changes, .value(value), store: .never)
    case .save(let name): self.init(.saves, .context(name))
    case .extension(let author, let body):
      self.init(.runs, author.map { .value($0) }, .block(body))
    case .history(let author, let number):
      self.init(.looks, author.map { .value($0) }, number.map { .value($0) })
    case .deleteHistory(let number): self.init(.changes, number.map { .value($0) })
    case .mergeHistory(let author, let name):
      self.init(.changes, author.map { .value($0) }, .context(name))
    case .rollback(let name): self.init(.rollsBack, .context(name))
    case .reset(let name): self.init(.resets, .context(name))
    case .process, .refreshAll, .deleteCaches: self.init(.changes)
    case .context(let context): self.init(defining: .context(context))
    case .merge(let source, let target):
      self.init(.changes, .name(source, .mergeSource), .context(target))
    case .automerge(let name, _), .observe(let name, _):
      self.init(.changes, .context(name), store: .never)
    case .refresh(let value, _), .deleteCache(let value): self.init(.changes, .value(value))
    case .undo: self.init(.undoes)
    case .redo: self.init(.redoes)
    case .insert(let insert): self.init(.inserts, .insert(insert))
    case .let(let name, let value): self.init(defining: .variable(name, value))
    case .assign(let old, _, let new): self.init(.changesObjects, .value(old), .value(new))
    case .update(let request, let values): self.init(.changesMatches, .update(request, values))
    case .importRows(let path, let name): self.init(.changes, .value(path), .name(name, .entity))
    case .delete(let target): self.init(.changesObjects, .target(target))
    case .deleteMatching(let request): self.init(.changesMatches, .request(request))
    case .batch(let batch): self.init(.changes, batch.parts)
    case .obtainIDs(let value): self.init(.changes, value.map { .value($0) })
    case .perform(let name, _, let body):
      self.init(.runs, .context(name), .block(body), store: .never)
    case .for(let name, let values, let body):
      self.init(turnsOf: .scope(body, [LocalVariable(name.text, .element(of: values))]))
    case .if(let condition, let then, let otherwise):
      self.init(turnsOf: .value(condition), .block(then), .block(otherwise))
    case .repeat(let count, let body): self.init(turnsOf: .value(count), .scope(body, []))
    case .include(let path, isAlone: false): self.init(turnsOf: .file(path))
    case .include(let path, isAlone: true): self.init(.runs, .value(path), store: .never)
    case .try(let statement): self.init(turnsOf: .attempt(statement))
    case .set(_, let value): self.init(.changes, .value(value), store: .forValues)
    case .request(let name, let request): self.init(defining: .request(name, request))
    case .storedRequest(let name, let stored): self.init(defining: .storedRequest(name, stored))
    case .controller(let name, let request): self.init(defining: .controller(name, request))
    case .observer(let name, let observed): self.init(defining: .observer(name, observed))
    case .fetch(let request): self.init(.fetches, .request(request))
    case .change(let name, let clauses): self.init(.changesRequest, .clauses(clauses, of: name))
    case .delegate(let name, .none): self.init(.stopsTracking, .name(name, .controller))
    case .delegate(let name, _): self.init(.changes, .name(name, .controller))
    case .ownDelegate(let name, let body):
      self.init(.changes, [.name(name, .controller)] + body.map { .callback($0, of: name) })
    case .table(let name, let controller, _): self.init(defining: .table(name, of: controller))
    case .suspend(let name): self.init(.suspends, .name(name, .table), store: .never)
    case .resume(let name): self.init(.resumes, .name(name, .table), store: .never)
    case .reload(let name), .trace(let name, _):
      self.init(.changes, .name(name, .table), store: .never)
    case .expect(let value), .print(let value): self.init(.looks, .value(value), store: .forValues)
    case .count(let request): self.init(.looks, .request(request))
    case .show(let name): self.init(.looks, .name(name, .controllerOrTable))
    case .showRequest(let name): self.init(.looks, .name(name, .controller))
    case .objects(let name): self.init(.looks, .name(name, .entity))
    case .caches, .stats: self.init(.looks)
    case .evaluate(let predicate, let value): self.init(.looks, .predicate(predicate, on: value))
    case .explain(let value): self.init(.looks, value.map { [.value($0)] } ?? [], store: .forValues)
    case .swift(let name): self.init(.looks, .name(name, .controllerOrEntity), store: .never)
    case .swiftStatement(let statement): self.init(.looks, statement.parts, store: .forValues)
    case .showModel: self.init(.looks, store: .never)
    }
  }
}

/// The kinds of statement, by the words that users know.
package enum StatementKind: String, Hashable, Sendable, CaseIterable {
  case entity
  case model
  case storeMemory = "store memory"
  case storeSQLite = "store sqlite"
  case save
  case rollback
  case reset
  case process
  case context
  case merge
  case mergeHistory = "merge history"
  case automerge
  case refresh
  case refreshAll = "refresh all"
  case undo
  case redo
  case insert
  case `let`
  case assign = "assignment"
  case update
  case importRows = "import"
  case delete
  case deleteMatching = "delete where"
  case batchInsert = "batch insert"
  case batchUpdate = "batch update"
  case batchDelete = "batch delete"
  case obtainIDs = "obtain permanent ids"
  case perform
  case `for`
  case `if`
  case `repeat`
  case include
  case `extension`
  case set
  case expect
  case `try`
  case request
  case storedRequest = "request stored"
  case controller
  case observer
  case fetch
  case count
  case change
  case delegate
  case ownDelegate = "delegate with callbacks"
  case `return`
  case deleteCache = "delete cache"
  case deleteCaches = "delete caches"
  case deleteHistory = "delete history"
  case table
  case suspend
  case resume
  case reload
  case trace
  case show
  case showRequest = "show request"
  case showModel = "show model"
  case objects
  case observe
  case print
  case caches
  case stats
  case history
  case evaluate
  case explain
  case swift
  case quirk

  package init(_ kind: Statement.Kind) {
    self =
      switch kind {
      case .entity: .entity
      case .model: .model
      case .storeMemory: .storeMemory
      case .storeSQLite: .storeSQLite
      case .save: .save
      case .rollback: .rollback
      case .reset: .reset
      case .process: .process
      case .context: .context
      case .merge: .merge
      case .mergeHistory: .mergeHistory
      case .automerge: .automerge
      case .refresh: .refresh
      case .refreshAll: .refreshAll
      case .undo: .undo
      case .redo: .redo
      case .insert: .insert
      case .let: .let
      case .assign: .assign
      case .update: .update
      case .importRows: .importRows
      case .delete: .delete
      case .deleteMatching: .deleteMatching
      case .batch(let batch): batch.kind
      case .obtainIDs: .obtainIDs
      case .perform: .perform
      case .for: .for
      case .if: .if
      case .repeat: .repeat
      case .include: .include
      case .extension: .extension
      case .set: .set
      case .expect: .expect
      case .try: .try
      case .request: .request
      case .storedRequest: .storedRequest
      case .controller: .controller
      case .observer: .observer
      case .fetch: .fetch
      case .count: .count
      case .change: .change
      case .delegate: .delegate
      case .ownDelegate: .ownDelegate
      case .return: .return
      case .deleteCache: .deleteCache
      case .deleteCaches: .deleteCaches
      case .deleteHistory: .deleteHistory
      case .table: .table
      case .suspend: .suspend
      case .resume: .resume
      case .reload: .reload
      case .trace: .trace
      case .show: .show
      case .showRequest: .showRequest
      case .showModel: .showModel
      case .objects: .objects
      case .observe: .observe
      case .print: .print
      case .caches: .caches
      case .stats: .stats
      case .history: .history
      case .evaluate: .evaluate
      case .explain: .explain
      case .swift, .swiftStatement: .swift
      case .quirk: .quirk
      }
  }
}

/// The parts and effects of a statement, as far as its text tells.
///
/// This is the only description of the statements. All code about kinds of statements uses it,
/// except the runner, which has a list of its own.
package struct StatementTraits: Sendable {
  package let effect: Effect
  /// The parts, in the order in which their names are looked up.
  package let parts: [StatementPart]
  /// Whether the statement reads objects, and so needs the store.
  ///
  /// Statements that contain others leave this to them.
  package let needsStore: Bool
  /// Whether the statement ends a turn.
  ///
  /// In loops and branches, each inner statement ends its own.
  package let endsTurn: Bool

  /// The effect of a statement on the session.
  package enum Effect: Equatable, Sendable {
    /// None, unless a value in it has an effect.
    case looks
    case defines
    case inserts
    /// Changes objects that are named in the statement.
    case changesObjects
    /// Changes the objects of a request.
    case changesMatches
    case saves
    case rollsBack
    case resets
    case undoes
    case redoes
    case fetches
    /// Gives a controller another request.
    case changesRequest
    /// Removes the delegate of a controller.
    case stopsTracking
    case suspends
    case resumes
    /// Runs other statements.
    case runs
    /// Changes something else.
    case changes
  }

  /// When a statement needs the store.
  enum StoreUse { case always, never, forValues }

  init(
    _ effect: Effect, _ parts: [StatementPart], store: StoreUse = .always, endsTurn: Bool = true
  ) {
    self.effect = effect
    self.parts = parts
    needsStore =
      switch store {
      case .always: true
      case .never: false
      case .forValues: parts.contains { $0.values.contains(where: \.looksAtObjects) }
      }
    self.endsTurn = endsTurn
  }

  init(_ effect: Effect, _ parts: StatementPart?..., store: StoreUse = .always) {
    self.init(effect, parts.compactMap(\.self), store: store)
  }

  init(defining definition: StatementPart.Definition) {
    let store: StoreUse =
      switch definition {
      case .controller, .observer: .always
      case .variable: .forValues
      case .entity, .model, .context, .request, .storedRequest, .table: .never
      }
    self.init(.defines, [.definition(definition)], store: store)
  }

  /// Describes a statement whose parts end turns of their own.
  init(turnsOf parts: StatementPart...) {
    self.init(.runs, parts, store: .forValues, endsTurn: false)
  }
}

extension StatementTraits {
  /// Whether the statement certainly changes nothing in a session.
  package var onlyLooks: Bool {
    // A `try` discards its statement's error, and has no other effect.
    if case .attempt(let statement)? = parts.first { return statement.traits.onlyLooks }
    return effect == .looks && !parts.contains { $0.values.contains(where: \.mayChange) }
  }

  /// The names that the statement defines, without those that inner statements define.
  package var definitions: [StatementPart.Definition] {
    parts.compactMap { if case .definition(let definition) = $0 { definition } else { nil } }
  }

  /// The name of the controller, table or context that the statement is about.
  package var subject: Name? {
    switch parts.first {
    case .name(let name, _), .clauses(_, of: let name): name
    case .value, .target, .request, .update, .insert, .predicate, .definition, .file, .block,
      .scope, .callback, .hook, .attempt, nil:
      nil
    }
  }
}
