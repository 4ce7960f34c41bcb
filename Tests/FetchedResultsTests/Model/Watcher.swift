import Basics
import EngineWorlds
import FetchedResults
import NaiveModel

/// A controller in a world, with its expected results and callbacks.
final class Watcher {
  /// A controller's configuration, for the engine and as simple Swift code.
  struct Configuration {
    let name: String
    let sort: [String]
    let section: String?
    let precedes: (World.Values, World.Values) -> Bool?
    let sectionName: (World.Values) -> String
    /// The predicate; nil for all objects.
    var format: String?
    var matches: (World.Values) -> Bool = { _ in true }
    var limit = 0
    var offset = 0
    var keepsLimit = false
  }

  let configuration: Configuration
  let controller: FetchedResultsController
  let delegate = RecordingDelegate(keepsWords: false)
  private unowned let world: World
  /// The expected results; nil without results.
  private var expected: NaiveResults?
  /// The values that determine each row's place: those at the last change that the controller
  /// tracked.
  private var seen: [Int64: World.Values] = [:]
  private var hadNoDelegate = false
  /// The same configuration with the newer delegate methods, in some worlds.
  private var newer: NewerDelegates?
  private var expectedCallbacks: [Callback] = []
  /// The sections before the turn.
  private var before: [NaiveResults.Section] = []

  init(_ configuration: Configuration, in world: World) throws {
    self.configuration = configuration
    self.world = world
    controller = try Self.controller(configuration, in: world)
    controller.delegate = delegate
    controller.treeShape =
      [
        .standard, CountedTreeShape(leafCapacity: 2, fanOut: 3),
        CountedTreeShape(leafCapacity: 8, fanOut: 4),
      ].randomElement(using: &world.random) ?? .standard
    if !world.shape.togglesDelegates, world.random.chance(3) {
      newer = try NewerDelegates(
        { try Self.controller(configuration, in: world) },
        isSectioned: configuration.section != nil,
        isSaved: { [unowned world] in
          world.things[$0].map { $0.saved != nil && $0.now != nil } ?? false
        })
    }
    try fetch()
  }

  static func controller(
    _ configuration: Configuration, in world: World
  ) throws -> FetchedResultsController {
    let request = FetchRequest(
      entity: world.entity,
      predicate: try configuration.format.map { try FetchPredicate(format: $0) },
      sortDescriptors: configuration.sort.map(FetchSortDescriptor.init(_:)),
      fetchLimit: configuration.limit, fetchOffset: configuration.offset)
    let controller = try FetchedResultsController(
      fetchRequest: request, managedObjectContext: world.context,
      sectionNameKeyPath: configuration.section)
    controller.keepsFetchLimit = configuration.keepsLimit
    return controller
  }
}

// MARK: - What should be

extension Watcher {
  /// Returns the rows in order, by values.
  ///
  /// A limit that is kept is applied.
  private func naiveResults(_ values: [Int64: World.Values]) -> NaiveResults {
    var rows = values.sorted { configuration.precedes($0.value, $1.value) ?? ($0.key < $1.key) }
      .map { NaiveResults.Row(number: $0.key, section: configuration.sectionName($0.value)) }
    if configuration.keepsLimit {
      rows = Array(rows.dropFirst(configuration.offset).prefix(limit))
    }
    return NaiveResults(rows: rows, isSectioned: configuration.section != nil)
  }

  private var limit: Int { configuration.limit > 0 ? configuration.limit : .max }

  func expectBatch(_ changed: Set<Int64>) {
    guard let old = expected, controller.delegate != nil else { return }
    var now = seen
    for number in changed {
      now[number] = world.things[number]?.processed.flatMap { configuration.matches($0) ? $0 : nil }
    }
    let new = naiveResults(now)
    let callbacks = old.callbacks(new, changed: changed)
    expectedCallbacks += callbacks
    expected = new
    seen = now
    newer?.expect(callbacks, new, changed)
    replay(callbacks, from: old, to: new)
  }

  func expectSave() { newer?.didSave(expected) }

  /// Checks the second law on the model's own callbacks, which are compared with the controller's.
  private func replay(_ callbacks: [Callback], from old: NaiveResults, to new: NaiveResults) {
    do {
      let sections = try TableReplay.apply(callbacks, to: old.sections)
      if sections != new.sections { world.fail("a replay gives \(sections)", self) }
    } catch {
      world.fail("a replay fails: \(error)", self)
    }
  }

  /// Fetches, and compares with the model's expectation.
  func fetch() throws {
    seen = world.things.compactMapValues(\.processed).filter { configuration.matches($0.value) }
    if isCut, !configuration.keepsLimit {
      // The offset and limit apply to saved objects. Unsaved ones are added to the result.
      let saved = world.things.compactMapValues(\.saved).filter { configuration.matches($0.value) }
      let window = Set(
        naiveResults(saved).rows.dropFirst(configuration.offset).prefix(limit).map(\.number))
      seen = seen.filter { window.contains($0.key) || world.things[$0.key]?.isPending == true }
      let counted = Set(naiveResults(seen).rows.prefix(limit).map(\.number))
      seen = seen.filter { counted.contains($0.key) }
    }
    let new = naiveResults(seen)
    hadNoDelegate = controller.delegate == nil
    expected = new.outOfOrder == nil ? new : nil
    let outOfOrder = new.outOfOrder.map {
      FetchedResultsError.outOfOrderSection(index: $0.index, previousName: $0.previousName)
    }
    if performFetch() != outOfOrder {
      world.fail("performFetch should give \(outOfOrder as Any)", self)
    }
    newer?.fetch(expected)
  }

  /// Returns the error that performFetch throws; nil for success.
  private func performFetch() -> FetchedResultsError? {
    do {
      try controller.performFetch()
      return nil
    } catch {
      return error
    }
  }

  var needsFetch: Bool { expected == nil }

  /// Whether a fetch of the current rows would fail.
  var isOutOfOrder: Bool { expected?.outOfOrder != nil }

  /// Removes the delegate, or sets it again.
  func toggleDelegate() {
    controller.delegate = controller.delegate == nil ? delegate : nil
    newer?.toggleDelegates()
    hadNoDelegate = true
    world.trail.append(
      "\(configuration.name): delegate \(controller.delegate == nil ? "no" : "yes")")
  }

  /// Whether the results must be those of a new fetch.
  private var equalsFreshFetch: Bool {
    expected != nil && !isOutOfOrder && !hadNoDelegate && (!isCut || configuration.keepsLimit)
  }

  private var isCut: Bool { configuration.limit > 0 || configuration.offset > 0 }
}

// MARK: - What is

extension Watcher {
  /// Compares the callbacks and results with the expected ones.
  func check(isThorough: Bool) throws {
    if delegate.callbacks != expectedCallbacks {
      world.fail(
        "received\n  \(delegate.callbacks.text)\nexpected\n  \(expectedCallbacks.text)", self)
    }
    let shown = Self.shownSections(of: controller)
    if shown != expected?.sections {
      world.fail("shows \(shown.text)\nexpected \(expected?.sections.text ?? "nothing")", self)
    }
    if let fault = newer?.fault(shown: shown) { world.fail(fault, self) }
    if isThorough { controller.checkInvariants() }
    if isThorough, equalsFreshFetch {
      let fresh = try Self.controller(configuration, in: world)
      try fresh.performFetch()
      if Self.shownSections(of: fresh) != shown {
        world.fail("a fresh controller shows another", self)
      }
    }
    before = shown ?? []
    expectedCallbacks = []
    delegate.forget()
  }

  static func shownSections(
    of controller: FetchedResultsController
  ) -> [NaiveResults.Section]? {
    controller.sections?.map {
      NaiveResults.Section(name: $0.name, numbers: $0.objects.numbers)
    }
  }

  /// The sections before the turn, for the report of a failure.
  var description: String { "\(configuration.name)\nbefore \(before.text)" }
}

extension [Callback] {
  /// The callbacks, one per line.
  fileprivate var text: String {
    map { callback in
      if case .object(_, let number, _, _) = callback { return callback.words("\(number)") }
      return callback.words("")
    }.joined(separator: "\n  ")
  }
}

extension [NaiveResults.Section]? {
  fileprivate var text: String { self?.text ?? "nothing" }
}

extension [NaiveResults.Section] {
  /// The sections on one line: `[A: 1 2] [B: 3]`.
  fileprivate var text: String {
    map { "[\($0.name): \($0.numbers.map(String.init).joined(separator: " "))]" }
      .joined(separator: " ")
  }
}
