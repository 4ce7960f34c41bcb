import FetchedResults
import ScriptSyntax

/// Statements that contain others: turns, loops, conditions, included files.
struct BlockCommands: SessionCommand {
  let parts: SessionParts
  private var looking: LookingCommands { LookingCommands(parts: parts) }

  /// The largest number of files that include one another.
  private static var deepestInclude: Int { 64 }

  // MARK: Turns

  /// `perform { … }`, `perform bg { … }`: runs the block as one turn, in the named context if there
  /// is one.
  func perform(
    _ body: PreparedBlock, on name: Name?, _ range: Range<Int>,
    _ runner: some PreparedStatementRunner
  ) throws(ScriptError) {
    guard let name else { return try runInTurn(body, runner) }
    let context = try names.context(name)
    try session.on(context) { () throws(ScriptError) in
      do throws(ScriptError) {
        try runInTurn(body, runner)
      } catch {
        if error.kind != .interrupted { turns.process([context], range) }
        throw error
      }
      turns.process([context], range)
    }
  }

  private func runInTurn(
    _ body: PreparedBlock, _ runner: some PreparedStatementRunner
  ) throws(ScriptError) {
    frames.enterTurn()
    defer { frames.leaveTurn() }
    try runner.execute(body)
  }

  /// `perform stepping { … }`: runs the block as one turn, and shows its tables after each
  /// callback.
  func performStepping(
    _ body: PreparedBlock, on name: Name?, _ range: Range<Int>,
    _ runner: some PreparedStatementRunner
  ) throws(ScriptError) {
    guard events.stepper == nil else { return try perform(body, on: name, range, runner) }
    events.beginStepping(
      Stepper(
        show: { [looking] in looking.showStep(of: $0) },
        awaitKey: { [environment] in environment.awaitStep($0) }))
    defer { events.endStepping() }
    do throws(ScriptError) {
      try perform(body, on: name, range, runner)
    } catch {
      if error.kind != .interrupted { turns.processIfOver(range) }
      throw error
    }
    turns.processIfOver(range)
  }

  // MARK: Loops and conditions

  /// Evaluates the condition or the values at the head of a block.
  ///
  /// Its changes are a turn of their own.
  private func evaluateHead(_ expression: PreparedExpression) throws(ScriptError) -> PlacedValue {
    let value: ScriptValue
    do {
      value = try evaluator.evaluate(expression)
    } catch {
      if error.kind == .interrupted {
        turns.revert(expression.range)
      } else {
        turns.end(expression.range)
      }
      turns.forgetKeptError()
      throw error
    }
    turns.end(expression.range)
    try turns.throwKeptError()
    try turns.throwCutShort(expression.range)
    return PlacedValue(value: value, range: expression.range)
  }

  /// `if dune.pages > 400 { … }`: returns whether the first branch runs.
  func chooses(_ condition: PreparedExpression) throws(ScriptError) -> Bool {
    try evaluator.truth(of: evaluateHead(condition))
  }

  /// `for i in 1...3 { … }`.
  func run(
    _ loop: PreparedLoop, _ runner: some PreparedStatementRunner
  ) throws(ScriptError) {
    let sequence = loop.sequence
    switch try evaluateHead(sequence).value {
    case .range(let range):
      range.length.map(steps.progress.expect)
      var number = range.lowerBound
      while number < range.upperBound {
        try iterate(loop, .value(.int(number)), runner)
        number += 1
      }
    case .value(.list(let values)): try iterate(loop, over: values, runner)
    case .fetchedObjects(let binding), .controller(let binding):
      guard let objects = binding.fetchedObjects else {
        throw frames.failure(.controller(.notFetched(binding.name)), sequence.range)
      }
      // The body may change the results, so the loop uses a copy of them.
      let entity = binding.controller.fetchRequest.entity
      let ids = objects.numbers.map { ObjectID(entity: entity, number: $0) }
      func row(_ id: ObjectID) -> PropertyValue {
        .object(session.context.object(id.number, in: entity.root)?.objectID ?? id)
      }
      // Only new objects can get other numbers, and a list of all others would take memory.
      if session.contexts.contains(where: { $0.context.hasNewObject(among: ids) }) {
        return try iterate(loop, over: ids.map(PropertyValue.object), runner) { value in
          value.objectID.map(row) ?? value
        }
      }
      for id in ids { try iterate(loop, .value(row(id)), runner) }
    case .sections(let binding):
      for section in Array(try names.sections(of: binding, sequence.range)) {
        try iterate(loop, .section(binding, section), runner)
      }
    case let other:
      throw frames.failure(.needed("a list or a range", found: other.kind), sequence.range)
    }
  }

  /// Runs the body for each value of a list.
  ///
  /// The body may read, which can give new objects in the rest of the list other numbers.
  ///
  /// - Parameter value: Returns what the loop's variable is for a value.
  private func iterate(
    _ loop: PreparedLoop, over values: [PropertyValue], _ runner: some PreparedStatementRunner,
    as value: (PropertyValue) -> PropertyValue = { $0 }
  ) throws(ScriptError) {
    let place = session.heldValues.count
    session.heldValues.append(.list(values))
    defer { session.heldValues.removeSubrange(place...) }
    for index in values.indices {
      guard case .list(let now) = session.heldValues[place] else { return }
      try iterate(loop, .value(value(now[index])), runner)
    }
  }

  private func iterate(
    _ loop: PreparedLoop, _ value: ScriptValue, _ runner: some PreparedStatementRunner
  ) throws(ScriptError) {
    try steps.count(at: loop.name.range)
    let variables = frames.variables
    variables.pushScope()
    defer { variables.popScope() }
    variables.set(loop.slot, to: value)
    try runner.execute(loop.body)
  }

  /// `repeat 10 { … }`.
  func repeats(
    _ count: PreparedExpression, _ body: PreparedBlock, _ runner: some PreparedStatementRunner
  ) throws(ScriptError) {
    var rest = try evaluator.integer(evaluateHead(count))
    steps.progress.expect(Int(clamping: rest))
    while rest > 0 {
      rest -= 1
      try steps.count(at: count.range)
      frames.pushScope()
      defer { frames.popScope() }
      try runner.execute(body)
    }
  }

  // MARK: Others

  /// `include "setup.frc"`: runs the statements of another file in this session, or with `alone` in
  /// a session of its own.
  func include(
    _ path: ExpressionSyntax, isAlone: Bool, _ range: Range<Int>,
    _ runner: some PreparedStatementRunner
  ) throws(ScriptError) {
    let script = try script(path, range)
    frames.enterInclude()
    defer { frames.leaveInclude() }
    try isAlone ? runner.runAlone(script, includedBy: frames.top.includers) : runner.run(script)
  }

  private func script(
    _ path: ExpressionSyntax, _ range: Range<Int>
  ) throws(ScriptError) -> ParsedScript {
    let name = try evaluator.string(path)
    let text: SourceText
    do {
      text = try environment.source(at: name, from: frames.source.name)
    } catch {
      throw frames.failure(.file(.include(path: name, reason: error.reason)), path.range)
    }
    let includers = frames.top.includers
    guard text.name != frames.source.name, !includers.contains(text.name) else {
      throw frames.failure(.file(.includesItself(path: name)), path.range)
    }
    guard includers.count < Self.deepestInclude else {
      throw frames.failure(.file(.includeTooDeep), range)
    }
    let script = ScriptParser.parse(text)
    if let first = script.diagnostics.first(where: { $0.severity == .error }) {
      let problem: FileProblem =
        text.isQuotable ? .includeHasErrors(path: name, first) : .includeIsNoScript(path: name)
      throw ScriptError(.file(problem), range: first.range, source: text)
    }
    return script
  }

  /// `try STATEMENT`: reports an error as an event.
  func attempt(
    _ statement: PreparedStatement, _ runner: some PreparedStatementRunner
  ) throws(ScriptError) {
    do {
      try runner.execute(statement)
    } catch {
      if error.kind == .interrupted || frames.top.returnValue != nil { throw error }
      if case .stepLimit = error.kind { throw error }
      events.emit(.error(error.diagnostic, in: error.source))
    }
  }

  /// `return EXPRESSION`: ends the callback.
  func endCallback(_ value: ExpressionSyntax, _ range: Range<Int>) throws(ScriptError) {
    guard frames.isInCallback else { throw frames.failure(.returnOutsideCallback, range) }
    frames.returnValue(try evaluator.scalar(value))
    throw frames.failure(.returnOutsideCallback, range)
  }
}
