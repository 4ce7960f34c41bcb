package import FetchedResults
package import ScriptRuntime
package import ScriptSyntax

/// Runs a script and records the operations, so that they can be repeated on Core Data or SwiftData.
package struct ScriptExporter {
  private let environment: any ScriptEnvironment
  private let evaluation: EvaluationEnvironment
  private let limit: (any StatementLimit)?

  /// The largest number of operations in a script.
  package static var mostSteps: Int { 20_000 }

  /// - Parameters:
  ///   - environment: The source of files.
  ///   - evaluation: The clock and the locale at the beginning.
  ///   - limit: The limit for all statements; nil for none.
  package init(
    environment: any ScriptEnvironment, evaluation: EvaluationEnvironment = EvaluationEnvironment(),
    limit: (any StatementLimit)? = nil
  ) {
    self.limit = limit
    self.environment = environment
    self.evaluation = evaluation
  }

  /// Runs a script until a statement fails.
  ///
  /// - Parameters:
  ///   - name: The path of the script, for people.
  ///   - hasSeveralSessions: Whether its statements belong to more than one session.
  /// - Throws: The first reason why it cannot be exported.
  package func export(
    _ script: ParsedScript, named name: String, hasSeveralSessions: Bool = false
  ) throws(ExportRefusal) -> Export {
    guard !script.hasErrors else { throw ExportRefusal(line: nil, reason: .syntaxErrors) }
    guard !hasSeveralSessions else { throw ExportRefusal(line: nil, reason: .severalSessions) }
    if script.hasObservers {
      let recorder = ObserverRecorder()
      let interpreter = try run(script, recorder)
      defer { _ = interpreter.close() }
      return .swiftData(try recorder.finish(named: name, summary: script.summary))
    }
    let recorder = OperationRecorder()
    let interpreter = try run(script, recorder)
    defer { _ = interpreter.close() }
    return .coreData(try recorder.finish(named: name, summary: script.summary))
  }

  private func run(
    _ script: ParsedScript, _ recorder: some RunRecorder
  ) throws(ExportRefusal) -> Interpreter {
    let interpreter = Interpreter(
      environment: environment.newSession(), evaluation: evaluation, stepLimit: 1_000_000
    ) { [limit] event in
      limit?.note(event)
      recorder.take(event)
    }
    recorder.listen(to: interpreter)
    interpreter.prepare(for: script)
    for statement in script.statements {
      recorder.line = script.source.line(of: statement.range.lowerBound)
      recorder.begin(script.source.text(in: statement.range))
      do throws(ScriptError) {
        try interpreter.run(statement, in: script.source)
      } catch {
        recorder.statementFailed()
        break
      }
      recorder.statementEnded()
      if let refusal = recorder.refusal {
        _ = interpreter.close()
        throw refusal
      }
    }
    return interpreter
  }
}

/// Records what the statements of a run do.
protocol RunRecorder: AnyObject {
  /// The line of the running statement, counted from 1.
  var line: Int { get set }
  /// The first reason why the script cannot be exported.
  var refusal: ExportRefusal? { get }

  /// Records what an interpreter does.
  func listen(to interpreter: Interpreter)
  /// Records an event.
  func take(_ event: Event)
  /// Handles the beginning of a top-level statement.
  func begin(_ text: String)
  /// Handles a failed statement.
  func statementFailed()
  /// Handles the end of a top-level statement.
  func statementEnded()
}

/// A script in the form in which it runs on a Mac.
package enum Export {
  case coreData(ExportedScript)
  /// A script with observers.
  case swiftData(ObserverScript)
}

extension ParsedScript {
  /// The comment of the first line, without its marker.
  fileprivate var summary: String {
    let line = source.text(ofLine: 1)
    return line.hasPrefix("# ") ? String(line.dropFirst(2)) : ""
  }
}

/// A script as data: a model, operations, and the events that they cause.
package struct ExportedScript {
  /// The path of the script, for people.
  package let name: String
  /// The script's description in its first line; empty if there is none.
  package let summary: String
  /// The kind of store: `memory` or `sqlite`.
  package let store: String
  /// Whether turns are undone, for which Core Data needs an undo manager.
  package let usesUndo: Bool
  package let entities: [JSON]
  /// The operations in order, each with its line.
  package let steps: [JSON]
  /// The events in order, each with its line.
  package let events: [(line: Int, event: JSON)]
}

/// The reason why a script cannot be exported.
package struct ExportRefusal: Error, Hashable, Sendable {
  /// The line of the statement, counted from 1; nil if the reason concerns the whole script.
  package let line: Int?
  package let reason: Reason

  package init(line: Int?, reason: Reason) {
    self.line = line
    self.reason = reason
  }

  /// Something that Core Data cannot be made to do, or that it does not show.
  package enum Reason: String, Error, Hashable, Sendable, CaseIterable {
    case syntaxErrors = "the script has errors"
    case nothingToCompare = "nothing that it prints could be compared"
    case batchRequests = "batch requests need a store in a file"
    case anotherProcess = "an extension is another process"
    case history = "the history of a store"
    case modelInSwiftData = "a hook, a parent, an order or a computed value in a SwiftData model"
    case nameInCoreData =
      "a property that every managed object has, such as 'hash' or 'description'"
    case nameInSwiftData = "a name that Swift does not allow in a SwiftData model, such as 'init'"
    case uniqueInSwiftData = "SwiftData replaces objects that have equal unique values"
    case requestInSwiftData = "SwiftData has no observer like those of the script"
    case nestedContexts = "SwiftData has no nested contexts"
    case policyInSwiftData = "SwiftData has no merge policies"
    case contextInSwiftData = "a context that the script did not make"
    case valueInSwiftData = "SwiftData has no nil in an attribute that is not optional"
    case validationInSwiftData = "SwiftData does not check what fails here"
    case undoInSwiftData = "what SwiftData undoes is not documented"
    case refreshInSwiftData = "SwiftData has no 'reset', 'refresh' and 'automerge off'"
    case batchInSwiftData = "SwiftData has no batch requests"
    case quirks = "a quirk is a choice of frc"
    case keepLimit = "Core Data has no 'keep limit'"
    case trackRelated = "Core Data has no 'track related'"
    case storeOptions = "options of a store"
    case threeValuedNil = "'set nil apple' is for a store in a file"
    case locale = "the locale is the Mac's"
    case hooks = "hooks need a class for the entity"
    case computedValues = "computed attributes need a class for the entity"
    case dictionaries = "a fetch of dictionaries"
    case stepping = "the steps of a turn"
    case changesInCallbacks = "a delegate's statements change objects"
    case indexTitles = "a delegate's statements give index titles"
    case clockInPredicates = "the predicate reads the clock or random numbers"
    case earlierObjects = "objects that the store had before"
    case failedSave = "a save fails for a reason without a code"
    case failedFetch = "a fetch that fails"
    case severalSessions = "the file has several sessions"
    case tooLong = "more operations than the kit takes"
  }
}

extension ExportRefusal.Reason {
  /// Finds a part of a statement that can never be exported; nil if there is none.
  init?(of statement: Statement) {
    switch statement.kind {
    case .entity(let entity):
      if !entity.hooks.isEmpty {
        self = .hooks
      } else if entity.properties.contains(where: \.isComputed) {
        self = .computedValues
      } else {
        return nil
      }
    case .batch: self = .batchRequests
    case .extension: self = .anotherProcess
    case .history, .deleteHistory, .mergeHistory: self = .history
    case .quirk(_, let isOn):
      guard isOn else { return nil }
      self = .quirks
    case .storeMemory(let options), .storeSQLite(_, let options):
      guard !options.text.isEmpty else { return nil }
      self = .storeOptions
    case .set(.nilRule, _): self = .threeValuedNil
    case .set(.locale, _): self = .locale
    case .perform(_, isStepping: true, _): self = .stepping
    case .ownDelegate(_, let callbacks):
      guard callbacks.contains(where: { $0.callback == .sectionIndexTitle }) else { return nil }
      self = .indexTitles
    case .model, .save, .rollback, .reset, .process, .context, .merge, .automerge, .observe,
      .refresh, .refreshAll, .undo, .redo, .insert, .let, .assign, .update, .importRows, .delete,
      .deleteMatching, .obtainIDs, .perform, .for, .if, .repeat, .include, .set, .expect, .try,
      .request, .storedRequest, .controller, .observer, .fetch, .count, .change, .delegate, .return,
      .deleteCache,
      .deleteCaches, .table, .suspend, .resume, .reload, .trace, .show, .showRequest, .showModel,
      .objects, .print, .caches, .stats, .evaluate, .explain, .swift, .swiftStatement:
      return nil
    }
  }
}

extension PropertyDeclaration {
  /// Whether the value is computed from others.
  fileprivate var isComputed: Bool {
    isDerived || isTransient && value.map { !$0.isLiteral } ?? false
  }
}
