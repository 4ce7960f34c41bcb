import GoldenTesting
import ScriptRuntime
import ScriptSyntax

/// Where the name at a place is defined and used, and its other name.
struct NameAnswers {
  let document: Document
  let analysis: Analysis

  private var places: [NamedPlace] { analysis.checked.checker?.places ?? [] }

  /// Returns the name at an offset.
  func place(at offset: Int) -> NamedPlace? {
    places.first { place in
      place.source == analysis.source.name
        && (place.range.contains(offset) || place.range.upperBound == offset)
    }
  }

  /// Returns the places of the name at an offset, without repetitions.
  func places(ofNameAt offset: Int, where isWanted: (NamedPlace) -> Bool) -> [NamedPlace] {
    guard let thing = place(at: offset)?.thing else { return [] }
    var seen: Set<NamedPlace> = []
    return places.filter { $0.thing == thing && isWanted($0) && seen.insert($0).inserted }
  }

  /// Returns a place for the protocol; nil for a file that must not be quoted.
  func location(of place: NamedPlace) -> Location? {
    guard let (uri, text) = text(ofSource: place.source) else { return nil }
    return Location(uri: uri, range: text.range(of: place.range))
  }

  private func text(ofSource name: String) -> (uri: String, text: DocumentText)? {
    if name == analysis.source.name { return (document.uri, document.text) }
    guard let source = analysis.files.used[name], source.isQuotable else { return nil }
    return (
      Document.uri(of: name), DocumentText(source.bytes, encoding: document.text.encoding)
    )
  }

  /// Returns the file that the `include` at an offset names.
  func file(at offset: Int) -> Location? {
    let statement = analysis.script.statements.first { $0.range.contains(offset) }
    guard case .include(let path, _)? = statement?.kind, path.range.contains(offset),
      case .string(let parts) = path.kind, case .text(let name)? = parts.first,
      let source = try? analysis.files.source(at: name, includedFrom: analysis.source.name)
    else { return nil }
    let start = Position(line: 0, character: 0)
    return Location(
      uri: Document.uri(of: source.name), range: TextRange(start: start, end: start))
  }

  // MARK: Renaming

  /// Returns the edits that give the name at an offset another one.
  ///
  /// The scripts with the edits are checked again. The name is refused if another name then means
  /// something else, or nothing.
  ///
  /// - Throws: `ResponseError` that says why the name cannot be given.
  func rename(_ offset: Int, to name: String) throws(ResponseError) -> WorkspaceEdit {
    guard !analysis.script.hasErrors else {
      throw refused("the script has errors; fix them first")
    }
    guard let thing = place(at: offset)?.thing else { throw refused("there is no name here") }
    let all = places(ofNameAt: offset) { _ in true }
    guard all.contains(where: \.isDefinition) else {
      throw refused("'\(thing.name)' is not defined in a script, so it cannot be renamed")
    }
    try check(name, for: thing)
    var edits: [String: [TextEdit]] = [:]
    var texts: [String: [UInt8]] = [:]
    for (source, places) in Dictionary(grouping: all, by: \.source) {
      guard let (uri, text) = text(ofSource: source) else {
        throw refused("'\(thing.name)' is used in a file outside of the project")
      }
      var bytes = text.bytes
      let sorted = places.sorted { $0.range.lowerBound > $1.range.lowerBound }
      for place in sorted { bytes.replaceSubrange(place.range, with: name.utf8) }
      texts[source] = bytes
      edits[uri] = sorted.reversed().map {
        TextEdit(range: text.range(of: $0.range), newText: name)
      }
    }
    try checkMeaning(of: texts, thing, name)
    return WorkspaceEdit(changes: edits)
  }

  private func refused(_ reason: String) -> ResponseError { ResponseError(.requestFailed, reason) }

  private func check(_ name: String, for thing: NamedThing) throws(ResponseError) {
    let parts = TextParts(name).parts
    guard parts.count == 1, parts[0].range == 0..<name.utf8.count else {
      throw refused("'\(name)' is not one word")
    }
    let isEntity = if case .entity = thing { true } else { false }
    let wanted: [TextPart.Role] = isEntity ? [.entity] : [.name]
    guard wanted.contains(parts[0].role), !ScriptParser.statementWords.contains(name) else {
      throw refused(
        isEntity
          ? "'\(name)' cannot be the name of an entity; begin it with a capital letter"
          : "'\(name)' is a word of the language, or begins with a capital letter")
    }
  }

  /// Checks that every name of the edited scripts means what it meant before.
  private func checkMeaning(
    of texts: [String: [UInt8]], _ thing: NamedThing, _ name: String
  ) throws(ResponseError) {
    let source = SourceText(
      name: analysis.source.name, bytes: texts[analysis.source.name] ?? analysis.source.bytes)
    let files = analysis.files.replacing(texts)
    let edited = CheckedScript(source, environment: files)
    let before = analysis.checked.findings.count { $0.diagnostic.severity == .error }
    let errors = edited.findings.filter { $0.diagnostic.severity == .error }
    if errors.count > before, let first = errors.first {
      throw refused("the name '\(name)' would be an error: \(first.diagnostic.message)")
    }
    let now = edited.checker?.places.map(\.thing) ?? []
    guard now == places.map({ $0.thing.renamed(thing, to: name) }) else {
      throw refused("'\(name)' has another meaning in this script; choose another name")
    }
  }
}
