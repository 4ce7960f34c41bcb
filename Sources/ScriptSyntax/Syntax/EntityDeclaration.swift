import Basics

/// `entity Book { title: String … }`.
package struct EntityDeclaration: Equatable, Sendable {
  package var name: Name
  package var isAbstract: Bool
  package var parent: Name?
  package var properties: [PropertyDeclaration]
  /// The attribute named by `display`.
  package var display: Name?
  /// The attributes of each `unique`.
  package var uniqueness: [[Name]] = []
  /// The lines that begin with `index`.
  package var indexes: [IndexDeclaration] = []
  package var hooks: [HookSyntax] = []
  /// The name of the entity in older files.
  package var formerName: Name?
}

/// `index byTitle (title, pages desc)`.
package struct IndexDeclaration: Equatable, Sendable {
  package var name: Name
  package var keys: [Key]

  /// A property in the index.
  package struct Key: Equatable, Sendable {
    package var name: Name
    package var isAscending: Bool
  }
}

/// `price: Double? = 1.5`, `books: [Book] inverse author on delete nullify`.
package struct PropertyDeclaration: Equatable, Sendable {
  package var name: Name
  /// The name of the type: an attribute type, or an entity.
  package var type: Name
  package var isOptional: Bool
  /// Whether the type is in brackets, which makes a to-many relationship.
  package var isToMany: Bool
  package var isTransient: Bool
  /// Whether the value is computed at each save.
  package var isDerived = false
  /// The value after `=`: a default, or the expression of a derived attribute.
  package var value: ExpressionSyntax?
  package var inverse: Name?
  package var deleteRule: Name?
  /// Whether the relationship is `ordered`.
  package var isOrdered = false
  /// Whether the attribute is `external`.
  package var isExternal = false
  /// Whether the attribute is `indexed`.
  package var isIndexed = false
  /// The name of the property in older files.
  package var formerName: Name?
  /// The value after `min`.
  package var minimum: ExpressionSyntax?
  /// The value after `max`.
  package var maximum: ExpressionSyntax?
  /// The value after `matching`.
  package var pattern: ExpressionSyntax?
}

extension EntityDeclaration {
  /// The names of the attribute types.
  package static let attributeTypes = [
    "Bool", "Data", "Date", "Decimal", "Double", "Float", "Int", "Int16", "Int32", "Int64",
    "String", "URI", "UUID",
  ]

  /// Returns the attribute type that was probably meant by a name: the type that Xcode, Swift or
  /// SQL call so, or the one with the nearest name.
  package static func attributeType(meantBy name: String) -> String? {
    ForeignWord.attributeType(for: name) ?? nearestName(to: name, among: attributeTypes)
  }

  /// The words after `on delete`.
  package static let deleteRules = ["cascade", "deny", "noAction", "nullify"]
}

/// `context bg`, `context edit parent main policy objectTrump`.
package struct ContextDeclaration: Equatable, Sendable {
  package var name: Name
  package var parent: Name?
  /// One of ``mergePolicies``.
  package var policy: Name?

  /// The words after `policy`.
  package static let mergePolicies = [
    "error", "objectTrump", "overwrite", "rollback", "storeTrump",
  ]
}

/// A hook, such as `on willSave { … }`: statements that run at a moment in the life of an entity's
/// objects.
package struct HookSyntax: Equatable, Sendable {
  package var hook: Hook
  package var body: [Statement]
  package var range: Range<Int>

  /// The hooks; the raw value is the word in a script.
  package enum Hook: String, Hashable, Sendable, CaseIterable {
    case awakeFromInsert
    case awakeFromFetch
    case willSave
    case didSave
    case prepareForDeletion
    case validateForDelete

    /// Whether the hook returns a value.
    package var givesValue: Bool { self == .validateForDelete }
  }
}

extension HookSyntax {
  /// The name of the variable for the object that runs the hook.
  package static let object = "self"

  /// Returns the variables in a hook of an entity.
  package static func locals(ofEntity entity: String) -> [LocalVariable] {
    [LocalVariable(object, .entityObject(entity))]
  }
}

extension Statement {
  /// Whether the statement may run while a row is read, in `awakeFromFetch`.
  ///
  /// It may not fetch other rows, and may not delete or save.
  package var mayRunWhileReading: Bool {
    switch traits.effect {
    case .looks, .defines, .changesObjects, .runs: break
    case .inserts, .changesMatches, .saves, .rollsBack, .resets, .undoes, .redoes, .fetches,
      .changesRequest, .stopsTracking, .suspends, .resumes, .changes:
      return false
    }
    return traits.parts.allSatisfy { part in
      switch part {
      case .value, .block, .scope, .attempt, .definition(.variable):
        !part.values.contains { $0.asksForRows }
      case .target, .name, .request, .clauses, .update, .insert, .predicate, .definition, .file,
        .callback, .hook:
        false
      }
    }
  }
}

extension ExpressionSyntax {
  /// Whether computing the value fetches or inserts.
  fileprivate var asksForRows: Bool {
    contains {
      switch $0 {
      case .count, .insert, .fetch: true
      case .null, .boolean, .integer, .real, .string, .date, .object, .list, .range, .name,
        .variable, .member, .index, .call, .methodCall, .negation, .not, .binary:
        false
      }
    }
  }
}

/// The options for the store in a `store` statement.
package struct StoreOptions: Equatable, Sendable {
  /// Whether the file and all files next to it must stay unchanged.
  package var isReadOnly = false
  /// Whether each save is recorded in the store's history.
  package var tracksHistory = false
  /// Whether saves of other processes are reported.
  package var tellsRemoteChanges = false

  /// Whether a migration may drop data that a newer model has no place for.
  package var migrates = false

  package init() {}

  /// The words of the options, in the order of the normal form.
  package static let words: [(word: String, option: any WritableKeyPath<Self, Bool> & Sendable)] = [
    ("readonly", \.isReadOnly), ("history", \.tracksHistory),
    ("remoteChanges", \.tellsRemoteChanges), ("migrate", \.migrates),
  ]

  /// The given options, as a script writes them.
  package var text: String {
    Self.words.filter { self[keyPath: $0.option] }.map { " " + $0.word }.joined()
  }
}

/// The text after `table view = books`.
package enum TableSyntax: Equatable, Sendable {
  /// Nothing follows: the template's reactions are used.
  case template
  case reload
  case reactions([TableReactionSyntax])

  /// The words that may follow.
  static let words = ["reload"]
}

/// One line of a table's block: `move deleteRows insertRows`.
package struct TableReactionSyntax: Equatable, Sendable {
  package var change: Change
  package var reactions: [Reaction]
  package var range: Range<Int>

  /// A change that a controller reports; the raw value is the word in a script.
  package enum Change: String, Hashable, Sendable, CaseIterable {
    case insert
    case delete
    case update
    case move
    case sectionInsert
    case sectionDelete

    /// The possible reactions to the change.
    package var reactions: [Reaction] {
      switch self {
      case .insert, .delete: Reaction.allCases.filter { !$0.isOfSection && $0 != .moveRow }
      case .update, .move: Reaction.allCases.filter { !$0.isOfSection }
      case .sectionInsert, .sectionDelete:
        [.insertSections, .deleteSections, .reloadData, .nothing]
      }
    }
  }

  /// A reaction of a table's controller; the raw value is the word in a script.
  package enum Reaction: String, Hashable, Sendable, CaseIterable {
    case insertRows
    case deleteRows
    case reloadRows
    case moveRow
    case configureCell
    case configureCellWithObject
    case insertSections
    case deleteSections
    case reloadData
    case nothing

    fileprivate var isOfSection: Bool { self == .insertSections || self == .deleteSections }
  }
}
