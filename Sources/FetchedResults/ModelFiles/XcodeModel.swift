public import Foundation
import Platform

/// A data model as Xcode saves it: an `.xcdatamodeld` with its versions, or an `.xcdatamodel`.
///
/// ```swift
/// let xcode = try XcodeModel(contentsOf: url)
/// let container = PersistentContainer(managedObjectModel: xcode.managedObjectModel)
/// for note in xcode.notes { print(note) }
/// ```
///
/// Compiled models (`.momd` and `.mom`) have an archive format of Apple's, and are refused.
public struct XcodeModel: Sendable {
  /// The model of the entities.
  public let managedObjectModel: ManagedObjectModel
  /// The fetch requests in the model, by their names in Xcode.
  public let fetchRequestTemplatesByName: [String: FetchRequest]
  /// A description of what is in the file but not in the model, with one line for each kind.
  public let notes: [String]
  /// The name of the version that was read; nil if the model has no versions.
  public let version: String?

  /// Reads a model.
  ///
  /// - Parameters:
  ///   - url: The `.xcdatamodeld` or `.xcdatamodel`, a folder in both cases, or its `contents`.
  ///   - version: The name of a version, such as `Library 2`; nil for the current one.
  /// - Throws: ``XcodeModelError``.
  /// - Complexity: O(*n*) in the size of the file.
  public init(contentsOf url: URL, version: String? = nil) throws(XcodeModelError) {
    var folder = url
    var found: String?
    let versions = ModelFolder.versions(in: url)
    if version != nil || !versions.isEmpty {
      let name = try ModelFolder.version(version, of: versions, in: url)
      folder = url.appendingPathComponent(name + ModelFolder.versionSuffix)
      found = name
    }
    try self.init(contents: try ModelFolder.contents(of: folder), path: url.path, version: found)
  }

  /// Reads a model that is already in memory.
  ///
  /// - Parameter contents: The bytes of the file `contents` in an `.xcdatamodel`.
  /// - Throws: ``XcodeModelError``.
  public init(contents: Data) throws(XcodeModelError) {
    try self.init(contents: Array(contents), path: "contents", version: nil)
  }

  private init(contents: [UInt8], path: String, version: String?) throws(XcodeModelError) {
    do throws(ModelFileError) {
      let file = try ModelFile(contents: contents)
      do throws(ModelError) {
        managedObjectModel = try ManagedObjectModel(entities: file.entities)
      } catch {
        throw ModelFileError.model(error)
      }
      fetchRequestTemplatesByName = file.requests
      notes = file.notes
      self.version = version
    } catch {
      throw .invalid(path: path, error)
    }
  }
}

extension ManagedObjectModel {
  /// Reads the current version of an Xcode model.
  ///
  /// To read another version, or to see which parts are not supported, use ``XcodeModel``.
  ///
  /// - Parameter url: The `.xcdatamodeld` or `.xcdatamodel`.
  /// - Throws: ``XcodeModelError``.
  public init(contentsOf url: URL) throws(XcodeModelError) {
    self = try XcodeModel(contentsOf: url).managedObjectModel
  }
}

/// The reason why an Xcode model cannot be read.
public enum XcodeModelError: Error, Hashable, Sendable {
  /// A file cannot be read, for a reason described in words.
  case unreadable(path: String, reason: String)
  /// There is no version with this name.
  case unknownVersion(String, path: String, versions: [String])
  /// The model has several versions and does not name the current one.
  case noCurrentVersion(path: String, versions: [String])
  /// The file is not a model that can be used.
  case invalid(path: String, ModelFileError)
}

extension XcodeModelError: _DescribedError {
  /// A description of the error.
  public var description: String {
    switch self {
    case .unreadable(let path, let reason): "cannot read the model '\(path)': \(reason)"
    case .unknownVersion(let name, let path, let versions):
      "the model '\(path)' has no version '\(name)'; "
        + (versions.isEmpty ? "it has none" : "it has " + versions.joined(separator: ", "))
    case .noCurrentVersion(let path, let versions):
      "the model '\(path)' has no current version; name one of " + versions.joined(separator: ", ")
    case .invalid(let path, let error): "cannot read the model '\(path)': \(error)"
    }
  }
}

/// Reads the folders in which Xcode keeps a model.
enum ModelFolder {
  static let versionSuffix = ".xcdatamodel"

  /// Returns the names of the versions in a folder, in order; empty if the folder has no versions.
  static func versions(in url: URL) -> [String] {
    (names(in: url) ?? []).filter { $0.hasSuffix(versionSuffix) }
      .map { String($0.dropLast(versionSuffix.count)) }
      .sorted()
  }

  /// Returns the names in a folder; nil if it is not a folder that can be read.
  private static func names(in url: URL) -> [String]? {
    (try? FolderNames.names(in: url.path))?.compactMap(\.text)
  }

  /// Returns the requested version, or else the current one.
  static func version(
    _ wanted: String?, of versions: [String], in url: URL
  ) throws(XcodeModelError) -> String {
    if let wanted {
      guard versions.contains(wanted) else {
        throw .unknownVersion(wanted, path: url.path, versions: versions)
      }
      return wanted
    }
    let list = url.appendingPathComponent(".xccurrentversion")
    if let bytes = try? bytes(of: list), let name = ModelFile.currentVersion(of: bytes),
      versions.contains(name)
    {
      return name
    }
    guard versions.count == 1 else {
      throw .noCurrentVersion(path: url.path, versions: versions)
    }
    return versions[0]
  }

  /// Returns the bytes of a model's `contents`.
  static func contents(of url: URL) throws(XcodeModelError) -> [UInt8] {
    guard let names = names(in: url) else { return try bytes(of: url) }
    if !names.contains("contents"),
      names.contains(where: { $0 == "elements" || $0.hasSuffix(".mom") || $0.hasSuffix(".omo") })
    {
      throw .invalid(path: url.path, .binaryModel)
    }
    return try bytes(of: url.appendingPathComponent("contents"))
  }

  /// Reads a regular file, because reading another kind could block forever.
  private static func bytes(of url: URL) throws(XcodeModelError) -> [UInt8] {
    do throws(SystemError) {
      return try OpenFile.contents(of: url.path)
    } catch {
      throw .unreadable(
        path: url.path, reason: error == .invalid ? "it is not a regular file" : error.words)
    }
  }
}

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

extension ModelFileError: _DescribedError {
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
