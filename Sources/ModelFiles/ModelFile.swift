/// What the `contents` of an `.xcdatamodel` hold.
package struct ModelFile {
  /// The entities, each after the one it inherits from.
  package let entities: [EntityDescription]
  /// The requests that the model holds, by name.
  package let requests: [String: FetchRequest]
  /// What is in the file and not in the model, in words; a line each kind.
  package let notes: [String]

  /// Reads a model.
  ///
  /// A part that cannot be used is left out with a note. Only a file that is
  /// not a model, or whose entities make no sense together, is refused.
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

  /// Returns the name of the current version of a model that has several: what
  /// its `.xccurrentversion`, a property list, says.
  ///
  /// - Returns: Nil if it does not say so.
  package static func currentVersion(of contents: [UInt8]) -> String? {
    guard let strings = try? ModelFileReader.propertyList(contents),
      let name = strings["_XCCurrentVersionName"]
    else { return nil }
    return name.hasSuffix(".xcdatamodel") ? String(name.dropLast(".xcdatamodel".count)) : name
  }
}

/// What is left out of a model, by kind, each name once.
struct ModelNotes {
  private var kinds: [String] = []
  private var names: [String: [String]] = [:]
  private var known: Set<[String]> = []

  /// How many names a line lists; the others are counted.
  private static let mostNames = 12

  /// Notes something; names of one kind are in one line.
  mutating func add(_ kind: String, _ name: String) {
    guard known.insert([kind, name]).inserted else { return }
    if names[kind] == nil { kinds.append(kind) }
    names[kind, default: []].append(name)
  }

  /// A line for each kind.
  var lines: [String] {
    kinds.map { kind in
      let names = names[kind] ?? []
      let more = names.count - Self.mostNames
      // One name takes no more room than the words for it.
      guard more > 1 else { return "\(kind): " + names.joined(separator: ", ") }
      return "\(kind): " + names.prefix(Self.mostNames).joined(separator: ", ")
        + " and \(more) more"
    }
  }
}

/// An element of a model file with what it says.
struct ModelElement {
  let name: String
  let attributes: [String: String]
  let line: Int
  var children: [ModelElement] = []
  /// The characters right inside it.
  var text = ""

  subscript(attribute: String) -> String? { attributes[attribute] }

  /// Whether an attribute says YES.
  func says(_ attribute: String) -> Bool { attributes[attribute] == "YES" }

  /// Returns an attribute that must be there.
  func required(_ attribute: String) throws(ModelFileError) -> String {
    guard let value = self.given(attribute) else {
      throw ModelFileError.missing(attribute: attribute, element: name, line: line)
    }
    return value
  }

  /// Returns an attribute, or nil if it is missing or empty.
  func given(_ attribute: String) -> String? {
    attributes[attribute].flatMap { $0.isEmpty ? nil : $0 }
  }

  func children(named name: String) -> [ModelElement] { children.filter { $0.name == name } }
}
