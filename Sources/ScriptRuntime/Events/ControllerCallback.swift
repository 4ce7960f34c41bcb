package import FetchedResults

/// What a controller's delegate received, or what an observer published: one callback, one batch,
/// or one part of a difference.
///
/// Text, JSON, pages, predictions and explanations all read this value.
package struct ControllerCallback {
  /// The name of the controller or the observer.
  package let controller: String
  package let kind: Kind
  /// Whether an observer published it.
  ///
  /// Its changes are then a difference that Apple's observer does not tell, and are indented.
  package let isPublished: Bool

  package enum Kind {
    case willChangeContent
    case didChangeObject(
      FetchedResultsChangeType, ShownObject, old: ResultsIndexPath?, new: ResultsIndexPath?)
    case didChangeSection(FetchedResultsChangeType, index: Int, name: String)
    case didChangeContent
    case snapshot(FetchedResultsSnapshot)
    case difference(CollectionDifference<ObjectID>)
    case counts(ChangeCounts)
    /// An observer has new results; these are the numbers of objects before and after.
    case results(old: Int, new: Int, Moment)
    /// The results were replaced as a whole, so there is no difference.
    case replaced
  }

  /// When an observer publishes.
  package enum Moment: Hashable, Sendable {
    /// At the end of a turn.
    case turnEnd
    /// Within a statement that sets the request.
    case atOnce
  }

  package init(_ kind: Kind, of controller: String, isPublished: Bool = false) {
    self.kind = kind
    self.controller = controller
    self.isPublished = isPublished
  }
}

extension ControllerCallback {
  /// The kind of change; nil if the callback is about a whole batch.
  package var type: FetchedResultsChangeType? {
    switch kind {
    case .didChangeObject(let type, _, _, _), .didChangeSection(let type, _, _): type
    case .willChangeContent, .didChangeContent, .snapshot, .difference, .counts, .results,
      .replaced:
      nil
    }
  }

  /// The object that changed; nil if the callback is not about one.
  package var object: ShownObject? {
    if case .didChangeObject(_, let object, _, _) = kind { object } else { nil }
  }

  /// Whether it is one of the two callbacks around the changes of a batch.
  package var isFrame: Bool {
    switch kind {
    case .willChangeContent, .didChangeContent: true
    case .didChangeObject, .didChangeSection, .snapshot, .difference, .counts, .results, .replaced:
      false
    }
  }

  /// Whether a batch begins with it.
  package var beginsBatch: Bool { if case .willChangeContent = kind { true } else { false } }

  /// Whether a batch ends with it.
  package var endsBatch: Bool { type == nil && !beginsBatch }

  /// The words before the kind of change, as in `books didChange object insert Book/1`.
  package var start: String {
    if isPublished { return object == nil ? "  section " : "  " }
    return object == nil ? "\(controller) didChange section " : "\(controller) didChange object "
  }

  /// The form in which the callback is shown.
  package var form: EventForm {
    switch kind {
    case .willChangeContent:
      form("willChangeContent", lines: ["\(controller) willChangeContent"])
    case .didChangeContent: form("didChangeContent", lines: ["\(controller) didChangeContent"])
    case .didChangeObject(let type, let object, let old, let new):
      form(
        "didChangeObject", .change(type),
        fields: [
          ("type", .string(type.rawValue)), ("object", .object(object.id)),
          ("indexPath", old.map(JSON.path)), ("newIndexPath", new.map(JSON.path)),
        ], lines: [start + "\(type) \(object)" + Self.paths(type, old, new)])
    case .didChangeSection(let type, let index, let name):
      form(
        "didChangeSection", .change(type),
        fields: [
          ("type", .string(type.rawValue)), ("index", .number(String(index))),
          ("name", .string(name)),
        ], lines: [start + "\(type) \(index) \(name.quoted)"])
    case .snapshot(let snapshot):
      form(
        "snapshot", fields: snapshot.fields,
        lines: ["\(controller) didChangeContent snapshot"] + snapshot.lines)
    case .difference(let difference):
      form(
        "difference",
        fields: [
          ("removals", .array(difference.removals.map(JSON.change))),
          ("insertions", .array(difference.insertions.map(JSON.change))),
        ], lines: ["\(controller) didChangeContent difference"] + difference.map(\.line))
    case .counts(let counts):
      form(
        "counts", fields: counts.named.map { ($0, .number(String($1))) },
        lines: [
          (isPublished ? "  " : "\(controller) counts ")
            + counts.named.map { "\($0) \($1)" }.joined(separator: ", ")
        ])
    case .results(let old, let new, let moment):
      form(
        "results",
        fields: [
          ("old", .number(String(old))), ("new", .number(String(new))),
          ("atOnce", moment == .atOnce ? .boolean(true) : nil),
        ],
        lines: [
          "\(controller) results \(old) -> \(new)" + (moment == .atOnce ? " at once" : "")
        ])
    case .replaced: form("replaced", lines: ["  replaced"])
    }
  }

  private func form(
    _ name: String, _ tone: EventForm.Tone = .quiet,
    fields: @autoclosure @escaping () -> [(String, JSON?)] = [],
    lines: @autoclosure @escaping () -> [String]
  ) -> EventForm {
    EventForm(
      name, tone,
      fields: [("controller", .string(controller))] + fields()
        + [("published", isPublished ? .boolean(true) : nil)],
      lines: lines())
  }

  private static func paths(
    _ type: FetchedResultsChangeType, _ old: ResultsIndexPath?, _ new: ResultsIndexPath?
  ) -> String {
    let from = old.map { " \($0)" } ?? ""
    let to = new.map { " -> \($0)" } ?? ""
    return type == .update && old == new ? from : from + to
  }
}

extension FetchedResultsSnapshot {
  fileprivate var lines: [String] {
    var lines = sections.map { section in
      "  section \(section.identifier.quoted) " + Self.list(section.itemIdentifiers)
    }
    if !reloadedItemIdentifiers.isEmpty {
      lines.append("  reloaded " + Self.list(reloadedItemIdentifiers))
    }
    if !temporaryItemIdentifiers.isEmpty {
      lines.append("  temporary " + Self.list(temporaryItemIdentifiers))
    }
    return lines
  }

  private static func list(_ objects: [ObjectID]) -> String {
    objects.isEmpty ? "empty" : objects.map(\.description).joined(separator: ", ")
  }

  fileprivate var fields: [(String, JSON?)] {
    [
      (
        "sections",
        .array(
          sections.map { section in
            .object([
              ("name", .string(section.identifier)), ("objects", .objects(section.itemIdentifiers)),
            ])
          })
      ),
      ("reloaded", .objects(reloadedItemIdentifiers)),
      (
        "temporary",
        temporaryItemIdentifiers.isEmpty ? nil : .objects(temporaryItemIdentifiers)
      ),
    ]
  }
}

extension CollectionDifference<ObjectID>.Change {
  fileprivate var line: String {
    switch self {
    case .remove(let offset, let element, let place):
      "  remove \(offset) \(element)" + (place.map { " -> \($0)" } ?? "")
    case .insert(let offset, let element, let place):
      "  insert \(offset) \(element)" + (place.map { " <- \($0)" } ?? "")
    }
  }
}

extension JSON {
  fileprivate static func change(_ change: CollectionDifference<ObjectID>.Change) -> JSON {
    let (offset, id, place) =
      switch change {
      case .remove(let offset, let element, let place): (offset, element, place)
      case .insert(let offset, let element, let place): (offset, element, place)
      }
    let fields: [(String, JSON)] = [("index", .number(String(offset))), ("object", .object(id))]
    return .object(fields + (place.map { [("associatedIndex", .number(String($0)))] } ?? []))
  }
}

/// The number of changes of each kind in a batch.
package struct ChangeCounts: Hashable, Sendable {
  package var inserts = 0
  package var deletes = 0
  package var moves = 0
  package var updates = 0
  package var sectionInserts = 0
  package var sectionDeletes = 0

  /// The counts with their names, in the order of the output.
  package var named: [(name: String, count: Int)] {
    [
      ("inserts", inserts), ("deletes", deletes), ("moves", moves), ("updates", updates),
      ("sectionInserts", sectionInserts), ("sectionDeletes", sectionDeletes),
    ]
  }
}
