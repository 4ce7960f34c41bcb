import FetchedResults
import ScriptSyntax

extension Interpreter {
  /// `show books`.
  func show(_ name: Name) throws(ScriptError) {
    let binding = try controller(name)
    let sections = try self.sections(of: binding, name.range).map { section in
      ShownSection(
        name: section.name, indexTitle: section.indexTitle,
        objects: section.objects.map(binding.shown))
    }
    emit(.show(controller: binding.name, sections: sections))
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
