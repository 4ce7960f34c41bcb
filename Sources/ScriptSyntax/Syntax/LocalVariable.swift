/// A variable that a part of a script defines, with the origin of its value.
package struct LocalVariable: Hashable, Sendable {
  package var name: String
  package var origin: Origin

  package init(_ name: String, _ origin: Origin) {
    self.name = name
    self.origin = origin
  }

  /// The origin of a variable's value.
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
  /// The counter of `insert 10 Book(…)`.
  package static let insertedNumber = LocalVariable("i", .number)
}

extension CallbackSyntax {
  /// Returns the variables in a callback of a controller's delegate.
  package func locals(ofController controller: String) -> [LocalVariable] {
    callback.locals(ofController: controller, parameter: parameter?.text)
  }
}

extension CallbackSyntax.Callback {
  /// Returns the variables in such a callback; `parameter` is the name that the script chose.
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
