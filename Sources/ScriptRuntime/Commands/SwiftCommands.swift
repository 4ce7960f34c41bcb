import FetchedResults
import ScriptSyntax

extension Interpreter {
  /// What `swift` can show.
  enum SwiftSubject {
    case controller(ControllerBinding)
    case entity(EntityDescription)
  }

  /// `swift books`, `swift Book`.
  func showSwift(_ name: Name) throws(ScriptError) {
    let lines =
      switch try swiftSubject(name) {
      case .controller(let binding): SwiftController(binding).lines
      case .entity(let entity): SwiftEntity(entity: entity).lines
      }
    emit(.swift(name: name.text, text: lines.joined(separator: "\n")))
  }

  /// Looks the name of a controller or an entity up.
  func swiftSubject(_ name: Name) throws(ScriptError) -> SwiftSubject {
    if let binding = session.controllers[name.text] { return .controller(binding) }
    if session.coordinator.managedObjectModel[name.text] != nil
      || name.text.first?.isUppercase == true
    {
      return .entity(try entity(name))
    }
    return .controller(try controller(name))
  }
}
