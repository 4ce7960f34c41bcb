/// One parsed statement.
///
/// Ranges count UTF-8 bytes from the start of the source.
package struct Statement: Hashable, Sendable {
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

  package func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(range)
  }
}

/// One callback of a custom delegate.
package struct CallbackSyntax: Hashable, Sendable {
  package var callback: Callback
  /// The name of the callback's argument, as in `sectionIndexTitle name`.
  package var parameter: Name?
  package var body: [Statement]
  package var range: Range<Int>

  package init(callback: Callback, parameter: Name?, body: [Statement], range: Range<Int>) {
    self.callback = callback
    self.parameter = parameter
    self.body = body
    self.range = range
  }

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
  /// The number of objects; nil if the statement does not contain one.
  package var count: ExpressionSyntax?
  package var entity: Name
  package var values: [AttributeAssignment]

  package init(count: ExpressionSyntax?, entity: Name, values: [AttributeAssignment]) {
    self.count = count
    self.entity = entity
    self.values = values
  }
}

/// An attribute's new value: `title: "Dune"` of an insert, `pages = pages + 1` of an update.
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
