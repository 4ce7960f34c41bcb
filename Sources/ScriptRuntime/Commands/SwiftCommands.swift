import FetchedResults
import ScriptSyntax

/// `swift`: code for an app that does as the script does.
struct SwiftCommands {
  let session: Session
  let names: NameLookup
  let events: EventEmitter

  /// What `swift` can show.
  enum Subject {
    case controller(ControllerBinding)
    case entity(EntityDescription)
  }

  /// `swift books`, `swift Book`.
  func show(_ name: Name) throws(ScriptError) {
    let lines =
      switch try subject(name) {
      case .controller(let binding): SwiftController(binding).lines
      case .entity(let entity): SwiftEntity(entity: entity).lines
      }
    events.emit(.swift(name: name.text, text: lines.joined(separator: "\n")))
  }

  /// Looks the name of a controller or an entity up.
  func subject(_ name: Name) throws(ScriptError) -> Subject {
    if let binding = session.controllers[name.text] { return .controller(binding) }
    if session.coordinator.managedObjectModel[name.text] != nil
      || name.text.first?.isUppercase == true
    {
      return .entity(try names.entity(name))
    }
    return .controller(try names.controller(name))
  }
}
