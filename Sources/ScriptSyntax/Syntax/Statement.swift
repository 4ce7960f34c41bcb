/// One parsed statement.
///
/// Ranges count UTF-8 bytes from the start of the source.
package struct Statement: Hashable, Sendable {
  package let kind: Kind
  /// From the statement's first word to its last token, without a comment.
  package let range: Range<Int>
  /// What the statement is made of and does, which follows from its kind.
  package let traits: StatementTraits

  package init(_ kind: Kind, range: Range<Int>) {
    self.kind = kind
    self.range = range
    traits = StatementTraits(of: kind)
  }

  package indirect enum Kind: Hashable, Sendable {
    // Model and store
    case entity(EntityDeclaration)
    /// `model "Library.xcdatamodeld" version "Library 2"`.
    case model(ExpressionSyntax, version: ExpressionSyntax?)
    /// `store memory`.
    case storeMemory
    /// `store sqlite "library.sqlite" readonly`.
    case storeSQLite(ExpressionSyntax, isReadOnly: Bool)
    /// `save`, `save bg`; without a name, the context is the enclosing one.
    case save(Name?)
    case rollback(Name?)
    case reset(Name?)
    /// `process`: processPendingChanges.
    case process

    // Contexts
    /// `context edit parent main`.
    case context(ContextDeclaration)
    /// `merge bg into main`.
    case merge(Name, into: Name)
    /// `automerge main on`.
    case automerge(Name, isOn: Bool)
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
    /// `delete Book where …`; also `delete Book`, every one.
    case deleteMatching(RequestSyntax)

    // Control
    /// `perform { … }`, `perform bg { … }`, `perform stepping { … }`.
    case perform(Name?, isStepping: Bool, [Statement])
    case `for`(Name, in: ExpressionSyntax, [Statement])
    case `if`(ExpressionSyntax, then: [Statement], else: [Statement])
    case `repeat`(ExpressionSyntax, [Statement])
    case include(ExpressionSyntax)
    case set(Setting, ExpressionSyntax)
    case expect(ExpressionSyntax)
    case `try`(Statement)

    // Requests and controllers
    case request(Name, RequestSyntax)
    /// `request r = stored "Name"`: one that a model holds.
    case storedRequest(Name, ExpressionSyntax)
    case controller(Name, RequestSyntax)
    /// `fetch books`, or an ad-hoc `fetch Book where …`. Which of the two is
    /// known only when names have a meaning: without clauses it may be either.
    case fetch(RequestSyntax)
    case count(RequestSyntax)
    case change(Name, RequestClauses)
    case delegate(Name, DelegateMode)
    /// `delegate books { didChangeObject { … } }`: one of the user's own.
    case ownDelegate(Name, [CallbackSyntax])
    /// `return EXPRESSION`, in a callback that gives a value.
    case `return`(ExpressionSyntax)
    /// `delete cache "Demo"`.
    case deleteCache(ExpressionSyntax)
    /// `delete caches`.
    case deleteCaches

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
    /// `evaluate PREDICATE on OBJECT`.
    case evaluate(EmbeddedPredicate, on: ExpressionSyntax)
    /// `explain`, `explain Book/3`.
    case explain(ExpressionSyntax?)
    /// `swift books`, `swift Book`.
    case swift(Name)
    /// `quirk samePathMove on`.
    case quirk(Quirk, isOn: Bool)
  }

  package enum AssignmentOperator: String, Hashable, Sendable {
    case set = "="
    case add = "+="
    case subtract = "-="
  }

  /// What `set` sets.
  package enum Setting: String, Hashable, Sendable, CaseIterable {
    case clock
    case locale
    /// The merge policy of the enclosing context.
    case policy
    /// Whether the store's statements are printed.
    case sql
    /// Whose rules for nil a store in a file keeps to.
    case nilRule = "nil"
  }

  /// What older versions of Apple's controller did, by its word in a script.
  package enum Quirk: String, Hashable, Sendable, CaseIterable {
    case samePathMove
    case updateAndMove
    case sectionChangeAsUpdate
  }

  /// What stands behind `delegate books`.
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
  /// The statements in the statement's blocks; those of a file that it includes are
  /// not among them.
  package var inner: [Statement] { traits.parts.flatMap(\.statements) }

  package static func == (left: Statement, right: Statement) -> Bool {
    left.kind == right.kind && left.range == right.range
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(range)
  }
}

/// One callback of a delegate of the user's own.
package struct CallbackSyntax: Hashable, Sendable {
  package var callback: Callback
  /// The name that the callback's argument gets, for `sectionIndexTitle name`.
  package var parameter: Name?
  package var body: [Statement]
  package var range: Range<Int>

  package init(callback: Callback, parameter: Name?, body: [Statement], range: Range<Int>) {
    self.callback = callback
    self.parameter = parameter
    self.body = body
    self.range = range
  }

  /// The callbacks that there are; the raw value is the word in a script.
  package enum Callback: String, Hashable, Sendable, CaseIterable {
    case willChangeContent
    case didChangeObject
    case didChangeSection
    case didChangeContent
    case sectionIndexTitle
  }
}

/// An identifier and its place.
package struct Name: Hashable, Sendable {
  package var text: String
  package var range: Range<Int>

  package init(_ text: String, range: Range<Int>) {
    self.text = text
    self.range = range
  }
}

/// `insert 1000 Book(title: "Book \(i)")`.
package struct InsertSyntax: Hashable, Sendable {
  /// How many, where the statement says so.
  package var count: ExpressionSyntax?
  package var entity: Name
  package var values: [AttributeAssignment]

  package init(count: ExpressionSyntax?, entity: Name, values: [AttributeAssignment]) {
    self.count = count
    self.entity = entity
    self.values = values
  }
}

/// `title: "Dune"` of an insert, `pages = pages + 1` of an update.
package struct AttributeAssignment: Hashable, Sendable {
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
