/// A part of a statement, and what it is there.
package indirect enum StatementPart: Sendable {
  case value(ExpressionSyntax)
  /// What `delete` removes: a value, or the name of a request.
  case target(ExpressionSyntax)
  /// A name that must have such a meaning.
  case name(Name, NameUse)
  case request(RequestSyntax)
  /// What `change` gives the request of a controller.
  case clauses(RequestClauses, of: Name)
  /// What `update` gives the objects of a request.
  case update(RequestSyntax, [AttributeAssignment])
  case insert(InsertSyntax)
  case predicate(EmbeddedPredicate, on: ExpressionSyntax)
  case definition(Definition)
  /// The path of a file whose statements run here.
  case file(ExpressionSyntax)
  /// Statements whose variables stay in sight.
  case block([Statement])
  /// Statements with variables of their own, and those that they begin with.
  case scope([Statement], [LocalVariable])
  case callback(CallbackSyntax, of: Name)
  /// A hook of an entity, whose statements run later.
  case hook(HookSyntax, of: Name)
  /// A statement that may fail.
  case attempt(Statement)

  /// The name of a context, if there is one.
  static func context(_ name: Name?) -> StatementPart? { name.map { .name($0, .context) } }

  /// What a name must mean.
  package enum NameUse: Hashable, Sendable {
    case entity
    case context
    /// A context, or the last batch request.
    case mergeSource
    case controller
    case table
    case controllerOrTable
    case controllerOrEntity
  }

  /// What a statement gives a name to.
  package enum Definition: Sendable {
    case entity(EntityDeclaration)
    /// The entities and the requests of a model in a file.
    case model(ExpressionSyntax, version: ExpressionSyntax?)
    case context(ContextDeclaration)
    case variable(Name, ExpressionSyntax)
    case request(Name, RequestSyntax)
    /// A request that a model has.
    case storedRequest(Name, ExpressionSyntax)
    case controller(Name, RequestSyntax)
    /// A table of a controller.
    case table(Name, of: Name)
  }
}

extension StatementPart {
  /// The statements that the part has.
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

  /// The values that are computed for the part, those of its statements aside.
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
