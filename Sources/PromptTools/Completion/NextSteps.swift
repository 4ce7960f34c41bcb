import FetchedResults
import ScriptRuntime

/// The statements that make sense next, for someone who has not typed anything yet.
struct NextSteps {
  /// The statements, with the reason for each.
  private(set) var candidates: [(text: String, detail: String)] = []

  /// Finds the statements that fit a session.
  init(_ session: Session) {
    let entities = session.entities.filter { !$0.isAbstract }
    guard let entity = entities.first else {
      candidates.append(("entity Book { title: String }", "defines what there is"))
      return
    }
    let empty = entities.prefix(100).first { !Self.hasObjects($0, in: session) }
    if let empty { candidates.append(("insert \(empty.name)(", "there is no \(empty.name) yet")) }
    let fetched = Set(session.controllers.values.map(\.controller.fetchRequest.entity.name))
    if !fetched.contains(entity.name), let key = Self.sortKey(of: entity) {
      let name = entity.name.lowercased() + "s"
      if session.controllers[name] == nil {
        candidates.append(
          ("controller \(name) = \(entity.name) sort by \(key)", "follows the objects"))
      }
    }
    for name in session.controllerNames.prefix(100)
    where session.controllers[name]?.controller.fetchedObjects == nil {
      candidates.append(("fetch \(name)", "it has not fetched yet"))
      break
    }
    if session.context.hasChanges { candidates.append(("save", "there are unsaved changes")) }
    let shown = session.controllerNames.last { name in
      session.controllers[name]?.controller.fetchedObjects != nil
    }
    if let shown {
      candidates.append(("show \(shown)", "its sections and objects"))
      candidates.append(("explain", "why the last turn sent what it sent"))
    }
  }

  private static func hasObjects(_ entity: EntityDescription, in session: Session) -> Bool {
    var hasOne = false
    session.context.glance(at: entity, atMost: 1000) { _, _ in
      hasOne = true
      return false
    }
    return hasOne
  }

  private static func sortKey(of entity: EntityDescription) -> String? {
    entity.shownAttribute(besides: nil) ?? entity.attributes.first?.name
  }
}
