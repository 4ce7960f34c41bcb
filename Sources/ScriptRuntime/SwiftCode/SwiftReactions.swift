import FetchedResults
import TableViews

/// The reactions of an app's table to each callback: those of the script's table, or else those of
/// the template.
struct SwiftReactions {
  private let name: String
  private let object: String
  private let reactions: TableReactions

  init(_ binding: ControllerBinding) {
    name = binding.name.swiftName
    object = binding.controller.fetchRequest.entity.name.swiftName
    if case .table(.reactions(let reactions)) = binding.delegate {
      self.reactions = reactions
    } else {
      reactions = TableReactions()
    }
  }

  /// The delegate's methods.
  var methods: [[String]] {
    [
      SwiftDelegate.willChange(["tableView.beginUpdates()"]),
      SwiftDelegate.didChangeSection(sections), SwiftDelegate.didChangeObject(rows),
      SwiftDelegate.didChange(["tableView.endUpdates()"]),
    ]
  }

  private var sections: [String] {
    let lines = body(of: .sectionInsert) + body(of: .sectionDelete)
    let needsSet = lines.contains { $0.contains("(sections,") }
    return (needsSet ? ["let sections = IndexSet(integer: sectionIndex)"] : []) + ["switch type {"]
      + ["case .insert:"] + body(of: .sectionInsert).indented()
      + ["case .delete:"] + body(of: .sectionDelete).indented()
      + ["case .move, .update:", "  break", "@unknown default:", "  break", "}"]
  }

  private var rows: [String] {
    ["switch type {"]
      + ["case .insert:"] + row(.insert, "if let newIndexPath {").indented()
      + ["case .delete:"] + row(.delete, "if let indexPath {").indented()
      + ["case .move:"] + row(.move, "if let indexPath, let newIndexPath {").indented()
      + ["case .update:"] + row(.update, condition(ofUpdate: reactions[.update])).indented()
      + ["@unknown default:", "  break", "}"]
  }

  /// Returns the body of a case about rows, inside the condition that unwraps its index paths.
  private func row(_ change: TableReactions.Change, _ condition: String) -> [String] {
    let body = body(of: change)
    let needsPath = reactions[change].contains { $0 != .nothing && $0 != .reloadData }
    return needsPath ? [condition] + body.indented() + ["}"] : body
  }

  private func condition(ofUpdate reactions: [TableReactions.Reaction]) -> String {
    let needsNew = reactions.contains { $0 == .insertRows || $0 == .moveRow }
    return needsNew ? "if let indexPath, let newIndexPath {" : "if let indexPath {"
  }

  private func body(of change: TableReactions.Change) -> [String] {
    let lines = reactions[change].flatMap { statements(for: $0, at: change) }
    return lines.isEmpty ? ["break"] : lines
  }

  /// Returns a reaction's statements.
  ///
  /// An operation uses the index path of its callback.
  private func statements(
    for reaction: TableReactions.Reaction, at change: TableReactions.Change
  ) -> [String] {
    let old = change == .insert ? "newIndexPath" : "indexPath"
    let new = change == .delete ? "indexPath" : "newIndexPath"
    switch reaction {
    case .insertRows: return ["tableView.insertRows(at: [\(new)], with: .automatic)"]
    case .deleteRows: return ["tableView.deleteRows(at: [\(old)], with: .automatic)"]
    case .reloadRows: return ["tableView.reloadRows(at: [\(old)], with: .automatic)"]
    case .moveRow: return ["tableView.moveRow(at: \(old), to: \(new))"]
    case .configureCell:
      return [
        "if let cell = tableView.cellForRow(at: \(old)) {",
        "  configure(cell, with: \(name).object(at: \(old)))", "}",
      ]
    case .configureCellWithObject:
      return [
        "if let cell = tableView.cellForRow(at: \(old)), let object = object as? \(object) {",
        "  configure(cell, with: object)", "}",
      ]
    case .insertSections: return ["tableView.insertSections(sections, with: .automatic)"]
    case .deleteSections: return ["tableView.deleteSections(sections, with: .automatic)"]
    case .reloadData: return ["tableView.reloadData()"]
    case .nothing: return []
    }
  }
}
