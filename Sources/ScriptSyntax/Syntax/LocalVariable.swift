/// A variable that a part of a script brings into sight, by what it is made of.
package struct LocalVariable: Hashable, Sendable {
  package var name: String
  package var origin: Origin

  package init(_ name: String, _ origin: Origin) {
    self.name = name
    self.origin = origin
  }

  /// What a variable is made of.
  package enum Origin: Hashable, Sendable {
    /// `let x = VALUE`.
    case value(ExpressionSyntax)
    /// `for x in VALUES`.
    case element(of: ExpressionSyntax)
    /// An object of a controller's results.
    case object(ofController: String)
    /// An object of an entity.
    case entityObject(String)
    case string
    /// An index path.
    case list
    case number
  }
}

extension LocalVariable {
  /// The number of the object that `insert 10 Book(…)` makes.
  package static let insertedNumber = LocalVariable("i", .number)
}

extension CallbackSyntax {
  /// The variables of the callback in a delegate of a controller.
  package func locals(ofController controller: String) -> [LocalVariable] {
    callback.locals(ofController: controller, parameter: parameter?.text)
  }
}

extension CallbackSyntax.Callback {
  /// The variables of such a callback; `parameter` is the one that the script names.
  func locals(ofController controller: String, parameter: String?) -> [LocalVariable] {
    let type = LocalVariable("type", .string)
    switch self {
    case .willChangeContent, .didChangeContent: return []
    case .didChangeObject:
      return [
        type, LocalVariable("object", .object(ofController: controller)),
        LocalVariable("indexPath", .list),
        LocalVariable("newIndexPath", .list),
      ]
    case .didChangeSection:
      return [
        type, LocalVariable("index", .number),
        LocalVariable("name", .string),
      ]
    case .sectionIndexTitle: return parameter.map { [LocalVariable($0, .string)] } ?? []
    }
  }
}
