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
  package enum NameUse: Hashable, Sendable {
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
  var values: [ExpressionSyntax] {
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
  fileprivate var values: [ExpressionSyntax] {
    switch self {
    case .entity(let declaration):
      declaration.properties.flatMap { property in
        [property.value, property.minimum, property.maximum, property.pattern].compactMap(\.self)
      }
    case .model(let path, let version): [path, version].compactMap(\.self)
    case .variable(_, let value): [value]
    case .request(_, let request), .controller(_, let request): request.clauses.values
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
