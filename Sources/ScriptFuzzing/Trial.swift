package import FetchedResults
import Foundation
import GoldenTesting
import NaiveModel
package import ScriptRuntime
package import ScriptSyntax
import Synchronization

/// Runs a script on every store and returns the first law that it breaks.
package struct Trial {
  private let environment: () -> any ScriptEnvironment
  private let stores: [TrialStore]
  private let expectsAllOutput: Bool

  /// - Parameters:
  ///   - environment: Makes the environment of one run, which provides its files.
  ///   - expectsAllOutput: Whether statements without expected output must print nothing.
  package init(
    environment: @escaping () -> any ScriptEnvironment, stores: [TrialStore] = [.memory],
    expectsAllOutput: Bool = false
  ) {
    self.environment = environment
    self.stores = stores
    self.expectsAllOutput = expectsAllOutput
  }

  /// Returns how a script fails, or nil if it does not.
  ///
  /// If a statement has expected output below it, it must print exactly that. Without any, it may
  /// print anything, unless all output is expected. If directives name stores, the script runs on
  /// those. What a directive skips is not run, and what it expects to fail may fail.
  package func failure(of script: ParsedScript) -> TrialFailure? {
    let directives = TestDirectives(script)
    guard directives.skip == nil else { return nil }
    do throws(TrialFailure) {
      var first: [TrialOutput]?
      for store in TrialStore.named(by: directives) ?? stores {
        let outputs = try outputs(of: script, directives, on: store)
        guard let first else {
          first = outputs
          continue
        }
        try Self.compare(outputs, with: first, on: store)
      }
      return nil
    } catch {
      return error
    }
  }

  /// Returns what each statement prints and saves on a store, except for those in blocks that are
  /// expected to fail: that may be so on one store only.
  private func outputs(
    of script: ParsedScript, _ directives: TestDirectives, on store: TrialStore
  ) throws(TrialFailure) -> [TrialOutput] {
    do {
      return try outputs(of: script, directives, on: store, hasModel: true)
    } catch  where error.kind.isGolden {
      // The naive model reads objects. `explain`, and merges of lists, show what was read.
      return try outputs(of: script, directives, on: store, hasModel: false)
    }
  }

  private func outputs(
    of script: ParsedScript, _ directives: TestDirectives, on store: TrialStore, hasModel: Bool
  ) throws(TrialFailure) -> [TrialOutput] {
    let run = try TrialRun(on: store, environment: environment(), hasModel: hasModel)
    run.prepare(for: script)
    var captured = CapturedTexts()
    var outputs: [TrialOutput] = []
    for group in script.groups {
      let line = group.lines.lowerBound
      let expected = group.expected.map(\.text)
      let expectation = ExpectedOutput(
        expected, isUnordered: directives.unorderedBlocks.contains(line), captured: captured)
      guard directives.skippedBlocks[line] == nil else {
        captured = captured.adding(expectation.unknownNames)
        continue
      }
      let xfail = directives.xfailBlocks[line]
      let isExcused =
        xfail.map { TestStore(rawValue: store.name).map($0.concerns) ?? true } ?? false
      var printed: [TrialOutput] = []
      do throws(TrialFailure) {
        for statement in script.statements[group.statements] {
          printed.append(try run.perform(statement, in: script.source))
        }
      } catch {
        guard isExcused, run.goesOn(after: error) else { throw error }
      }
      if xfail == nil { outputs += printed }
      let actual = printed.flatMap(\.lines)
      if let names = expectation.captures(from: actual) {
        captured = names
        continue
      }
      captured = captured.adding(expectation.unknownNames)
      guard expectsAllOutput || !expected.isEmpty, !isExcused else { continue }
      let place =
        (store.name == TrialStore.memory.name ? "" : "on \(store.name), ") + "line \(line)"
      throw TrialFailure(
        .golden(expected: expected, actual: actual),
        expected.isEmpty
          ? "\(place) prints text that is not expected"
          : "\(place) does not print the text below it")
    }
    return outputs
  }

  /// Compares what two stores print and save.
  static func compare(
    _ outputs: [TrialOutput], with first: [TrialOutput], on store: TrialStore
  ) throws(TrialFailure) {
    for (other, one) in zip(outputs, first) where other != one {
      guard other.lines == one.lines, let rows = other.rows, let firstRows = one.rows else {
        throw TrialFailure(
          .store(store.name),
          "prints '\(other.lines.joined(separator: "; "))' in place of "
            + "'\(one.lines.joined(separator: "; "))'")
      }
      throw TrialFailure(.rows(store.name), rows.difference(from: firstRows))
    }
  }
}

/// The output of a statement, and the rows of the store after it.
package struct TrialOutput: Equatable {
  package let lines: [String]
  /// Nil if the statement saved nothing.
  let rows: SavedRows?
}

/// A run of a script's statements on one store, which checks the laws after each statement.
///
/// The laws are:
/// - The replay law: applying the callbacks to the old sections gives the new ones.
/// - A naive model, which reads every row, expects the same callbacks and sections.
/// - No two saved objects have the same unique values, and derived attributes fit the saved values.
/// - An observer that publishes shows what a fetch finds.
/// - There is no error except those that `try` catches.
///
/// The naive model knows one context and no quirk. It is left out if a script has several contexts
/// or had a quirk. If another process changed the store, results are compared with a fresh fetch
/// after each merge of its history.
package final class TrialRun {
  /// The largest number of statements and repetitions in a script.
  package static let stepLimit = 200_000

  private let interpreter: Interpreter
  private let limit: TrialLimit
  private var controllers: [NaiveController] = []
  private var observer: BatchObserver?
  private let record: Record
  /// The store's generation when its rows were last looked at.
  private var generation = 0
  /// Whether the naive model can follow: the controllers have done nothing so far that only older
  /// versions did, and no statement has failed.
  private var obeysRules: Bool

  /// Whether another process may have changed the store.
  private var hasOtherProcess = false
  /// Whether the last statement merged all that others saved.
  private var isMerged = false

  /// The interpreter's reports while a statement runs.
  private final class Record {
    var events: [Event] = []
    /// The objects in the batches.
    var changed: Set<ObjectID> = []
    var breach: (controller: String, breach: CheckingDelegate.Breach)?
  }

  /// Starts a run.
  ///
  /// - Parameter hasModel: Whether the naive model is asked, as far as it can follow.
  package init(
    on store: TrialStore, environment: any ScriptEnvironment, hasModel: Bool = true
  ) throws(TrialFailure) {
    obeysRules = hasModel
    let record = Record()
    self.record = record
    let limit = TrialLimit()
    self.limit = limit
    var evaluation = TrialClock.evaluation
    evaluation.isCancelled = { limit.excess != nil }
    interpreter = Interpreter(
      environment: environment, evaluation: evaluation, stepLimit: Self.stepLimit
    ) { record.events.append($0) }
    interpreter.session.memory = limit.memory
    interpreter.onBreach = { name, breach in record.breach = record.breach ?? (name, breach) }
    // An observer makes a context read what others saved.
    if hasModel {
      observer = BatchObserver(interpreter.session.context) { [unowned self] batch in
        record.changed.formUnion(batch.objects.map(\.objectID))
        takeEvents()
        for controller in controllers { controller.expect(batch) }
      }
    }
    let opening = ScriptParser.parse(SourceText(name: store.name, text: store.opening))
    for statement in opening.statements { _ = try perform(statement, in: opening.source) }
  }

  package var session: Session { interpreter.session }

  /// Reads a script that is about to run, as other runs do.
  package func prepare(for script: ParsedScript) { interpreter.prepare(for: script) }

  /// Runs a statement and checks the laws.
  package func perform(
    _ statement: Statement, in source: SourceText
  ) throws(TrialFailure) -> TrialOutput {
    record.events = []
    record.changed = []
    receivedCount = 0
    limit.beginStatement()
    do throws(ScriptError) {
      try interpreter.run(statement, in: source)
    } catch {
      if error.kind == .interrupted, let excess = limit.excess {
        let line = error.source.line(of: error.range.lowerBound)
        throw TrialFailure(.error(excess), "line \(line) \(excess)")
      }
      throw TrialFailure(
        .error(error.cause.description),
        DiagnosticRenderer().render(error.diagnostic, in: error.source))
    }
    if let (name, breach) = record.breach {
      throw TrialFailure(.replayLaw, "\(name): \(breach)")
    }
    obeysRules = obeysRules && session.quirks.isEmpty
    noteOtherProcess(statement)
    if session.contexts.count == 1, obeysRules {
      if hasOtherProcess {
        try passOver()
      } else {
        try checkChange(statement)
        try expectEnd()
        try checkObservers()
      }
    }
    let lines = record.events.flatMap { $0.lines }
    return TrialOutput(lines: lines, rows: try checkRows())
  }

  /// Goes on after a failure that is expected, and returns whether that is possible.
  ///
  /// As in a test, no limit is excused. The laws that only this run knows are not excused either.
  func goesOn(after failure: TrialFailure) -> Bool {
    switch failure.kind {
    case .replayLaw, .error:
      // The naive model has not looked at the callbacks of the statement.
      obeysRules = false
      return limit.excess == nil
    case .changes, .callbacks, .sections, .store, .rows, .unique, .derived, .golden, .list,
      .listFault:
      return false
    }
  }

  /// Returns the store's rows, if the statement saved something.
  private func checkRows() throws(TrialFailure) -> SavedRows? {
    let store = session.coordinator.store
    // While SQL statements are printed, only the script may query the store.
    guard store.generation != generation,
      session.coordinator.sqlStore?.keepsStatements != true
    else { return nil }
    generation = store.generation
    let rows = SavedRows(session.coordinator)
    if let shared = rows.shared { throw TrialFailure(.unique, shared) }
    if let outdated = rows.outdated { throw TrialFailure(.derived, outdated) }
    return rows
  }

  /// Checks that an assignment was reported as a change, even if the value is equal.
  private func checkChange(_ statement: Statement) throws(TrialFailure) {
    guard case .assign(let target, _, _) = statement.kind, case .member(let base, _) = target.kind,
      case .object(let name, let number) = base.kind,
      let entity = session.coordinator.managedObjectModel.entitiesByName[name],
      session.context.object(entity: entity, number: number)?.isDeleted != true
    else { return }
    let isTold = record.changed.contains { $0.number == number && $0.entity.root === entity.root }
    if !isTold { throw TrialFailure(.changes, "the assignment to \(base) does not change it") }
  }

  /// Checks that observers that have published show what a fetch finds.
  ///
  /// Turns of the statement that came after the publication may have changed more. A limit of a
  /// fetch applies to what is saved, and that of an observer to all objects.
  private func checkObservers() throws(TrialFailure) {
    for event in record.events {
      guard let callback = event.callback, case .results = callback.kind,
        let observer = session.controllers[callback.controller]?.observer,
        observer.fetchError == nil, observer.unpublishedDifference?.isEmpty == true,
        observer.isComparable,
        let found = try? observer.managedObjectContext.fetch(observer.fetchRequest)
      else { continue }
      let shown = observer.rows.map(\.objectID)
      guard shown != found.map(\.objectID) else { continue }
      throw TrialFailure(
        .sections,
        "\(callback.controller) shows \(shown), and a fetch finds \(found.map(\.objectID))")
    }
  }

  // MARK: The naive model

  /// The number of the statement's events that the controllers have received.
  private var receivedCount = 0

  private func expectEnd() throws(TrialFailure) {
    takeEvents()
    for controller in controllers { try controller.expectEnd() }
    followControllers()
  }

  /// Records that what contexts report no longer follows from their own changes alone.
  ///
  /// A merge of the history reports again what was merged from a batch request.
  private func noteOtherProcess(_ statement: Statement) {
    isMerged = false
    if case .extension = statement.kind { hasOtherProcess = true }
    // Until it is merged, what a batch request changes is as unknown to a context.
    if statement.runsBatch, !statement.mergesChanges { hasOtherProcess = true }
    guard case .mergeHistory = statement.kind else { return }
    (hasOtherProcess, isMerged) = (true, true)
  }

  private func passOver() throws(TrialFailure) {
    takeEvents()
    for controller in controllers { try controller.passOver(isMerged: isMerged) }
    followControllers()
  }

  private func followControllers() {
    let bindings = session.controllerNames.compactMap { session.controllers[$0] }
      .filter { $0.observer == nil }
    controllers = bindings.map { binding in
      controllers.first { $0.isFor(binding) } ?? NaiveController(binding)
    }
    names = Dictionary(uniqueKeysWithValues: zip(bindings.map(\.name), controllers))
  }

  private var names: [String: NaiveController] = [:]

  private func takeEvents() {
    for event in record.events[receivedCount...] {
      guard let (name, callback) = event.naiveCallback else { continue }
      names[name]?.receive(callback)
    }
    receivedCount = record.events.count
  }
}

extension Statement {
  /// Whether the statement or one inside it is a batch request.
  fileprivate var runsBatch: Bool {
    withInner.contains { if case .batch = $0.kind { true } else { false } }
  }

  /// Whether the statement or one inside it merges changes into a context.
  fileprivate var mergesChanges: Bool {
    withInner.contains { if case .merge = $0.kind { true } else { false } }
  }
}

extension ObservedResults {
  /// Whether a fetch with the same request finds the same objects.
  fileprivate var isComparable: Bool {
    // The observer keeps the locale of its own fetch.
    guard fetchRequest.sortDescriptors.allSatisfy({ $0.selector == .compare }) else { return false }
    let isWindowed = fetchRequest.fetchLimit > 0 || fetchRequest.fetchOffset > 0
    return !isWindowed || keepsFetchLimit && !managedObjectContext.hasChanges
  }
}

extension Event {
  /// The callback as a delegate with all four methods receives it.
  fileprivate var naiveCallback: (controller: String, Callback)? {
    guard let sent = callback, !sent.isPublished else { return nil }
    let callback: Callback? =
      switch sent.kind {
      case .willChangeContent: .willChange
      case .didChangeContent: .didChange
      case .didChangeSection(let type, let index, let name):
        .section(type, index, name.byScalars)
      case .didChangeObject(let type, let object, let old, let new):
        .object(type, object.id.number, old, new)
      case .snapshot, .difference, .counts, .results, .replaced: nil
      }
    return callback.map { (sent.controller, $0) }
  }
}

/// How a script fails, for people and for the reducer.
package struct TrialFailure: Error, Hashable, Sendable {
  /// The kind of failure, which stays the same while a script is reduced.
  package enum Kind: Hashable, Sendable {
    /// The callbacks do not lead from the sections before to those after.
    case replayLaw
    /// An object was changed, but its context processed no change of it.
    case changes
    /// The naive model expects other callbacks.
    case callbacks
    /// The naive model expects other sections.
    case sections
    /// The named store prints something else.
    case store(String)
    /// The named store has different rows after a save.
    case rows(String)
    /// Two saved objects share values that must be unique.
    case unique
    /// A saved object's derived attribute is out of date.
    case derived
    /// An error that no `try` caught, with its message.
    case error(String)
    /// The output of a statement is not the expected output below it.
    case golden(expected: [String], actual: [String])
    /// A list under test shows other sections or rows than its controller.
    case list
    /// A list under test says that it could not follow its controller.
    case listFault
  }

  package let kind: Kind
  /// A description of what happened, on one or more lines.
  package let reason: String

  package init(_ kind: Kind, _ reason: String) {
    self.kind = kind
    self.reason = reason
  }
}

extension TrialFailure: CustomStringConvertible {
  package var description: String { "\(kind.name): \(reason)" }
}

extension TrialFailure.Kind {
  fileprivate var isGolden: Bool { if case .golden = self { true } else { false } }

  /// The name of the law that was broken.
  package var name: String {
    switch self {
    case .replayLaw: "replay law"
    case .changes: "changes"
    case .callbacks: "callbacks"
    case .sections: "sections"
    case .store(let name): "store \(name)"
    case .rows(let name): "rows of \(name)"
    case .unique: "unique values"
    case .derived: "derived attributes"
    case .error: "error"
    case .golden: "expected output"
    case .list: "list"
    case .listFault: "fault of the list"
    }
  }
}

/// A limit on the time of each statement in a trial, and on the memory of all of them.
///
/// A script that is fuzzed or reduced may never end.
final class TrialLimit: Sendable {
  /// Counts the memory of the trial's session.
  let memory = MemoryMeter()
  private let start = Mutex(ContinuousClock.now)

  private static let mostTime = Duration.seconds(60)
  private static let mostMemory = 1 << 30

  /// Records the start of a statement.
  func beginStatement() { start.withLock { $0 = ContinuousClock.now } }

  /// A description of the limit that the running statement exceeds; nil if none.
  var excess: String? {
    if memory.bytes > Self.mostMemory { return "takes more than 1 GB of memory" }
    if ContinuousClock.now - start.withLock(\.self) > Self.mostTime {
      return "takes more than 60 s"
    }
    return nil
  }
}

/// A store that scripts run on.
package struct TrialStore: Sendable {
  /// The store's name in messages.
  package let name: String
  /// The statements that open it.
  package let opening: String

  package init(name: String, opening: String) {
    self.name = name
    self.opening = opening
  }

  package static let memory = TrialStore(name: "memory", opening: "store memory")
  /// A store in a file, which no other trial may share.
  package static let sqlite = TrialStore(
    name: "sqlite", opening: "store sqlite \"trial.sqlite\"")

  /// All stores.
  ///
  /// Scripts must print the same on each.
  package static let all = [memory, sqlite]

  /// The stores that a script's directives name; nil if they name none.
  package static func named(by script: ParsedScript) -> [TrialStore]? {
    named(by: TestDirectives(script))
  }

  fileprivate static func named(by directives: TestDirectives) -> [TrialStore]? {
    guard directives.namesStores else { return nil }
    return all.filter { store in directives.stores.contains { $0.rawValue == store.name } }
  }
}

/// The clock and settings of a trial, which are always the same.
package enum TrialClock {
  package static var evaluation: EvaluationEnvironment {
    var evaluation = EvaluationEnvironment(
      now: { Date(timeIntervalSince1970: 1_767_225_600) }, locale: "en")
    evaluation.random = { 0.5 }
    return evaluation
  }
}
