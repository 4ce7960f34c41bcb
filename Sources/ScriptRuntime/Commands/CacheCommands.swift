import FetchedResults
import ScriptSyntax

/// Statements about section caches.
struct CacheCommands {
  let session: Session
  let frames: FrameStack
  let evaluator: Evaluator
  let events: EventEmitter

  /// `delete cache "Demo"`.
  func delete(_ name: ExpressionSyntax) throws(ScriptError) {
    let text = try evaluator.string(name)
    try frames.locating(name.range) {
      try session.coordinator.sectionCaches.removeCache(named: text)
    }
  }

  /// `delete caches`.
  func deleteAll(_ range: Range<Int>) throws(ScriptError) {
    try frames.locating(range) { try session.coordinator.sectionCaches.removeAll() }
  }

  /// `caches`.
  func show() {
    let caches = session.coordinator.sectionCaches
    for name in caches.names {
      switch caches.reading(of: name) {
      case .nothing: continue
      case .cache(let cache): events.emit(.cache(shown(cache, name)))
      case .unusable(let problem):
        events.emit(.cache(ShownCache(name: name, contents: nil, staleness: "\(problem)")))
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
