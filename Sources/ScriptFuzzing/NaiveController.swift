import Basics
import FetchedResults
import NaiveModel
import ScriptRuntime

/// A naive model of one controller: works out its callbacks and sections from the batches that its
/// context processes.
final class NaiveController {
  private let binding: ControllerBinding
  /// The fetch that the rows come from; see `fetchIdentity`.
  private var fetch: AnyObject?
  /// The rows, with the values of the last change that the controller followed.
  private var rows: NaiveRows?
  private var expected: [Callback] = []
  private var received: [Callback] = []
  /// Whether there were changes that the controller did not follow.
  private var hadNoDelegate = false
  /// Whether the predicate raised on an object.
  private var isStopped = false

  init(_ binding: ControllerBinding) { self.binding = binding }

  private var controller: FetchedResultsController { binding.controller }

  func isFor(_ other: ControllerBinding) -> Bool { binding === other }

  /// Records a callback that the controller's delegate received.
  func receive(_ callback: Callback) { received.append(callback) }

  /// Adds a batch, and works out the callbacks that the delegate should receive for it.
  func expect(_ batch: ContextChanges) {
    guard var rows, let fetch, controller.fetchIdentity === fetch, !isStopped else { return }
    let methods = binding.recorder?.implementedMethods ?? []
    guard !methods.isDisjoint(with: [.changes, .difference, .snapshot]) else {
      hadNoDelegate = true
      self.rows?.readRelated()
      return
    }
    let old = rows.results
    var changed: Set<Int64> = []
    for (change, object) in zip(batch.changes, batch.objects) where rows.includes(object.entity) {
      let number = object.objectID.number
      changed.insert(number)
      do {
        rows.rows[number] = change.after == nil ? nil : try rows.row(of: object)
      } catch {
        isStopped = true
        return
      }
    }
    do {
      changed.formUnion(try rows.followRelated(besides: changed))
    } catch {
      isStopped = true
      return
    }
    expected += old.callbacks(rows.results, changed: changed)
    self.rows = rows
  }

  /// Compares what was received and is shown with what should be, and starts again after a fetch.
  func expectEnd() throws(TrialFailure) {
    defer { (expected, received) = ([], []) }
    guard let fetch, controller.fetchIdentity === fetch else { return try begin() }
    if receivesEverything, received != expected {
      throw TrialFailure(
        .callbacks,
        "\(binding.name) received \(received.words), expected \(expected.words)")
    }
    guard let rows else { return }
    try compare(rows.results.sections, "by the changes, ")
    guard equalsFreshFetch(rows.request), let fresh = try? naiveFetch(like: rows) else { return }
    try compare(fresh.results.sections, "by a fresh fetch, ")
  }

  /// Skips the callbacks of a statement after another process has changed the store: they do not
  /// follow from the context's own changes alone.
  ///
  /// - Parameter isMerged: Whether the context has taken over all that the other process saved. Then
  ///   the results have to be those of a fresh fetch.
  func passOver(isMerged: Bool) throws(TrialFailure) {
    (expected, received) = ([], [])
    guard let fetch, controller.fetchIdentity === fetch else {
      return try begin(isMerged: isMerged)
    }
    guard isMerged, let rows, equalsFreshFetch(rows.request),
      let fresh = try? naiveFetch(like: rows)
    else { return }
    try compare(fresh.results.sections, "by a fresh fetch, ")
  }

  /// Checks the results of a fetch.
  ///
  /// - Parameter isMerged: Whether the context knows all that is in the store. Otherwise a fetch
  ///   finds rows that the context's objects do not know.
  private func begin(isMerged: Bool = true) throws(TrialFailure) {
    fetch = controller.fetchIdentity
    (hadNoDelegate, isStopped, rows) = (false, false, nil)
    guard let request = controller.fetchedRequest else { return }
    rows = try? naiveFetch(like: NaiveRows(request, of: controller))
    if isMerged, let rows { try compare(rows.results.sections, "by a fetch, ") }
  }

  private func naiveFetch(like rows: NaiveRows) throws(InvalidPredicateError) -> NaiveRows {
    var rows = rows
    try rows.fetch()
    return rows
  }

  private func compare(
    _ sections: [NaiveResults.Section], _ source: String
  ) throws(TrialFailure) {
    let shown =
      controller.sections?.map {
        NaiveResults.Section(name: $0.name.byScalars, numbers: $0.objects.numbers)
      } ?? []
    guard shown != sections else { return }
    throw TrialFailure(
      .sections, "\(binding.name) shows \(shown.words), and should, \(source)\(sections.words)")
  }

  /// Whether each callback becomes one event, in the order of the calls.
  private var receivesEverything: Bool {
    binding.recorder.map { type(of: $0) == DelegateRecorder.self } == true
      && binding.recorder?.implementedMethods == .changes
  }

  /// Whether the results have to be those that a fetch would give now.
  private func equalsFreshFetch(_ request: FetchRequest) -> Bool {
    guard !hadNoDelegate, !isStopped,
      controller.keepsLimitNow || request.fetchLimit == 0 && request.fetchOffset == 0
    else { return false }
    if controller.tracksRelatedNow {
      return request.predicate?.description.lowercased().contains("now") != true
    }
    // Changes of related objects and of the clock move no rows.
    let keys = request.sortDescriptors.map(\.key) + [controller.sectionNameKeyPath ?? ""]
    let text = request.predicate?.description ?? ""
    return !keys.contains { $0.contains(".") } && !text.lowercased().contains("now")
      && !request.entity.relationships.contains { text.contains($0.name) }
      && !request.entity.attributes.contains {
        $0.isTransient && (text.contains($0.name) || keys.contains($0.name))
      }
  }
}

extension String {
  /// The text with its scalars written out, if it contains any that Swift's equality treats as
  /// equal to others.
  var byScalars: String {
    guard !utf8.allSatisfy({ $0 < 0x80 }) else { return self }
    return unicodeScalars.map { $0.escaped(asASCII: true) }.joined()
  }
}

extension [Callback] {
  fileprivate var words: String {
    guard !isEmpty else { return "nothing" }
    return map { callback in
      if case .object(_, let number, _, _) = callback { return callback.words("\(number)") }
      return callback.words("")
    }.joined(separator: ", ")
  }
}

extension [NaiveResults.Section] {
  /// The sections on one line: `[A: 1 2] [B: 3]`.
  fileprivate var words: String {
    isEmpty
      ? "nothing"
      : map { "[\($0.name): \($0.numbers.map(String.init).joined(separator: " "))]" }
        .joined(separator: " ")
  }
}

/// Two attributes that make sections change places: one names the sections of a controller, and the
/// other is its first sort key.
///
/// Objects of a group mostly have the same place. Where sections are out of order a fetch fails,
/// but a controller that tracks accepts it.
struct GroupPlaces {
  let entity: EntityDescription
  let group: String
  let place: String

  init?(_ controller: FetchedResultsController) {
    entity = controller.fetchRequest.entity
    guard let group = controller.sectionNameKeyPath,
      let place = controller.fetchRequest.sortDescriptors.first?.key, group != place,
      let groups = entity.attributeIndex(named: group),
      let places = entity.attributeIndex(named: place),
      entity.attributes[groups].type == .string, entity.attributes[places].type.isNumeric,
      entity.attributes[groups].expression == nil, entity.attributes[places].expression == nil
    else { return nil }
    self.group = group
    self.place = place
  }

  private static let names = ["a", "b", "c", "d"]

  func holds(_ object: SeenObject) -> Bool { object.entity.isKindOf(entity: entity) }

  /// Returns statements that give all groups other places, or only one of them.
  func shuffle(_ random: inout SeededGenerator) -> [String] {
    let places = (1...9).shuffled(using: &random)
    let names = Self.names.shuffled(using: &random)
    let moves = zip(names, places).map { name, place in
      "update \(entity.name) where \(group) == '\(name)' { \(self.place) = \(place) }"
    }
    guard random.chance(2) else { return [moves[0]] }
    // After that the sections are in order again.
    let list = names.map { "'\($0)'" }.joined(separator: ", ")
    let strays = "NOT \(group) IN {\(list)}"
    return ["update \(entity.name) where \(strays) { \(group) = '\(names[0])' }"] + moves
  }

  /// Moves an object into another group, sometimes without that group's place.
  func move(
    _ object: SeenObject, among others: [SeenObject], _ random: inout SeededGenerator
  ) -> String {
    let (group, place) = values(among: others, &random)
    let move = "\(object.id).\(self.group) = \(group)"
    switch random.number(0...7) {
    case 0: return move
    case 1: return "\(object.id).\(self.place) = \(random.number(1...9))"
    default: return move + "; \(object.id).\(self.place) = \(place)"
    }
  }

  /// Returns the values of an object of some group, mostly with that group's place.
  func values(
    among others: [SeenObject], _ random: inout SeededGenerator
  ) -> (group: String, place: String) {
    let name = random.one(of: Self.names) ?? "a"
    let member = others.first { $0[group] == .string(name) }
    let free = (1...9).first { place in !others.contains { $0[self.place] == .int(Int64(place)) } }
    if random.chance(10) { return ("\"\(name)\"", "\(random.number(1...9))") }
    return ("\"\(name)\"", member.map { $0[place].description } ?? "\(free ?? 1)")
  }
}
