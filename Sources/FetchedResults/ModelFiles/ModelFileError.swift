/// A model file that cannot be used.
public enum ModelFileError: Error, Hashable, Sendable {
  /// The text is no XML.
  case malformed(line: Int)
  /// The XML is none of a model.
  case notAModel(root: String?)
  /// An element lacks an attribute that it cannot do without.
  case missing(attribute: String, element: String, line: Int)
  case unknownParent(String, entity: String)
  /// Entities that inherit from one another in a circle.
  case parentCycle([String])
  case model(ModelError)
}

extension ModelFileError: CustomStringConvertible {
  /// The fault in words.
  public var description: String {
    switch self {
    case .malformed(let line): "line \(line) is not well-formed XML"
    case .notAModel(let root):
      "it is no model: " + (root.map { "its outermost element is '\($0)'" } ?? "it is empty")
    case .missing(let attribute, let element, let line):
      "line \(line): '\(element)' has no '\(attribute)'"
    case .unknownParent(let parent, let entity):
      "\(entity) inherits from '\(parent)', which is no entity"
    case .parentCycle(let names):
      "entities inherit from one another in a circle: " + names.joined(separator: ", ")
    case .model(let error): error.description
    }
  }
}
