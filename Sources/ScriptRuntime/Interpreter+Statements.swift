import FetchedResults
import ScriptSyntax

extension Interpreter {
  /// Does what a statement says: the one list of statements and what runs each.
  ///
  /// The work is in `Commands`.
  func perform(_ statement: Statement) throws(ScriptError) {
    if statement.kind.needsStore { try openAwaitedStore(for: statement.range) }
    if try performBlocks(of: statement) { return }
    try performAlone(statement)
  }

  /// Runs a statement that others may stand in; says whether it is one.
  ///
  /// By itself, since statements nest deep, and a frame of the list below is
  /// large.
  private func performBlocks(of statement: Statement) throws(ScriptError) -> Bool {
    let range = statement.range
    switch statement.kind {
    case .perform(let context, false, let body): try perform(body, on: context, range)
    case .perform(let context, true, let body): try performStepping(body, on: context, range)
    case .for(let name, in: let sequence, let body): try loop(name, over: sequence, body)
    case .if(let condition, let then, let otherwise):
      try execute(try truth(of: evaluateHead(condition)) ? then : otherwise)
    case .repeat(let count, let body): try repeats(count, body)
    case .include(let path): try include(path, range)
    case .try(let statement): try attempt(statement)
    case .entity, .model, .storeMemory, .storeSQLite, .save, .rollback, .reset, .process, .context,
      .merge, .automerge, .refresh, .refreshAll, .undo, .redo, .insert, .let, .assign, .update,
      .importRows, .delete, .deleteMatching, .set, .expect, .request, .storedRequest, .controller,
      .fetch, .count, .change, .delegate, .ownDelegate, .return, .deleteCache, .deleteCaches,
      .table, .suspend, .resume, .reload, .trace, .show, .showRequest, .showModel, .objects, .print,
      .caches, .stats, .evaluate, .explain, .swift, .quirk:
      return false
    }
    return true
  }

  private func performAlone(_ statement: Statement) throws(ScriptError) {
    let range = statement.range
    switch statement.kind {
    case .entity(let declaration): try define(declaration)
    case .model(let path, let version): try defineModel(path, version: version)
    case .storeMemory: try useMemory(range)
    case .storeSQLite(let path, let isReadOnly): try name(store: path, isReadOnly: isReadOnly)
    case .save(let context): try save(context, range)
    case .rollback(let context): try rollback(context)
    case .reset(let context): try reset(context)
    case .process: session.context.process()

    case .context(let declaration): try define(declaration)
    case .merge(let source, into: let target): try merge(source, into: target)
    case .automerge(let context, let isOn): try automerge(context, isOn: isOn)
    case .refresh(let target, let isMerging): try refresh(target, isMerging: isMerging)
    case .refreshAll: session.context.refreshAllObjects()
    case .undo: undo()
    case .redo: redo()

    case .insert(let insert): _ = try self.insert(insert, range)
    case .importRows(let path, into: let name): try importRows(path, into: name)
    case .let(let name, let value): try define(name, as: value)
    case .assign(let target, let sign, let value): try assign(target, sign, value)
    case .update(let request, let assignments): try update(request, assignments)
    case .delete(let target): try delete(target)
    case .deleteMatching(let request): try deleteMatching(request)

    case .perform, .for, .if, .repeat, .include, .try: break
    case .set(let setting, let value): try set(setting, value)
    case .expect(let condition): try expect(condition)

    case .request(let name, let request): try define(request: name, as: request)
    case .storedRequest(let name, let stored): try define(request: name, asStored: stored)
    case .controller(let name, let request): try define(controller: name, as: request)
    case .fetch(let request): try fetch(request)
    case .count(let request): emit(.value(.init(.int(Int64(try count(request))))))
    case .change(let name, let clauses): try change(name, clauses)
    case .delegate(let name, let mode): try setDelegate(of: name, to: mode)
    case .ownDelegate(let name, let callbacks): try setDelegate(of: name, to: callbacks)
    case .return(let value): try returnFromCallback(value, range)
    case .deleteCache(let name): try deleteCache(name)
    case .deleteCaches: try deleteCaches(range)

    case .table(let name, of: let controller, let syntax):
      try define(table: name, of: controller, as: syntax)
    case .suspend(let name): try suspend(name)
    case .resume(let name): try resume(name)
    case .reload(let name): try reload(name)
    case .trace(let name, let isOn): try trace(name, isOn: isOn)

    case .show(let name): try show(name)
    case .showRequest(let name): try showRequest(name)
    case .showModel: showModel()
    case .objects(let entity): try showObjects(entity)
    case .print(let value): emit(.value(try printed(value)))
    case .caches: showCaches()
    case .stats: showStatistics()
    case .evaluate(let predicate, on: let object): try evaluate(predicate, on: object)
    case .explain(let object): try explain(object)
    case .swift(let name): try showSwift(name)
    case .quirk(let quirk, let isOn): set(quirk, isOn: isOn)
    }
  }
}
