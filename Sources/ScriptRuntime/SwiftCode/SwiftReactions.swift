import FetchedResults

/// What an app's table does at each callback: the reactions of Xcode's
/// template.
struct SwiftReactions {
  init(_ binding: ControllerBinding) {}

  /// The delegate's methods.
  var methods: [[String]] {
    [
      SwiftDelegate.willChange(["tableView.beginUpdates()"]),
      SwiftDelegate.didChangeSection(sections), SwiftDelegate.didChangeObject(rows),
      SwiftDelegate.didChange(["tableView.endUpdates()"]),
    ]
  }

  private var sections: [String] {
    [
      "let sections = IndexSet(integer: sectionIndex)", "switch type {", "case .insert:",
      "  tableView.insertSections(sections, with: .automatic)", "case .delete:",
      "  tableView.deleteSections(sections, with: .automatic)", "case .move, .update:",
      "  break", "@unknown default:", "  break", "}",
    ]
  }

  private var rows: [String] {
    let old = "if let indexPath {"
    let new = "if let newIndexPath {"
    return [
      "switch type {", "case .insert:", "  \(new)",
      "    tableView.insertRows(at: [newIndexPath], with: .automatic)", "  }", "case .delete:",
      "  \(old)", "    tableView.deleteRows(at: [indexPath], with: .automatic)", "  }",
      "case .move:", "  if let indexPath, let newIndexPath {",
      "    tableView.deleteRows(at: [indexPath], with: .automatic)",
      "    tableView.insertRows(at: [newIndexPath], with: .automatic)", "  }", "case .update:",
      "  \(old)", "    tableView.reloadRows(at: [indexPath], with: .automatic)", "  }",
      "@unknown default:", "  break", "}",
    ]
  }
}
