import GoldenTesting
import ScriptRuntime
import ScriptSyntax

/// Where the name at a place is defined and used, and its other name.
struct NameAnswers {
  let document: Document
  let analysis: Analysis
  /// Returns what is known of the other scripts of the project that include one of some files; nil
  /// if the project has too many files to look.
  let includers: (Set<String>) -> [Analysis]?
  /// Returns the URI of a file, as the client writes it.
  let uri: (String) -> String

  private var places: [NamedPlace] { analysis.checked.checker?.places ?? [] }

  /// Returns the name at an offset.
  func place(at offset: Int) -> NamedPlace? {
    places.first { place in
      place.source == analysis.source.name
        && (place.range.contains(offset) || place.range.upperBound == offset)
    }
  }

  /// Returns the places in this script and in what it includes of the name at an offset, without
  /// repetitions.
  func places(ofNameAt offset: Int, where isWanted: (NamedPlace) -> Bool) -> [NamedPlace] {
    guard let thing = place(at: offset)?.thing else { return [] }
    return NameSearch.distinct(places.filter { $0.thing == thing && isWanted($0) })
  }

  /// Returns all places of the name at an offset, also in scripts that include this one.
  func references(ofNameAt offset: Int, where isWanted: (NamedPlace) -> Bool) -> [Location] {
    guard let thing = place(at: offset)?.thing else { return [] }
    let search = NameSearch(thing, in: analysis, includers)
    return locations(of: search.places.filter(isWanted), in: search)
  }

  /// Returns where the name at an offset is defined.
  func definitions(ofNameAt offset: Int) -> [Location] {
    locations(of: places(ofNameAt: offset, where: \.isDefinition), in: NameSearch(analysis))
  }

  /// Returns places for the protocol, without those in files that must not be quoted.
  private func locations(of places: [NamedPlace], in search: NameSearch) -> [Location] {
    // The lines and the URI of a file are found once.
    var files: [String: (text: DocumentText, uri: String)] = [:]
    return places.compactMap { place in
      let source = place.source
      let known = files[source] ?? text(of: source, in: search).map { ($0, uri(source)) }
      guard let known else { return nil }
      files[source] = known
      return Location(uri: known.uri, range: known.text.range(of: place.range))
    }
  }

  private func text(of source: String, in search: NameSearch) -> DocumentText? {
    let path = search.realPath(of: source)
    if path == search.realPath(of: analysis.source.name) { return document.text }
    guard let source = search.sources[path], source.isQuotable else { return nil }
    return DocumentText(source, encoding: document.text.encoding)
  }

  /// Returns the file that the `include` at an offset names.
  func file(at offset: Int) -> Location? {
    let statement = analysis.script.statements.first { $0.range.contains(offset) }
    guard case .include(let path, _)? = statement?.kind, path.range.contains(offset),
      case .string(let parts) = path.kind, case .text(let name)? = parts.first,
      let source = try? analysis.files.source(at: name, from: analysis.source.name)
    else { return nil }
    let start = Position(line: 0, character: 0)
    return Location(uri: uri(source.name), range: TextRange(start: start, end: start))
  }

  // MARK: Renaming

  /// Returns the edits that give the name at an offset another one, in all scripts of the project.
  ///
  /// The scripts with the edits are checked again. The name is refused if another name then means
  /// something else, or nothing. Expected output that shows the name is changed, too.
  ///
  /// - Throws: `ResponseError` that says why the name cannot be given.
  func rename(
    _ offset: Int, to name: String, test: (SourceText) -> GoldenTest
  ) throws(ResponseError) -> WorkspaceEdit {
    guard !analysis.script.hasErrors else {
      throw refused("the script has errors; fix them first")
    }
    guard let thing = place(at: offset)?.thing else { throw refused("there is no name here") }
    let search = NameSearch(thing, in: analysis, includers)
    guard search.isWhole else {
      throw refused(
        "the folder has too many files to look for scripts that use '\(thing.name)'; "
          + "put a frc.toml into the folder of the scripts")
    }
    guard search.places.contains(where: \.isDefinition) else {
      throw refused("'\(thing.name)' is not defined in a script, so it cannot be renamed")
    }
    if let broken = search.scripts.first(where: \.script.hasErrors) {
      throw refused("'\(broken.source.name)' uses this script and has errors; fix them first")
    }
    if let (source, line, word) = search.unknownUse(of: thing.name) {
      throw refused(
        "line \(line) of '\(source)' has a '\(word)' whose meaning is known only when it "
          + "runs; rename it there first")
    }
    try check(name, for: thing)
    var ranges: [String: Set<Range<Int>>] = [:]
    for place in search.places {
      ranges[search.realPath(of: place.source), default: []].insert(place.range)
    }
    var texts: [String: [UInt8]] = [:]
    for (source, ranges) in ranges {
      guard let bytes = text(of: source, in: search)?.bytes else {
        throw refused("'\(thing.name)' is used in a file outside of the project")
      }
      texts[source] = Self.replacing(ranges, in: bytes, with: name)
    }
    for script in search.scripts {
      let own = ranges[search.realPath(of: script.source.name)] ?? []
      try checkMeaning(in: script, replacing: own, texts, search, name)
    }
    var edits: [String: [TextEdit]] = [:]
    for script in search.scripts {
      for (source, shown) in ExpectedName(thing, in: search, script)?.ranges(test) ?? [] {
        ranges[search.realPath(of: source.name), default: []].formUnion(shown)
        guard source.name != script.source.name else { continue }
        edits[uri(source.name)] = Self.edits(
          Set(shown), DocumentText(source, encoding: document.text.encoding), name)
      }
    }
    for (source, ranges) in ranges {
      guard let text = text(of: source, in: search) else { continue }
      edits[uri(search.sources[source]?.name ?? source)] = Self.edits(ranges, text, name)
    }
    return WorkspaceEdit(changes: edits)
  }

  private static func edits(
    _ ranges: Set<Range<Int>>, _ text: DocumentText, _ name: String
  ) -> [TextEdit] {
    ranges.sorted { $0.lowerBound < $1.lowerBound }.map {
      TextEdit(range: text.range(of: $0), newText: name)
    }
  }

  private static func replacing(
    _ ranges: Set<Range<Int>>, in bytes: [UInt8], with name: String
  ) -> [UInt8] {
    var bytes = bytes
    for range in ranges.sorted(by: { $0.lowerBound > $1.lowerBound }) {
      bytes.replaceSubrange(range, with: name.utf8)
    }
    return bytes
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

  /// Checks that every name of an edited script means what it meant before.
  ///
  /// - Parameters:
  ///   - ranges: The places of the name in the script's file.
  ///   - texts: The edited files, by their real paths.
  private func checkMeaning(
    in script: Analysis, replacing ranges: Set<Range<Int>>, _ texts: [String: [UInt8]],
    _ search: NameSearch, _ name: String
  ) throws(ResponseError) {
    // A session of a Markdown file is checked without the prose and the other sessions.
    let own = ranges.filter {
      script.start <= $0.lowerBound && $0.upperBound <= script.source.bytes.count
    }
    let source = SourceText(
      name: script.source.name,
      bytes: Self.replacing(own, in: script.source.bytes, with: name))
    let edited = CheckedScript(source, environment: script.files.replacing(texts))
    let before = script.checked.findings.count { $0.diagnostic.severity == .error }
    let errors = edited.findings.filter { $0.diagnostic.severity == .error }
    if errors.count > before, let first = errors.first {
      throw refused("the name '\(name)' would be an error: \(first.diagnostic.message)")
    }
    let now = edited.checker?.places.map(\.thing) ?? []
    let wanted = (script.checked.checker?.places ?? []).map { place in
      search.things(in: script).reduce(place.thing) { $0.renamed($1, to: name) }
    }
    guard now == wanted else {
      throw refused("'\(name)' has another meaning in this script; choose another name")
    }
  }
}

/// The places of a name in several scripts, which may include the same files.
///
/// A name of an included file can mean something else in each script that includes it. So the
/// scripts share places, and each has things of its own. A session of a Markdown file is a script.
struct NameSearch {
  /// The script that was asked, and those that include a file with the name.
  private(set) var scripts: [Analysis]
  /// The sources of the scripts, and of all that they include, by their real paths.
  private(set) var sources: [String: SourceText] = [:]
  /// Whether all scripts of the project were looked at.
  private(set) var isWhole = true
  private var things: [ScriptID: Set<NamedThing>] = [:]

  /// What tells a script from others, also from the other sessions of its Markdown file.
  private struct ScriptID: Hashable {
    let source: String
    let start: Int

    init(_ script: Analysis) { (source, start) = (script.source.name, script.start) }
  }

  private struct Spot: Hashable {
    let source: String
    let range: Range<Int>

    init(_ source: String, _ range: Range<Int>) { (self.source, self.range) = (source, range) }
  }

  /// Knows the sources of a script, and no name.
  init(_ script: Analysis) {
    scripts = [script]
    findSources()
  }

  init(_ thing: NamedThing, in script: Analysis, _ includers: (Set<String>) -> [Analysis]?) {
    self.init(script)
    things[ScriptID(script)] = [thing]
    var searched: Set<String> = []
    var known = 0
    while known < things.values.reduce(0, { $0 + $1.count }) {
      known = things.values.reduce(0) { $0 + $1.count }
      let files = Set(places.map { realPath(of: $0.source) })
      if !files.isSubset(of: searched) {
        searched.formUnion(files)
        if let found = includers(searched) { scripts = [script] + found } else { isWhole = false }
        findSources()
      }
      let spots = Set(places.map(spot))
      for script in scripts {
        let places = script.checked.checker?.places ?? []
        things[ScriptID(script), default: []].formUnion(
          places.filter { spots.contains(spot($0)) }.map(\.thing))
      }
    }
  }

  private mutating func findSources() {
    for script in scripts {
      sources.merge(script.files.used) { first, _ in first }
      sources[realPath(of: script.source.name)] = script.file
    }
  }

  /// Returns the real path of a source of any of the scripts.
  func realPath(of source: String) -> String { scripts[0].files.realPath(of: source) }

  private func spot(_ place: NamedPlace) -> Spot {
    Spot(realPath(of: place.source), place.range)
  }

  /// What the name means in a script.
  func things(in script: Analysis) -> Set<NamedThing> { things[ScriptID(script)] ?? [] }

  /// The places of the name, each once.
  var places: [NamedPlace] {
    var seen: Set<Spot> = []
    return scripts.flatMap { script in
      let things = things(in: script)
      return (script.checked.checker?.places ?? []).filter { things.contains($0.thing) }
    }.filter { seen.insert(spot($0)).inserted }
  }

  /// Returns the first use of a name that is no place of anything, such as in a hook.
  func unknownUse(of name: String) -> (source: String, line: Int, word: String)? {
    let known = Set(scripts.flatMap { $0.checked.checker?.places ?? [] }.map(spot))
    // Of a Markdown file, only the scripts are read.
    let files = Set(scripts.map { realPath(of: $0.source.name) })
    let included = self.sources.filter { !files.contains($0.key) }.map(\.value)
    let sources = (included + scripts.map(\.source)).sorted { $0.name < $1.name }
    let names = sources.reduce(into: Set([name])) { names, source in
      names.formUnion(
        Self.aggregates(of: name, in: TextParts(source.text(in: 0..<source.bytes.count)).parts))
    }
    for source in sources {
      if let line = Self.derivation(from: name, in: source) { return (source.name, line, name) }
      let path = realPath(of: source.name)
      let uses = Self.words(of: source, in: 0..<source.bytes.count).filter { word in
        names.contains(word.text)
          && !known.contains(Spot(path, word.start..<(word.start + word.text.utf8.count)))
      }
      if let first = uses.min(by: { $0.start < $1.start }) {
        return (source.name, source.line(of: first.start), first.text)
      }
    }
    return nil
  }

  /// Returns the words of a part of a script that can be names, also those inside its strings.
  private static func words(
    of source: SourceText, in range: Range<Int>
  ) -> [(text: String, start: Int)] {
    let read = TextParts(source.text(in: range))
    var words: [(text: String, start: Int)] = []
    for part in read.parts {
      var start = range.lowerBound + part.range.lowerBound
      switch part.role {
      case .name, .entity, .object: break
      case .variable: start += 1
      case .word, .number, .date, .string, .comment, .sign, .bracket, .strayBracket,
        .openBracket, .unknown:
        continue
      }
      words.append((String(part.text.drop { $0 == "$" }.prefix { $0 != "/" }), start))
    }
    for value in read.interpolations {
      let start = range.lowerBound + value.lowerBound
      words += Self.words(of: source, in: start..<(start + value.count))
    }
    return words
  }

  /// Returns the names of the aggregates of a property without `as`, such as `sumPages`.
  private static func aggregates(of name: String, in parts: [TextPart]) -> [String] {
    parts.indices.compactMap { index in
      guard FetchedValueSyntax.Function(rawValue: parts[index].text) != nil else { return nil }
      let path = parts[(index + 1)...].dropFirst().prefix { !$0.text.isEmpty }
      let keys = path.map(\.text).filter { $0 != "." }
      let hasAlias = parts[path.endIndex...].dropFirst().first?.text == "as"
      guard keys.contains(name), !hasAlias else { return nil }
      return parts[index].text + keys.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
  }

  /// Returns the line of the first derived attribute whose text has a word.
  private static func derivation(from word: String, in source: SourceText) -> Int? {
    for statement in ScriptParser.parse(source).statements {
      guard case .entity(let entity)? = statement.traits.definitions.first else { continue }
      for property in entity.properties where property.isDerived {
        guard let range = property.value?.range else { continue }
        let words = source.text(in: range).split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        if words.contains(where: { $0 == word }) { return source.line(of: range.lowerBound) }
      }
    }
    return nil
  }

  /// Returns places without repetitions.
  static func distinct(_ places: [NamedPlace]) -> [NamedPlace] {
    var seen: Set<Spot> = []
    return places.filter { seen.insert(Spot($0.source, $0.range)).inserted }
  }
}

/// A name in the expected output of a script, which a rename changes, too.
///
/// Output is text, so a word in it is taken for the name if nothing else can be meant: it is not in
/// a text in quotes, only one thing of the script has the name, and the word is not one of the
/// output's own. What `print` shows is the user's text, where a name has a slash, a dot, a colon or
/// quotes. What a rename leaves differs in the next run, and can be accepted.
struct ExpectedName {
  private let script: Analysis
  private let name: [UInt8]
  /// Whether only the beginning of a callback's line can be the name.
  private let isAmbiguous: Bool

  /// Returns nil if the name is not shown, or can mean something else.
  init?(_ thing: NamedThing, in search: NameSearch, _ script: Analysis) {
    // Output shows the values of variables, and not their names.
    if case .variable = thing { return nil }
    let own = search.things(in: script)
    let others = script.checked.checker?.places.contains { place in
      place.thing.name == thing.name && !own.contains(place.thing)
    }
    isAmbiguous = others ?? true
    if isAmbiguous { guard case .subject = thing else { return nil } }
    self.script = script
    name = Array(thing.name.utf8)
  }

  /// Returns where the name is shown, in the script or in its golden file.
  func ranges(_ test: (SourceText) -> GoldenTest) -> [(source: SourceText, ranges: [Range<Int>])] {
    if let golden = test(script.source).golden {
      let lines = (1...max(1, golden.lineCount)).map(golden.range(ofLine:))
      return [(golden, lines.flatMap { ranges(in: $0, of: golden, isPrinted: false) })]
    }
    let source = script.source
    let shown = script.script.groups.flatMap { group in
      let isPrinted = script.script.statements[group.statements].contains { statement in
        TextParts(source.text(in: statement.range)).parts.contains { $0.text == "print" }
      }
      return group.expected.flatMap { ranges(in: $0.range, of: source, isPrinted: isPrinted) }
    }
    return [(source, shown)]
  }

  /// What follows the name of a controller in the line of a callback.
  private static let callbacks = [" willChange", " didChange"]

  /// Words of the output itself.
  private static let ownWords: Set<String> = [
    "and", "attribute", "by", "cache", "changed", "context", "count", "cycle", "data", "date",
    "delete", "deleted", "entity", "error", "false", "fetch", "file", "first", "hook", "in",
    "index",
    "insert", "inserted", "inverse", "is", "key", "last", "limit", "line", "list", "model", "move",
    "moved", "name", "nil", "not", "note", "now", "number", "object", "objects", "of", "on", "or",
    "order", "ordered", "path", "position", "predicate", "print", "reached", "related",
    "relationship",
    "reload", "request", "row", "rows", "rule", "save", "saved", "section", "sections", "show",
    "sort",
    "source", "state", "store", "table", "target", "text", "time", "to", "track", "true", "turn",
    "type", "unique", "update", "updated", "value", "values", "version", "was", "where",
  ]

  /// Returns the places of the name in a line.
  private func ranges(
    in line: Range<Int>, of source: SourceText, isPrinted: Bool
  ) -> [Range<Int>] {
    let bytes = source.bytes
    let isCommon = isPrinted || Self.ownWords.contains(String(decoding: name, as: UTF8.self))
    var found: [Range<Int>] = []
    var isQuoted = false
    var place = line.lowerBound
    while place < line.upperBound {
      let byte = bytes[place]
      if byte == UInt8(ascii: "\\"), isQuoted {
        place += 2
      } else if byte == UInt8(ascii: "\"") {
        isQuoted.toggle()
        place += 1
      } else if Self.isWord(byte) {
        let end = bytes[place..<line.upperBound].firstIndex { !Self.isWord($0) } ?? line.upperBound
        let next = end < line.upperBound ? bytes[end] : 0
        let last = place > line.lowerBound ? bytes[place - 1] : 0
        let isCallback =
          Self.isFirst(place, in: bytes, line)
          && Self.callbacks.contains { bytes[end..<line.upperBound].starts(with: $0.utf8) }
        let isName =
          isCallback
          || !isAmbiguous
            && (!isCommon || last == UInt8(ascii: ".") || next == UInt8(ascii: ".")
              || next == UInt8(ascii: "/")
              || last == UInt8(ascii: "'") && next == UInt8(ascii: "'")
              || next == UInt8(ascii: ":") && !Self.isFirst(place, in: bytes, line))
        if !isQuoted, isName, bytes[place..<end].elementsEqual(name) { found.append(place..<end) }
        place = end
      } else {
        place += 1
      }
    }
    return found
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x80...: true
    default: false
    }
  }

  /// Whether a line's output begins at a place, as in `error: …`.
  private static func isFirst(_ place: Int, in bytes: [UInt8], _ line: Range<Int>) -> Bool {
    bytes[line.lowerBound..<place].allSatisfy { !isWord($0) && $0 != UInt8(ascii: ",") }
  }
}
