/// What the `contents` of an `.xcdatamodel` hold.
package struct ModelFile {
  /// The entities, each behind the one it inherits from.
  package let entities: [EntityDescription]
  /// The requests that the model holds, by name.
  package let requests: [String: FetchRequest]
  /// What is in the file and not in the model, in words; a line each kind.
  package let notes: [String]

  /// Reads a model.
  ///
  /// - Parameter contents: The file's bytes, which are XML.
  /// - Throws: ``ModelFileError``.
  package init(contents: [UInt8]) throws(ModelFileError) {
    let file = try ModelFileReader.read(contents)
    var builder = ModelBuilder(notes: file.notes)
    entities = try builder.entities(from: file.entities)
    requests = builder.requests(from: file.requests, on: entities)
    notes = builder.notes.lines
  }

  /// Returns the name of the current version of a model that has several: what
  /// its `.xccurrentversion`, a property list, says.
  ///
  /// - Returns: Nil where it does not say so.
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

  /// Notes something; names of one kind stand in one line.
  mutating func add(_ kind: String, _ name: String) {
    if names[kind] == nil { kinds.append(kind) }
    if names[kind]?.contains(name) != true { names[kind, default: []].append(name) }
  }

  /// A line for each kind.
  var lines: [String] {
    kinds.map { kind in "\(kind): " + (names[kind] ?? []).joined(separator: ", ") }
  }
}

/// An element of a model file with what it says.
struct ModelElement {
  let name: String
  let attributes: [String: String]
  let line: Int
  var children: [ModelElement] = []

  subscript(attribute: String) -> String? { attributes[attribute] }

  /// Whether an attribute says YES.
  func says(_ attribute: String) -> Bool { attributes[attribute] == "YES" }

  /// Returns an attribute that must be there.
  func required(_ attribute: String) throws(ModelFileError) -> String {
    guard let value = attributes[attribute], !value.isEmpty else {
      throw ModelFileError.missing(attribute: attribute, element: name, line: line)
    }
    return value
  }

  func children(named name: String) -> [ModelElement] { children.filter { $0.name == name } }
}
