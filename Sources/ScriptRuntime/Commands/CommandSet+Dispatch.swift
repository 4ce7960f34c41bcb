import FetchedResults
import ScriptSyntax

extension CommandSet {
  /// Runs a statement.
  ///
  /// This is the only list of which command runs each statement.
  ///
  /// - Parameter runner: Runs the statements inside the statement.
  func perform(
    _ prepared: PreparedStatement, _ runner: some PreparedStatementRunner
  ) throws(ScriptError) {
    try frames.refuseWhileReading(prepared.statement)
    if prepared.needsStore { try stores.openIfAwaited(for: prepared.range) }
    let range = prepared.range
    switch prepared.work {
    case .define(let slot, let value): try objects.define(slot, as: value)
    case .assign(let target): try objects.assign(target)
    case .insert(let insert): _ = try insertion.insert(insert, range, isWanted: false)
    case .print(let value):
      try looking.show(valueOf: value, keepsResult: prepared.statement.keepsResult)
    case .expect(let condition): try expectations.expect(condition)
    case .perform(let context, false, let body):
      try blocks.perform(body, on: context, range, runner)
    case .perform(let context, true, let body):
      try blocks.performStepping(body, on: context, range, runner)
    case .for(let loop): try blocks.run(loop, runner)
    case .if(let condition, let then, let otherwise):
      try runner.execute(try blocks.chooses(condition) ? then : otherwise)
    case .repeat(let count, let body): try blocks.repeats(count, body, runner)
    case .try(let statement): try blocks.attempt(statement, runner)
    case .other: try performOther(prepared.statement, runner)
    }
  }

  /// Runs a statement that has no prepared form.
  ///
  /// This is a separate function because its stack frame is large, and statements may be deeply
  /// nested.
  private func performOther(
    _ statement: Statement, _ runner: some PreparedStatementRunner
  ) throws(ScriptError) {
    if case .include(let path, let isAlone) = statement.kind {
      return try blocks.include(path, isAlone: isAlone, statement.range, runner)
    }
    if case .extension(let author, let body) = statement.kind {
      return try history.runExtension(author, body, statement.range, runner)
    }
    try performAlone(statement)
  }

  private func performAlone(_ statement: Statement) throws(ScriptError) {
    let range = statement.range
    switch statement.kind {
    case .entity(let declaration): try entities.define(declaration)
    case .model(let path, let version): try models.define(path, version: version)
    case .storeMemory(let options): try stores.useMemory(options, range)
    case .storeSQLite(let path, let options): try stores.use(path, options)
    case .save(let context): try contexts.save(context, range)
    case .rollback(let context): try contexts.rollback(context)
    case .reset(let context): try contexts.reset(context)
    case .process:
      session.note(.process([session.context]))
      session.context.process()
    case .context(let declaration): try contexts.define(declaration)
    case .merge(let source, into: let target): try contexts.merge(source, into: target)
    case .mergeHistory(let author, into: let target): try history.merge(by: author, into: target)
    case .automerge(let context, let isOn): try contexts.automerge(context, isOn: isOn)
    case .observe(let context, let isOn): try contexts.observe(context, isOn: isOn)
    case .refresh(let target, let isMerging): try contexts.refresh(target, isMerging: isMerging)
    case .refreshAll:
      session.note(.refreshAll)
      session.context.refreshAllObjects()
    case .undo: contexts.undo()
    case .redo: contexts.redo()
    case .importRows(let path, into: let name): try imports.importRows(path, into: name)
    case .obtainIDs(let target): try objects.obtainIDs(of: target, range)
    case .update(let request, let assignments): try objects.update(request, assignments)
    case .delete(let target): try objects.delete(target)
    case .deleteMatching(let request): try objects.deleteMatching(request)
    case .batch(let batch): try batches.run(batch, range)
    case .let, .assign, .insert, .print, .expect, .perform, .for, .if, .repeat, .include,
      .extension, .try:
      break
    case .set(let setting, let value): try settings.set(setting, value)
    case .quirk(let quirk, let isOn): settings.set(quirk, isOn: isOn)
    case .request(let name, let request): try requests.define(name, as: request)
    case .storedRequest(let name, let stored): try requests.define(name, asStored: stored)
    case .fetch(let request):
      try requests.fetch(request, keepsResult: statement.keepsResult)
    case .count(let request): try requests.count(request)
    case .controller(let name, let request): try controllers.define(name, as: request)
    case .change(let name, let clauses): try controllers.change(name, clauses)
    case .delegate(let name, let mode): try delegates.set(name, to: mode)
    case .ownDelegate(let name, let callbacks): try delegates.set(name, to: callbacks)
    case .return(let value): try blocks.endCallback(value, range)
    case .deleteCache(let name): try caches.delete(name)
    case .deleteCaches: try caches.deleteAll(range)
    case .deleteHistory(let number): try history.delete(before: number, range)
    case .history(let author, let number): try history.show(by: author, after: number, range)
    case .table(let name, let controller, let mode):
      try tables.define(name, of: controller, as: mode)
    case .suspend(let name): try tables.suspend(name)
    case .resume(let name): try tables.resume(name)
    case .reload(let name): try tables.reload(name)
    case .trace(let name, let isOn): try tables.trace(name, isOn: isOn)
    case .show(let name): try looking.show(name)
    case .showRequest(let name): try looking.showRequest(name)
    case .objects(let entity): try looking.showObjects(entity)
    case .showModel: models.showModel()
    case .caches: caches.show()
    case .stats: statistics.show()
    case .evaluate(let predicate, on: let object): try predicates.evaluate(predicate, on: object)
    case .explain(let object): try explaining.explain(object)
    case .swift(let name): try swift.show(name)
    case .swiftStatement(let statement): try swift.show(statement)
    }
  }
}
