import FetchedResults

/// A controller whose delegate meddles with the context inside its callbacks.
///
/// What is heard then depends on who meddled when, so the laws are weaker:
/// every batch that nothing was nested in replays to what the controller shows
/// at its end, and once all is processed the results are those of a new fetch.
final class Meddler {
  /// A batch that began and did not end yet.
  private struct Batch {
    var before: [NaiveResults.Section]
    var callbacks: [Callback] = []
    /// Whether the results changed within it by something else.
    var isDisturbed = false
  }

  let configuration: Watcher.Configuration
  let controller: FetchedResultsController
  let delegate = RecordingDelegate(keepsWords: false)
  private unowned let world: World
  private var batches: [Batch] = []
  private(set) var failure: String?
  /// How many batches were replayed.
  private(set) var replayed = 0

  init(_ configuration: Watcher.Configuration, in world: World) throws {
    self.configuration = configuration
    self.world = world
    controller = try Watcher.controller(configuration, in: world)
    controller.delegate = delegate
    controller.treeShape = CountedTreeShape(leafCapacity: 4, fanOut: 3)
    try controller.performFetch()
    delegate.reaction = { [unowned self] callback, _ in hear(callback) }
  }

  private var shown: [NaiveResults.Section] { Watcher.shownSections(of: controller) ?? [] }

  private func hear(_ callback: Callback) {
    switch callback {
    case .willChange:
      batches.append(Batch(before: []))
      world.meddle()
      batches[batches.count - 1].before = shown
      return
    case .didChange:
      guard let batch = batches.popLast() else { return fail("a batch ends that did not begin") }
      if !batches.isEmpty { batches[batches.count - 1].isDisturbed = true }
      if !batch.isDisturbed { replay(batch) }
    case .object, .section:
      guard !batches.isEmpty else { return fail("a change outside a batch") }
      batches[batches.count - 1].callbacks.append(callback)
    }
    world.meddle()
  }

  private func replay(_ batch: Batch) {
    replayed += 1
    do {
      let sections = try TableReplay.apply(batch.callbacks, to: batch.before)
      if sections != shown { fail("a replay gives \(sections), not \(shown)") }
    } catch {
      fail("a replay fails: \(error)")
    }
  }

  private func fail(_ reason: String) { failure = failure ?? "\(configuration.name): \(reason)" }

  /// Notes that the results were replaced.
  func disturb() {
    for index in batches.indices { batches[index].isDisturbed = true }
  }

  func fetch() {
    disturb()
    _ = try? controller.performFetch()
  }

  /// Checks what has to hold once everything is processed.
  func check() throws {
    if !batches.isEmpty { fail("a batch did not end") }
    controller.checkInvariants()
    let fresh = try Watcher.controller(configuration, in: world)
    try fresh.performFetch()
    let expected = Watcher.shownSections(of: fresh)
    if Watcher.shownSections(of: controller) != expected {
      fail("shows \(shown), a fetch \(expected ?? [])")
    }
    delegate.forget()
  }
}
