import FetchedResults
import ScriptSyntax

extension Interpreter {
  /// `show books`, `show view`.
  func show(_ name: Name) throws(ScriptError) {
    switch try shown(name) {
    case .table(let table): emit(.showTable(ShownTable(table)))
    case .controller(let binding):
      guard let sections = shownSections(of: binding) else {
        throw failure(.notFetched(binding.name), name.range)
      }
      emit(.show(controller: binding.name, sections: sections))
    }
  }

  /// What `show` can show by a name.
  enum Shown {
    case controller(ControllerBinding)
    case table(TableBinding)
  }

  /// Returns what a name shows.
  func shown(_ name: Name) throws(ScriptError) -> Shown {
    if let table = session.tables[name.text] { return .table(table) }
    if let near = nearestTable(to: name) {
      throw failure(.unknownTable(name.text, suggestion: near), name.range)
    }
    return .controller(try controller(name))
  }

  /// The table that was probably meant, where no controller is nearer.
  private func nearestTable(to name: Name) -> String? {
    guard session.anyMeaning(of: name.text) == nil else { return nil }
    let near = nearestName(to: name.text, among: session.controllerNames + session.tableNames)
    return near.flatMap { session.tables[$0] == nil ? nil : $0 }
  }

  /// The sections of a controller; nil where it has not fetched.
  func shownSections(of binding: ControllerBinding) -> [ShownSection]? {
    guard let sections = binding.controller.sections else { return nil }
    var shown = sections.map { section in
      ShownSection(
        name: section.name, indexTitle: section.indexTitle,
        objects: section.objects.map(binding.shown))
    }
    for (index, marks) in marks(of: binding).enumerated() { shown[index].marks = marks }
    return shown
  }

  /// `show books.request`: the request as a script would write it.
  func showRequest(_ name: Name) throws(ScriptError) {
    let binding = try controller(name)
    let controller = binding.controller
    let query = try locating(name.range) {
      try controller.managedObjectContext.query(
        for: controller.fetchRequest, sectionNameKeyPath: controller.sectionNameKeyPath)
    }
    emit(.request(controller: binding.name, text: controller.scriptText, query: query))
  }

  /// `objects Book`.
  func showObjects(_ name: Name) throws(ScriptError) {
    let entity = try entity(name)
    let attribute = entity.shownAttribute(besides: nil)
    let known = try locating(name.range) { try session.context.knownObjects(of: entity) }
    let objects = known.map { object in
      switch object {
      case .object(let object):
        ShownState(object: ShownObject(object, attribute: attribute), state: object.state)
      case .fault(let id):
        ShownState(object: ShownObject(id: id, display: nil), state: "fault")
      }
    }
    emit(.objects(entity: entity.name, objects: objects))
  }

  /// `caches`.
  func showCaches() {
    let caches = session.coordinator.sectionCaches
    for name in caches.names {
      switch caches.reading(of: name) {
      case .nothing: continue
      case .cache(let cache): emit(.cache(shown(cache, name)))
      case .unusable(let fault):
        emit(.cache(ShownCache(name: name, contents: nil, staleness: "\(fault)")))
      }
    }
  }

  private func shown(_ cache: SectionCache, _ name: String) -> ShownCache {
    let fingerprint = cache.fingerprint
    let model = session.coordinator.managedObjectModel
    let staleness =
      cache.staleness(for: session.coordinator.store) ?? fingerprint.staleness(in: model)
    return ShownCache(
      name: name,
      contents: ShownCache.Contents(
        entity: fingerprint.entity, objects: cache.numbers.count,
        sections: max(cache.runs.count, fingerprint.sectionNameKeyPath == nil ? 1 : 0)),
      staleness: staleness.map { "\($0)" })
  }
}

extension ManagedObject {
  fileprivate var state: String {
    if isDeleted { return "deleted" }
    if isInserted { return "inserted" }
    return isUpdated ? "updated" : "saved"
  }
}

extension FetchedResultsController {
  /// The controller's request, sections and cache in the script's syntax.
  var scriptText: String {
    fetchRequest.scriptText(sectionNameKeyPath: sectionNameKeyPath, cacheName: cacheName)
  }
}
