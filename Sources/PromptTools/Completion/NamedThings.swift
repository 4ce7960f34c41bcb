import FetchedResults
import ScriptRuntime
import ScriptSyntax

/// The candidates for a string that names a file or a cache, with quotes if the string has not
/// begun.
///
/// All other strings have no candidates.
struct NamedThings {
  /// The start of the text that a candidate replaces, in UTF-8 bytes.
  let start: Int
  let candidates: [(text: String, detail: String)]

  /// Finds the names for the string that contains the cursor or could begin there; nil if there is
  /// no such string.
  init?(
    in text: String, at offset: Int, session: Session, environment: (any ScriptEnvironment)?
  ) {
    let bytes = Array(text.utf8.prefix(max(0, offset)))
    guard let string = NamingString(endingAt: bytes) else { return nil }
    let (content, quote) = (string.content, string.quote)
    switch string.word {
    case "include": self.init(files: content, bytes.count, quote, [".frc"], environment)
    case "import": self.init(files: content, bytes.count, quote, [".csv", ".json"], environment)
    case "model":
      self.init(
        files: content, bytes.count, quote,
        [".xcdatamodeld", ".xcdatamodel", ".momd"], environment, foldersEnd: true)
    case "sqlite": self.init(files: content, bytes.count, quote, [], environment)
    case "cache":
      self.init(
        start: bytes.count - content.utf8.count,
        candidates: session.cacheNames.filter { $0.hasPrefix(content) }
          .map { ($0 + quote, "section cache") })
    default: return nil
    }
    if !string.hasBegun {
      self.init(start: start, candidates: candidates.map { (quote + $0.text, $0.detail) })
    }
  }

  private init(start: Int, candidates: [(text: String, detail: String)]) {
    self.start = start
    self.candidates = candidates
  }

  /// Lists the folder that the typed path leads to: its folders, and files with a wanted ending.
  private init(
    files path: String, _ end: Int, _ quote: String, _ endings: [String],
    _ environment: (any ScriptEnvironment)?, foldersEnd: Bool = false
  ) {
    let cut = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let folder = String(path[..<cut])
    let typed = String(path[cut...])
    start = end - typed.utf8.count
    let names = environment?.names(inFolder: folder.isEmpty ? "." : folder, includedFrom: "") ?? []
    var found: [(text: String, detail: String)] = []
    for name in names where name.hasPrefix(typed) && (!name.hasPrefix(".") || typed.hasPrefix("."))
    {
      let isWanted = endings.isEmpty || endings.contains(where: name.hasSuffix)
      let isFolder = environment?.names(inFolder: folder + name, includedFrom: "") != nil
      // A model is a folder, which only one statement can use.
      let isModel = name.contains(".xcdatamodel") || name.hasSuffix(".momd")
      if isFolder, isModel, !foldersEnd { continue }
      if isFolder, !(foldersEnd && isWanted) {
        found.append((name + "/", "folder"))
      } else if isWanted {
        found.append((name + quote, isFolder ? "model" : "file"))
      }
    }
    candidates = found
  }
}

/// A string after a word, up to the cursor.
private struct NamingString {
  /// The word.
  let word: String
  let content: String
  let quote: String
  /// Whether the opening quote is already typed.
  let hasBegun: Bool

  init?(endingAt bytes: [UInt8]) {
    // This runs between two key presses, and most texts need not be parsed.
    let isAfterBlank = bytes.last == 0x20
    guard isAfterBlank || bytes.contains(where: { $0 == 0x22 || $0 == 0x27 }) else { return nil }
    var parts = TextParts(String(decoding: bytes, as: UTF8.self)).parts
    guard let last = parts.last else { return nil }
    if last.role == .string {
      guard last.range.upperBound == bytes.count,
        last.range.count == 1 || bytes[bytes.count - 1] != bytes[last.range.lowerBound]
      else { return nil }
      content = String(decoding: bytes[(last.range.lowerBound + 1)...], as: UTF8.self)
      quote = bytes[last.range.lowerBound] == 0x27 ? "'" : "\""
      hasBegun = true
      parts.removeLast()
    } else {
      guard isAfterBlank, last.role == .word else { return nil }
      content = ""
      quote = "\""
      hasBegun = false
    }
    guard let word = parts.popLast(), word.role == .word || word.role == .name else { return nil }
    // `show model` shows the current model and names no file.
    if word.text == "model", parts.last?.text == "show" { return nil }
    self.word = word.text
  }
}

extension Session {
  /// The names of the existing section caches, and those that controllers and requests use.
  var cacheNames: [String] {
    let used =
      controllers.values.compactMap(\.controller.cacheName)
      + requests.values.compactMap(\.cacheName)
    return Set(used).sorted()
  }
}
