import FetchedResults
import ScriptSyntax

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
  private var name: String { binding.name.swiftName }
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
    let property = "object.\(key.swiftName)"
    return entity.attributes[index].type == .string ? property : "String(describing: \(property))"
  }
}
