import FetchedResults

/// The content of a table's cell: the object that it shows, with the values that the object had
/// when the cell was configured.
package struct CellContent: Equatable {
  package let object: ShownObject
  let values: ObjectSnapshot

  init(_ object: ManagedObject, shownAs shown: ShownObject) {
    self.object = shown
    values = object.values.snapshot
  }

  /// Returns how the row's present content differs from what the cell shows; nil if it does not.
  func staleness(against current: CellContent?) -> String? {
    guard self != current else { return nil }
    guard let current else { return "there is no such row" }
    guard object.id == current.object.id else { return "the row is \(current.object)" }
    guard object.display == current.object.display else {
      return "it is \(current.object.displayText) now"
    }
    return change(to: current).map { "\($0) now" } ?? "it was changed"
  }

  /// Returns the first property that differs, with its value.
  private func change(to current: CellContent) -> String? {
    let entity = object.id.entity
    let names = entity.propertyNames
    let count = min(names.count, values.count, current.values.count)
    let index = (0..<count).first { values[$0] != current.values[$0] }
    return index.map { "\(names[$0]) is \(current.values[$0].quotedDescription)" }
  }
}

extension ShownObject {
  /// The text that the object is shown as, in quotes, or its identity if it has none.
  var displayText: String {
    guard let display else { return id.description }
    return display.isNull ? "nil" : display.description.quoted
  }
}
