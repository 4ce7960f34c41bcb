import FetchedResults
import ScriptSyntax
import TableViews

/// The methods of a controller's delegate, as code for an app.
struct SwiftDelegate {
  private let mode: ControllerBinding.Delegate
  private let reactions: SwiftReactions

  init(_ binding: ControllerBinding) {
    mode = binding.delegate
    reactions = SwiftReactions(binding)
  }

  /// Whether there is no delegate.
  var isNone: Bool {
    if case .mode(.none) = mode { true } else { false }
  }

  /// Whether the table's data source takes snapshots.
  var isDiffable: Bool {
    if case .mode(.snapshot) = mode { true } else { false }
  }

  /// Returns the extension with the methods; empty if there is no delegate.
  func lines(extending className: String) -> [String] {
    guard !isNone else { return [] }
    let methods = methods.enumerated().flatMap { $0.offset == 0 ? $0.element : [""] + $0.element }
    return ["", "extension \(className): NSFetchedResultsControllerDelegate {"]
      + methods.indented() + ["}"]
  }

  private var methods: [[String]] {
    switch mode {
    case .mode(.changes), .mode(.counts): reactions.methods
    case .mode(.didChange), .table(.reload): [Self.didChange(["tableView.reloadData()"])]
    case .mode(.none): []
    case .mode(.snapshot): [Self.snapshot]
    case .mode(.diff): [Self.difference]
    case .table(.reactions(_)): reactions.methods
    case .own(let callbacks, let source): callbacks.map { Self.own($0, source) }
    }
  }

  private static let parameter =
    "_ controller: NSFetchedResultsController<any NSFetchRequestResult>"

  static func willChange(_ body: [String]) -> [String] {
    ["func controllerWillChangeContent(", "  \(parameter)", ") {"] + body.indented() + ["}"]
  }

  static func didChange(_ body: [String]) -> [String] {
    ["func controllerDidChangeContent(", "  \(parameter)", ") {"] + body.indented() + ["}"]
  }

  static func didChangeObject(_ body: [String]) -> [String] {
    [
      "func controller(", "  \(parameter),", "  didChange object: Any, at indexPath: IndexPath?,",
      "  for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?", ") {",
    ] + body.indented() + ["}"]
  }

  static func didChangeSection(_ body: [String]) -> [String] {
    [
      "func controller(", "  \(parameter),",
      "  didChange sectionInfo: any NSFetchedResultsSectionInfo,",
      "  atSectionIndex sectionIndex: Int, for type: NSFetchedResultsChangeType", ") {",
    ] + body.indented() + ["}"]
  }

  private static func sectionIndexTitle(_ body: [String]) -> [String] {
    [
      "func controller(", "  \(parameter), sectionIndexTitleForSectionName sectionName: String",
      ") -> String? {",
    ] + body.indented() + ["}"]
  }

  private static let snapshot =
    [
      "func controller(", "  \(parameter),",
      "  didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference", ") {",
      "  source.apply(",
      "    snapshot as NSDiffableDataSourceSnapshot<String, NSManagedObjectID>,",
      "    animatingDifferences: view.window != nil)", "}",
    ]

  private static let difference =
    [
      "func controller(", "  \(parameter),",
      "  didChangeContentWith diff: CollectionDifference<NSManagedObjectID>", ") {",
      "  var changed: [IndexPath] = []", "  tableView.performBatchUpdates {",
      "    for change in diff {", "      switch change {",
      "      case .remove(let row, _, nil):",
      "        tableView.deleteRows(at: [IndexPath(row: row, section: 0)], with: .automatic)",
      "      case .insert(let row, _, nil):",
      "        tableView.insertRows(at: [IndexPath(row: row, section: 0)], with: .automatic)",
      "      case .insert(let row, _, let old?):",
      "        let path = IndexPath(row: row, section: 0)", "        changed.append(path)",
      "        if old != row {",
      "          tableView.moveRow(at: IndexPath(row: old, section: 0), to: path)", "        }",
      "      case .remove:", "        break", "      }", "    }", "  }",
      "  tableView.reconfigureRows(at: changed)", "}",
    ]

  /// Returns a callback of the script.
  ///
  /// Its statements become comments, because the app has to implement them.
  private static func own(_ callback: CallbackSyntax, _ source: SourceText) -> [String] {
    let text = source.formattedText(in: callback.range, after: "delegate x {\n", before: "\n}")
    var body = text.split(whereSeparator: \.isNewline).map { line in "// " + line.drop { $0 == " " }
    }
    switch callback.callback {
    case .willChangeContent: return willChange(body)
    case .didChangeContent: return didChange(body)
    case .didChangeObject: return didChangeObject(body)
    case .didChangeSection: return didChangeSection(body)
    case .sectionIndexTitle:
      body.append("nil")
      return sectionIndexTitle(body)
    }
  }
}
