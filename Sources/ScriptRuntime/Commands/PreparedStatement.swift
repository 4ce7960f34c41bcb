import FetchedResults
import ScriptSyntax

/// A statement in the form in which it runs.
///
/// The parts that a loop repeats are prepared once.
final class PreparedStatement {
  let statement: Statement
  let range: Range<Int>
  let endsTurn: Bool
  let needsStore: Bool
  let work: Work

  /// The action of a statement.
  enum Work {
    case define(slot: Int, PreparedExpression)
    case assign(PreparedTarget)
    case insert(PreparedInsert)
    case print(PreparedExpression)
    case expect(PreparedCondition)
    case perform(on: Name?, isStepping: Bool, PreparedBlock)
    case `for`(PreparedLoop)
    case `if`(PreparedExpression, then: PreparedBlock, otherwise: PreparedBlock)
    case `repeat`(PreparedExpression, PreparedBlock)
    case `try`(PreparedStatement)
    /// A statement that is rarely in a loop, and so has no prepared form.
    case other
  }

  init(_ statement: Statement, _ variables: VariableTable) {
    self.statement = statement
    range = statement.range
    endsTurn = statement.traits.endsTurn
    needsStore = statement.traits.needsStore
    work = Work(of: statement, variables)
  }
}

/// A sequence of statements, each of which is prepared before its first run.
final class PreparedBlock {
  private let syntax: [Statement]
  private let variables: VariableTable
  private var prepared: ContiguousArray<PreparedStatement> = []

  init(_ syntax: [Statement], _ variables: VariableTable) {
    self.syntax = syntax
    self.variables = variables
  }

  var count: Int { syntax.count }

  /// Returns a statement in its prepared form.
  func statement(at index: Int) -> PreparedStatement {
    if index < prepared.count { return prepared[index] }
    let statement = PreparedStatement(syntax[index], variables)
    if index == prepared.count { prepared.append(statement) }
    return statement
  }
}

/// `for i in 1...3 { … }`.
final class PreparedLoop {
  let name: Name
  let slot: Int
  let sequence: PreparedExpression
  let body: PreparedBlock

  init(
    _ name: Name, _ sequence: ExpressionSyntax, _ body: [Statement], _ variables: VariableTable
  ) {
    self.name = name
    slot = variables.slot(of: name.text)
    self.sequence = PreparedExpression(sequence, variables)
    self.body = PreparedBlock(body, variables)
  }
}

/// `dune.pages += 10`.
final class PreparedTarget {
  let range: Range<Int>
  /// The object and its property; nil for a target that cannot be assigned.
  let member: (owner: PreparedExpression, name: Name)?
  let sign: Statement.AssignmentOperator
  let value: PreparedExpression

  init(
    _ target: ExpressionSyntax, _ sign: Statement.AssignmentOperator, _ value: ExpressionSyntax,
    _ variables: VariableTable
  ) {
    range = target.range
    self.sign = sign
    self.value = PreparedExpression(value, variables)
    if case .member(let owner, let name) = target.kind {
      member = (PreparedExpression(owner, variables), name)
    } else {
      member = nil
    }
  }
}

/// The condition of an `expect`.
final class PreparedCondition {
  let range: Range<Int>
  let form: Form

  enum Form {
    case truth(PreparedExpression)
    case comparison(
      PreparedExpression, ExpressionSyntax.BinaryOperator, PreparedExpression)
  }

  init(_ condition: ExpressionSyntax, _ variables: VariableTable) {
    range = condition.range
    if case .binary(let left, let sign, let right) = condition.kind, sign.isComparison {
      form = .comparison(
        PreparedExpression(left, variables), sign, PreparedExpression(right, variables))
    } else {
      form = .truth(PreparedExpression(condition, variables))
    }
  }
}

extension PreparedStatement.Work {
  fileprivate init(of statement: Statement, _ variables: VariableTable) {
    func block(_ statements: [Statement]) -> PreparedBlock {
      PreparedBlock(statements, variables)
    }
    switch statement.kind {
    case .let(let name, let value):
      self = .define(slot: variables.slot(of: name.text), PreparedExpression(value, variables))
    case .assign(let target, let sign, let value):
      self = .assign(PreparedTarget(target, sign, value, variables))
    case .insert(let insert): self = .insert(PreparedInsert(insert, variables))
    case .print(let value): self = .print(PreparedExpression(value, variables))
    case .expect(let condition): self = .expect(PreparedCondition(condition, variables))
    case .perform(let context, let isStepping, let body):
      self = .perform(on: context, isStepping: isStepping, block(body))
    case .for(let name, in: let sequence, let body):
      self = .for(PreparedLoop(name, sequence, body, variables))
    case .if(let condition, let then, let otherwise):
      self = .if(
        PreparedExpression(condition, variables), then: block(then), otherwise: block(otherwise))
    case .repeat(let count, let body):
      self = .repeat(PreparedExpression(count, variables), block(body))
    case .try(let statement): self = .try(PreparedStatement(statement, variables))
    case .include, .extension, .entity, .model, .storeMemory, .storeSQLite, .save, .rollback,
      .reset, .process, .context, .merge, .mergeHistory, .automerge, .observe, .refresh,
      .refreshAll, .undo, .redo, .update, .importRows, .delete, .deleteMatching, .batch, .obtainIDs,
      .set, .request, .storedRequest, .controller, .fetch, .count, .change, .delegate,
      .ownDelegate, .return, .deleteCache, .deleteCaches, .deleteHistory, .history, .table,
      .suspend, .resume, .reload, .trace, .show, .showRequest, .showModel, .objects, .caches,
      .stats, .evaluate, .explain, .swift, .swiftStatement, .quirk:
      self = .other
    }
  }
}

/// Runs prepared statements.
protocol PreparedStatementRunner: StatementRunner {
  func execute(_ statement: PreparedStatement) throws(ScriptError)

  func execute(_ block: PreparedBlock) throws(ScriptError)
}
