import FetchedResults
import ScriptSyntax
import TableViews

/// A table view controller for iOS 17 that sets up a script's controller, its
/// table and its delegate.
struct SwiftController {
  let binding: ControllerBinding
  let delegate: SwiftDelegate

  init(_ binding: ControllerBinding) {
    self.binding = binding
    delegate = SwiftDelegate(binding)
  }

  private var controller: FetchedResultsController { binding.controller }
  private var entity: EntityDescription { controller.fetchRequest.entity }
  private var name: String { binding.swiftProperty }
  private var className: String { binding.name.capitalizedFirst + "ViewController" }
  private var object: String { entity.name.swiftName }

  /// The lines of the file.
  var lines: [String] {
    let request = SwiftRequest(controller.fetchRequest)
    var body = properties(request) + [""] + initializers(request) + [""] + viewDidLoad
    body += [""] + (delegate.isDiffable ? diffableSource : classicSource) + [""] + configure
    let head = [
      "import CoreData", "import UIKit", "", "/// \(controller.scriptText.inOneLine)",
      "final class \(className): UITableViewController {",
    ]
    return head + body.indented() + ["}"] + delegate.lines(extending: className)
  }

  // MARK: Set-up

  private func properties(_ request: SwiftRequest) -> [String] {
    var lines = ["private let context: NSManagedObjectContext"]
    lines += request.objects.map {
      "private let \($0.swiftParameter)"
    }
    var arguments = ["fetchRequest: request", "managedObjectContext: context"]
    arguments.append(
      "sectionNameKeyPath: "
        + (controller.sectionNameKeyPath.map(entity.swiftKeyPath) ?? "nil"))
    arguments.append("cacheName: " + (controller.cacheName?.quoted ?? "nil"))
    let setUp =
      request.lines + ownOptions + ["let controller = NSFetchedResultsController("]
      + arguments.enumerated().map { index, argument in
        "  " + argument + (index < arguments.count - 1 ? "," : ")")
      }
      + (delegate.isNone ? [] : ["controller.delegate = self"]) + ["return controller"]
    lines += ["", "private lazy var \(name): NSFetchedResultsController<\(object)> = {"]
    lines += setUp.indented() + ["}()"]
    return lines
  }

  /// Comments about options of the script's controller that an app's controller does not have.
  private var ownOptions: [String] {
    var lines: [String] = []
    if controller.keepsFetchLimit {
      lines += [
        "// 'keep limit' has no counterpart: NSFetchedResultsController heeds the limit in",
        "// performFetch() only. Fetch again after changes, or show the first rows only.",
      ]
    }
    if controller.tracksRelatedObjects {
      lines += [
        "// 'track related' has no counterpart: NSFetchedResultsController reports changes of",
        "// the fetched objects only. Touch these when a related object changes.",
      ]
    }
    return lines
  }

  private func initializers(_ request: SwiftRequest) -> [String] {
    let more = request.objects.map { ", \($0.swiftParameter)" }
    return ["init(context: NSManagedObjectContext\(more.joined())) {", "  self.context = context"]
      + request.objects.map { "  self.\($0.swiftProperty) = \($0.swiftProperty)" }
      + [
        "  super.init(style: .plain)", "}", "", "@available(*, unavailable)",
        "required init?(coder: NSCoder) { fatalError(\"made in code\") }",
      ]
  }

  private var viewDidLoad: [String] {
    var lines = [
      "override func viewDidLoad() {", "  super.viewDidLoad()",
      "  tableView.register(UITableViewCell.self, forCellReuseIdentifier: \(entity.name.quoted))",
    ]
    if delegate.isDiffable { lines.append("  tableView.dataSource = source") }
    return lines + [
      "  do {", "    try \(name).performFetch()", "  } catch {",
      "    assertionFailure(\"\\(error)\")", "  }", "}",
    ]
  }

  // MARK: The data source

  private var classicSource: [String] {
    var lines = [
      "override func numberOfSections(in tableView: UITableView) -> Int {",
      "  \(name).sections?.count ?? 0", "}", "",
      "override func tableView(",
      "  _ tableView: UITableView, numberOfRowsInSection section: Int", ") -> Int {",
      "  \(name).sections?[section].numberOfObjects ?? 0", "}", "",
      "override func tableView(",
      "  _ tableView: UITableView, cellForRowAt indexPath: IndexPath", ") -> UITableViewCell {",
      "  let cell = tableView.dequeueReusableCell(",
      "    withIdentifier: \(entity.name.quoted), for: indexPath)",
      "  configure(cell, with: \(name).object(at: indexPath))", "  return cell", "}",
    ]
    guard controller.sectionNameKeyPath != nil else { return lines }
    lines += [
      "", "override func tableView(",
      "  _ tableView: UITableView, titleForHeaderInSection section: Int", ") -> String? {",
      "  \(name).sections?[section].name", "}", "",
      "override func sectionIndexTitles(for tableView: UITableView) -> [String]? {",
      "  \(name).sectionIndexTitles", "}", "",
      "override func tableView(",
      "  _ tableView: UITableView, sectionForSectionIndexTitle title: String, at index: Int",
      ") -> Int {", "  \(name).section(forSectionIndexTitle: title, at: index)", "}",
    ]
    return lines
  }

  private var diffableSource: [String] {
    let type = controller.sectionNameKeyPath == nil ? "UITableViewDiffableDataSource" : "Source"
    let arguments = controller.sectionNameKeyPath == nil ? "<String, NSManagedObjectID>" : ""
    var lines = [
      "private lazy var source = \(type)\(arguments)(tableView: tableView) {",
      "  [unowned self] tableView, indexPath, _ in",
      "  let cell = tableView.dequeueReusableCell(",
      "    withIdentifier: \(entity.name.quoted), for: indexPath)",
      "  configure(cell, with: \(name).object(at: indexPath))", "  return cell", "}",
    ]
    if controller.sectionNameKeyPath != nil {
      lines += [
        "",
        "private final class Source: UITableViewDiffableDataSource<String, NSManagedObjectID> {",
        "  override func tableView(",
        "    _ tableView: UITableView, titleForHeaderInSection section: Int",
        "  ) -> String? {", "    sectionIdentifier(for: section)", "  }", "}",
      ]
    }
    return lines
  }

  private var configure: [String] {
    [
      "private func configure(_ cell: UITableViewCell, with object: \(object)) {",
      "  var content = cell.defaultContentConfiguration()", "  content.text = \(shownText)",
      "  cell.contentConfiguration = content", "}",
    ]
  }

  private var shownText: String {
    let key = entity.shownAttribute(besides: controller.sectionNameKeyPath)
    guard let key, let index = entity.attributeIndex(named: key) else {
      return "object.objectID.uriRepresentation().lastPathComponent"
    }
    let isText = entity.attributes[index].type == .string
    let property =
      key.isSwiftProperty
      ? "object.\(key.swiftName)"
      : "object.value(forKey: \(key.quoted))" + (isText ? " as? String" : "")
    return isText ? property : "String(describing: \(property))"
  }
}

extension ControllerBinding {
  /// The names in the code of the view controller, and those of its superclasses.
  private static let swiftNames: Set = [
    "cell", "children", "configure", "context", "controller", "description", "hash", "index",
    "indexPath", "isEditing", "navigationItem", "newIndexPath", "next", "object", "parent",
    "section", "source", "storyboard", "superclass", "tabBarItem", "tableView", "title",
    "toolbarItems", "type", "undoManager", "view",
  ]

  /// The name of the controller's property in the view controller.
  fileprivate var swiftProperty: String {
    let objects = SwiftRequest(controller.fetchRequest).objects.map(\.swiftProperty)
    return name.swiftName(unlike: Self.swiftNames.union(objects), ending: "Controller")
  }
}

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

/// The reactions of an app's table to each callback: those of the script's table, or else those of
/// the template.
struct SwiftReactions {
  private let name: String
  private let object: String
  private let reactions: TableReactions

  init(_ binding: ControllerBinding) {
    name = binding.swiftProperty
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
