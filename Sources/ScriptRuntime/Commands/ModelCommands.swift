import Basics
import FetchedResults
import Foundation
import ScriptSyntax

/// Statements about Xcode's models.
final class ModelCommands: SessionCommand {
  unowned let parts: SessionParts
  /// The model that was read last.
  private var bundle: ModelBundle?
  /// The notes that models gave, each only once.
  private var notes: Set<String> = []

  init(_ parts: SessionParts) { self.parts = parts }

  /// `model "Library.xcdatamodeld" version "Library 2"`: defines the entities of an Xcode model,
  /// all or none.
  func define(
    _ path: ExpressionSyntax, version: ExpressionSyntax?
  ) throws(ScriptError) {
    if let name = session.openStore { throw frames.failure(.file(.storeIsOpen(name)), path.range) }
    var name = try evaluator.string(path)
    // With a name after it, an empty path would begin at the root of the file system.
    if name.isEmpty { name = "." }
    let contents = try contents(ofModel: name, path.range, version: version)
    let file: ModelFile
    do throws(ModelFileError) {
      file = try ModelFile(contents: contents)
    } catch {
      throw frames.failure(
        .file(.unreadableModel(path: name, reason: error.description)), path.range)
    }
    for entity in file.entities {
      guard let meaning = session.meaning(of: entity.name) else { continue }
      throw frames.failure(.misused(entity.name, is: meaning, wanted: .newName), path.range)
    }
    try frames.locating(path.range) {
      for entity in file.entities { try session.coordinator.add(entity) }
    }
    bundle = ModelBundle(
      path: name, source: frames.source.name, entityNames: file.entities.map(\.name))
    session.add(storedRequests: file.requests)
    for note in file.notes where notes.insert(note).inserted { events.emit(.note(note)) }
  }

  private static var versionSuffix: String { ".xcdatamodel" }

  /// Returns the versions in a bundle, by name.
  private static func versions(among names: [String]) -> [String] {
    names.filter { $0.hasSuffix(versionSuffix) }
      .map { String($0.dropLast(versionSuffix.count)) }.sorted()
  }

  /// The versions of the session's model by name, newest first; none if the model has no versions,
  /// or if the session has other entities.
  ///
  /// - Complexity: O(*n*) in the versions, of which at most 100 are read.
  var otherVersions: [(name: String, model: ManagedObjectModel)] {
    guard let bundle,
      Set(bundle.entityNames) == Set(session.entities.map(\.name)),
      let names = environment.names(inFolder: bundle.path, from: bundle.source)
    else { return [] }
    // Xcode numbers the versions, as in `Library 10`.
    let versions = Self.versions(among: names)
      .ordered { $0.compare($1, options: .numeric) == .orderedDescending }
    var found: [(name: String, model: ManagedObjectModel)] = []
    for version in versions.prefix(Self.mostVersions) where !environment.isInterrupted {
      let path = "\(bundle.path)/\(version)\(Self.versionSuffix)/contents"
      guard let contents = try? environment.contents(at: path, from: bundle.source),
        let file = try? ModelFile(contents: contents),
        let model = try? ManagedObjectModel(entities: file.entities)
      else { continue }
      found.append((version, model))
    }
    return found
  }

  /// Returns the version of the session's model that fits a store in a file best, if the model in
  /// use does not fit it.
  ///
  /// - Returns: Nil also if there are no other versions.
  func versionFitting(_ store: AwaitedStore) -> String? {
    let versions = otherVersions
    guard !versions.isEmpty else { return nil }
    let fits = environment.fits(
      of: [session.coordinator.managedObjectModel] + versions.map(\.model), storeAt: store.path,
      from: store.source.name, isReadOnly: store.options.isReadOnly)
    guard let own = fits.first, own == nil else { return nil }
    // Of versions that fit equally well, the oldest is named.
    let best = zip(versions, fits.dropFirst()).reversed().filter { $1 != nil }
      .max { ($0.1 ?? 0) < ($1.1 ?? 0) }
    return best?.0.name
  }

  private static var mostVersions: Int { 100 }

  /// Returns the file of a model: of the given version, or else of the current one.
  private func contents(
    ofModel path: String, _ range: Range<Int>, version: ExpressionSyntax?
  ) throws(ScriptError) -> [UInt8] {
    let suffix = Self.versionSuffix
    guard let names = environment.names(inFolder: path, from: frames.source.name) else {
      // The path is that of the `contents` file itself, or of nothing.
      return try file(path, ofModel: path, range)
    }
    let versions = Self.versions(among: names)
    if versions.isEmpty, version == nil {
      return try contents(ofModel: path, in: path, range)
    }
    if let version {
      let wanted = try evaluator.string(version)
      guard versions.contains(wanted) else {
        throw frames.failure(.file(.unknownVersion(wanted, versions: versions)), version.range)
      }
      return try contents(ofModel: path, in: "\(path)/\(wanted)\(suffix)", range)
    }
    var current = versions.count == 1 ? versions[0] : nil
    if names.contains(".xccurrentversion") {
      let list = try file(path + "/.xccurrentversion", ofModel: path, range)
      current =
        ModelFile.currentVersion(of: list).flatMap { versions.contains($0) ? $0 : nil } ?? current
    }
    guard let current else {
      throw frames.failure(.file(.noCurrentVersion(path: path, versions: versions)), range)
    }
    return try contents(ofModel: path, in: "\(path)/\(current)\(suffix)", range)
  }

  /// Reads the `contents` in a model's folder.
  ///
  /// If there is none, the error says what the folder contains.
  private func contents(
    ofModel model: String, in folder: String, _ range: Range<Int>
  ) throws(ScriptError) -> [UInt8] {
    let names = environment.names(inFolder: folder, from: frames.source.name)
    if let names, !names.contains("contents") {
      let isBinary = names.contains { $0 == "elements" || $0.isCompiled }
      let reason =
        isBinary ? ModelFileError.binaryModel.description : "there is no model in this folder"
      throw frames.failure(.file(.unreadableModel(path: model, reason: reason)), range)
    }
    return try file(folder + "/contents", ofModel: model, range)
  }

  private func file(
    _ path: String, ofModel model: String, _ range: Range<Int>
  ) throws(ScriptError) -> [UInt8] {
    do throws(UnreadableSource) {
      return try environment.contents(at: path, from: frames.source.name)
    } catch {
      throw frames.failure(.file(.unreadableModel(path: model, reason: error.reason)), range)
    }
  }

  /// `show model`: prints every entity, every request of the model, and every request of the
  /// script, in a form that a script can define again.
  func showModel() {
    let stored = session.storedRequests.ordered { $0.key < $1.key }
      .map { name, request in
        // A request cannot have the name of an entity.
        let line = RequestDefinition(request: request).scriptLine(named: name)
        return session.coordinator.managedObjectModel.entitiesByName[name] == nil
          || line.hasPrefix("#")
          ? line : "# \(line)"
      }
    let defined = session.definedRequestLines.filter { !stored.contains($0) }
    events.emit(
      .model(entities: session.entities, hooks: session.hooks, requests: stored + defined))
  }
}

extension Session {
  /// The statements that define the script's own requests, by name.
  fileprivate var definedRequestLines: [String] {
    requests.ordered { $0.key < $1.key }.map { name, definition in
      definition.scriptLine(named: name)
    }
  }
}

extension String {
  /// Whether a file with this name is a compiled model.
  fileprivate var isCompiled: Bool { hasSuffix(".mom") || hasSuffix(".omo") }
}

/// The model that contains a session's entities.
private struct ModelBundle {
  /// The path as the script writes it.
  let path: String
  /// The name of the script that contains the `model` statement.
  let source: String
  let entityNames: [String]
}
