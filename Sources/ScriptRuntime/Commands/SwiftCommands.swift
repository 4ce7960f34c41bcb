import FetchedResults
import ScriptSyntax

/// `swift`: code for an app that does as the script does.
struct SwiftCommands {
  let session: Session
  let names: NameLookup
  let events: EventEmitter

  /// `swift books`, `swift Book`, `swift main`.
  func show(_ name: Name) throws(ScriptError) {
    let lines =
      switch try names.swiftSubject(name) {
      case .controller(let binding): SwiftController(binding).lines
      case .context(let name): SwiftContext(name: name).lines
      case .entity(let entity):
        SwiftEntity(entity: entity, hooks: session.hooks[entity.name] ?? []).lines
      }
    events.emit(.swift(name: name.text, text: lines.joined(separator: "\n")))
  }
}
