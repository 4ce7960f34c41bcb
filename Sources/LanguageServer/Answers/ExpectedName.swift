import GoldenTesting
import ScriptRuntime
import ScriptSyntax

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
