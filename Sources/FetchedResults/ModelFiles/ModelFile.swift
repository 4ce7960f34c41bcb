public import Foundation

/// The contents of an `.xcdatamodel`.
package struct ModelFile {
  /// The entities, each after the one it inherits from.
  package let entities: [EntityDescription]
  /// The fetch requests in the model, by name.
  package let requests: [String: FetchRequest]
  /// A description of what is in the file but not in the model, with one line for each kind.
  package let notes: [String]

  /// Reads a model.
  ///
  /// A part that cannot be used is skipped with a note. The whole file is refused only if it is not
  /// a model, or if its entities do not fit together.
  ///
  /// - Parameter contents: The file's bytes, which are XML.
  /// - Throws: ``ModelFileError``.
  package init(contents: [UInt8]) throws(ModelFileError) {
    let root = try ModelFileReader.read(contents)
    guard root.name == "model" else { throw ModelFileError.notAModel(root: root.name) }
    var builder = ModelBuilder()
    builder.noteUnused(in: root)
    entities = try builder.entities(from: root.children(named: "entity"))
    requests = builder.requests(from: root.children(named: "fetchRequest"), on: entities)
    notes = builder.notes.lines
  }

  /// Returns the name of the current version of a model with several versions, from its
  /// `.xccurrentversion`, which is a property list.
  ///
  /// - Returns: Nil if the property list does not name it.
  package static func currentVersion(of contents: [UInt8]) -> String? {
    guard let strings = try? ModelFileReader.propertyList(contents),
      let name = strings["_XCCurrentVersionName"]
    else { return nil }
    return name.hasSuffix(".xcdatamodel") ? String(name.dropLast(".xcdatamodel".count)) : name
  }
}

/// The parts of a model that were skipped, by kind and without duplicates.
struct ModelNotes {
  private var kinds: [String] = []
  private var names: [String: [String]] = [:]
  private var known: Set<[String]> = []

  /// How many names a line lists.
  ///
  /// Further names are counted.
  private static let mostNames = 12

  /// Notes a skipped part.
  ///
  /// Names of the same kind share a line.
  mutating func add(_ kind: String, _ name: String) {
    guard known.insert([kind, name]).inserted else { return }
    if names[kind] == nil { kinds.append(kind) }
    names[kind, default: []].append(name)
  }

  /// The notes, with one line for each kind.
  var lines: [String] {
    kinds.map { kind in
      let names = names[kind] ?? []
      let more = names.count - Self.mostNames
      // One more name takes no more space than a count.
      guard more > 1 else { return "\(kind): " + names.joined(separator: ", ") }
      return "\(kind): " + names.prefix(Self.mostNames).joined(separator: ", ")
        + " and \(more) more"
    }
  }
}

/// An element of a model file, with its attributes and its content.
struct ModelElement {
  let name: String
  let attributes: [String: String]
  let line: Int
  var children: [ModelElement] = []
  /// The text directly inside it.
  var text = ""

  subscript(attribute: String) -> String? { attributes[attribute] }

  /// Whether an attribute is YES.
  func says(_ attribute: String) -> Bool { attributes[attribute] == "YES" }

  /// Returns a required attribute.
  func required(_ attribute: String) throws(ModelFileError) -> String {
    guard let value = self.given(attribute) else {
      throw ModelFileError.missing(attribute: attribute, element: name, line: line)
    }
    return value
  }

  /// Returns an attribute; nil if it is missing or empty.
  func given(_ attribute: String) -> String? {
    attributes[attribute].flatMap { $0.isEmpty ? nil : $0 }
  }

  func children(named name: String) -> [ModelElement] { children.filter { $0.name == name } }
}

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
