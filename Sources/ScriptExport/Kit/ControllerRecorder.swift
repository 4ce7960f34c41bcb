import CoreData

#if canImport(AppKit)
import AppKit
#elseif canImport(UIKit)
import UIKit
#endif

/// A controller's delegate that reports each callback in frc's format.
final class ControllerRecorder: NSObject, NSFetchedResultsControllerDelegate {
  typealias Controller = NSFetchedResultsController<any NSFetchRequestResult>

  private let name: String
  private let methods: Set<String>
  private let names: ObjectNames
  private let report: (String) -> Void
  /// The number of changes of each kind in the batch, if only these are reported.
  private var counts: [String: Int]?

  init(
    _ name: String, methods: [String], countsOnly: Bool, names: ObjectNames,
    report: @escaping (String) -> Void
  ) {
    self.name = name
    self.methods = Set(methods)
    self.names = names
    self.report = report
    counts = countsOnly ? [:] : nil
  }

  // A controller asks its delegate for each method, so one class is enough.
  #if canImport(ObjectiveC)
  private static let selectors = [
    "controllerWillChangeContent:": "willChangeContent",
    "controller:didChangeObject:atIndexPath:forChangeType:newIndexPath:": "didChangeObject",
    "controller:didChangeSection:atIndex:forChangeType:": "didChangeSection",
    "controllerDidChangeContent:": "didChangeContent",
    "controller:didChangeContentWithSnapshot:": "snapshot",
    "controller:didChangeContentWithDifference:": "difference",
  ]

  override func responds(to selector: Selector!) -> Bool {
    guard let selector, let method = Self.selectors[NSStringFromSelector(selector)] else {
      return super.responds(to: selector)
    }
    return methods.contains(method)
  }
  #else
  var implementedMethods: NSFetchedResultsControllerDelegateMethods {
    let all: [String: NSFetchedResultsControllerDelegateMethods] = [
      "willChangeContent": .willChangeContent, "didChangeObject": .didChangeObject,
      "didChangeSection": .didChangeSection, "didChangeContent": .didChangeContent,
      "snapshot": .snapshot, "difference": .difference,
    ]
    return methods.reduce(into: []) { $0.formUnion(all[$1] ?? []) }
  }
  #endif

  private func tell(_ event: String, _ fields: [(String, String?)] = []) {
    report(
      JSONText.object(
        [("event", JSONText.string(event)), ("controller", JSONText.string(name))] + fields))
  }

  private func count(_ kind: String) { counts?[kind, default: 0] += 1 }

  func controllerWillChangeContent(_ controller: Controller) {
    guard counts == nil else {
      counts = [:]
      return
    }
    tell("willChangeContent")
  }

  func controllerDidChangeContent(_ controller: Controller) {
    guard let counts else { return tell("didChangeContent") }
    let kinds = ["inserts", "deletes", "moves", "updates", "sectionInserts", "sectionDeletes"]
    tell("counts", kinds.map { ($0, String(counts[$0] ?? 0)) })
  }

  func controller(
    _ controller: Controller, didChange anObject: Any, at indexPath: IndexPath?,
    for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    let kind = Self.word(type)
    guard counts == nil else { return count(kind + "s") }
    let object = (anObject as? NSManagedObject).map { names.name(of: $0.objectID) }
    tell(
      "didChangeObject",
      [
        ("type", JSONText.string(kind)), ("object", object.map(JSONText.string)),
        ("indexPath", indexPath.map(Self.path)), ("newIndexPath", newIndexPath.map(Self.path)),
      ])
  }

  func controller(
    _ controller: Controller, didChange sectionInfo: any NSFetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int, for type: NSFetchedResultsChangeType
  ) {
    guard counts == nil else { return count(type == .insert ? "sectionInserts" : "sectionDeletes") }
    tell(
      "didChangeSection",
      [
        ("type", JSONText.string(Self.word(type))), ("index", String(sectionIndex)),
        ("name", JSONText.string(sectionInfo.name)),
      ])
  }

  func controller(
    _ controller: Controller, didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
  ) {
    let sections = snapshot.sectionIdentifiers.map { identifier in
      let items = snapshot.itemIdentifiersInSection(withIdentifier: identifier)
      return JSONText.object([
        ("name", JSONText.string(identifier as? String ?? "")),
        (
          "objects",
          JSONText.strings(items.map { ($0 as? NSManagedObjectID).map(names.name) ?? "\($0)" })
        ),
      ])
    }
    tell("snapshot", [("sections", JSONText.array(sections))])
  }

  func controller(
    _ controller: Controller, didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
  ) {
    tell(
      "difference",
      [
        ("removals", JSONText.array(diff.removals.map(change))),
        ("insertions", JSONText.array(diff.insertions.map(change))),
      ])
  }

  private func change(_ change: CollectionDifference<NSManagedObjectID>.Change) -> String {
    let (offset, id, place) =
      switch change {
      case .remove(let offset, let element, let place): (offset, element, place)
      case .insert(let offset, let element, let place): (offset, element, place)
      }
    return JSONText.object([
      ("index", String(offset)), ("object", JSONText.string(names.name(of: id))),
      ("associatedIndex", place.map(String.init)),
    ])
  }

  private static func path(_ path: IndexPath) -> String { "[\(path[0]),\(path[1])]" }

  private static func word(_ type: NSFetchedResultsChangeType) -> String {
    let words: [UInt: String] = [1: "insert", 2: "delete", 3: "move", 4: "update"]
    return words[type.rawValue] ?? String(type.rawValue)
  }
}
