public import Foundation

/// The reason why a model file cannot be used.
public enum ModelFileError: Error, Hashable, Sendable {
  /// The text is not well-formed XML.
  case malformed(line: Int)
  /// The text is not UTF-8, and no other encoding is declared.
  case notUTF8(line: Int)
  /// The declared encoding is unknown, or the text is not in that encoding.
  case unknownEncoding(String)
  /// The text contains a processing instruction.
  case processingInstruction(line: Int)
  /// The document type declares entities, elements or attributes.
  case declarations(line: Int)
  /// The elements are nested more deeply than in any model.
  case tooDeep(line: Int)
  /// The file has more elements, or the entities more inherited properties, than any real model.
  case tooLarge
  /// The file is an archive: a compiled model, or a model of Xcode 3.
  case binaryModel
  /// The file is XML, but not a model.
  case notAModel(root: String?)
  /// An entity lacks a required attribute.
  case missing(attribute: String, element: String, line: Int)
  /// An entity inherits from one that the file does not have.
  case unknownSuperentity(String, entity: String)
  /// Entities inherit from each other in a cycle.
  case inheritanceCycle([String])
  /// The entities do not form a valid model.
  case model(ModelError)
}

extension ModelFileError: CustomStringConvertible {
  /// A description of the error.
  public var description: String {
    switch self {
    case .malformed(let line): "line \(line) is not well-formed XML"
    case .notUTF8(let line): "line \(line) is not UTF-8; save the file as UTF-8"
    case .unknownEncoding(let name):
      "it is not readable in the encoding '\(name)' that it declares; save it as UTF-8"
    case .processingInstruction(let line):
      "line \(line) has a processing instruction ('<?…?>'), which no model needs; remove it"
    case .declarations(let line):
      "line \(line) declares entities or elements ('<!DOCTYPE … […]>'), which no model needs; "
        + "remove the declarations"
    case .tooDeep(let line): "line \(line) is nested more deeply than any model"
    case .tooLarge: "it has more elements or inherited properties than frc can hold"
    case .binaryModel:
      "it is a binary archive (a compiled model, or the 'elements' of Xcode 3); frc reads the XML "
        + "that Xcode 4 and later write to 'contents': open and save the model there"
    case .notAModel(let root):
      "it is not a model: " + (root.map { "its outermost element is '\($0)'" } ?? "it is empty")
    case .missing(let attribute, let element, let line):
      "line \(line): '\(element)' has no '\(attribute)'"
    case .unknownSuperentity(let parent, let entity):
      "\(entity) inherits from '\(parent)', which is not an entity"
    case .inheritanceCycle(let names):
      "entities inherit from one another in a circle: " + names.joined(separator: ", ")
    case .model(let error): error.description
    }
  }
}

extension ModelFileError: LocalizedError {
  /// A description of the error.
  public var errorDescription: String? { description }
}
