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
      let typed = Self.read(content, quote)
      self.init(
        start: bytes.count - content.utf8.count,
        candidates: session.cacheNames.filter { name in typed.map(name.hasPrefix) ?? false }
          .compactMap { ValuesOfData.literal($0, quote: quote) }.map { ($0, "section cache") })
    default: return nil
    }
    if !string.hasBegun {
      self.init(start: start, candidates: candidates.map { ("\(quote)\($0.text)", $0.detail) })
    }
  }

  private init(start: Int, candidates: [(text: String, detail: String)]) {
    self.start = start
    self.candidates = candidates
  }

  /// Lists the folder that the typed path leads to: its folders, and files with a wanted ending.
  private init(
    files path: String, _ end: Int, _ quote: Character, _ endings: [String],
    _ environment: (any ScriptEnvironment)?, foldersEnd: Bool = false
  ) {
    let cut = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    start = end - path[cut...].utf8.count
    guard let folder = Self.read(path[..<cut], quote), let typed = Self.read(path[cut...], quote)
    else {
      candidates = []
      return
    }
    let names = environment?.names(inFolder: folder.isEmpty ? "." : folder, from: "") ?? []
    var found: [(text: String, detail: String)] = []
    for name in names where name.hasPrefix(typed) && (!name.hasPrefix(".") || typed.hasPrefix("."))
    {
      let isWanted = endings.isEmpty || endings.contains(where: name.hasSuffix)
      let isFolder = environment?.names(inFolder: folder + name, from: "") != nil
      // A model is a folder, which only one statement can use.
      let isModel = name.contains(".xcdatamodel") || name.hasSuffix(".momd")
      if isFolder, isModel, !foldersEnd { continue }
      if isFolder, !(foldersEnd && isWanted) {
        let literal = ValuesOfData.literal(name + "/", quote: quote)
        literal.map { found.append((String($0.dropLast()), "folder")) }
      } else if isWanted, let literal = ValuesOfData.literal(name, quote: quote) {
        found.append((literal, isFolder ? "model" : "file"))
      }
    }
    candidates = found
  }

  /// Returns the text of what is typed in a string; nil if that is computed, or has an error.
  private static func read(_ typed: some StringProtocol, _ quote: Character) -> String? {
    guard typed.contains("\\") else { return String(typed) }
    let text = SourceText(name: "", text: "print \(quote)\(typed)\(quote)")
    guard case .print(let value)? = ScriptParser.parse(text).statements.first?.kind,
      case .string(let parts) = value.kind, parts.count == 1, case .text(let read) = parts[0]
    else { return nil }
    return read
  }
}

/// A string after a word, up to the cursor.
private struct NamingString {
  /// The word.
  let word: String
  let content: String
  let quote: Character
  /// Whether the opening quote is already typed.
  let hasBegun: Bool

  init?(endingAt bytes: [UInt8]) {
    // This runs between two key presses, and most texts need not be parsed.
    let isAfterBlank = bytes.last == 0x20
    guard isAfterBlank || bytes.contains(where: { $0 == 0x22 || $0 == 0x27 }) else { return nil }
    let read = TextParts(String(decoding: bytes, as: UTF8.self))
    var parts = read.parts
    guard let last = parts.last else { return nil }
    if last.role == .string {
      guard last.range.upperBound == bytes.count, read.endsInString else { return nil }
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

/// Finds objects by their shown text: `Book/` lists the books by their titles, and a part of a
/// title finds the book.
struct NamedObjects {
  let session: Session
  /// The largest number of objects that are searched.
  private static let reach = 20_000

  /// An object and its shown text.
  struct Found {
    let id: ObjectID
    let display: String
  }

  /// Returns the objects that a word after `Book/` can mean: those whose number begins with it, or
  /// whose shown text contains a word that does.
  ///
  /// - Parameters:
  ///   - text: The entry.
  ///   - offset: The cursor's position, in UTF-8 bytes.
  ///   - limit: The largest number of objects.
  /// - Returns: The candidates and where the replaced text begins; nil if there is no such word.
  func numbered(
    in text: String, at offset: Int, atMost limit: Int
  ) -> (start: Int, candidates: [(text: String, detail: String)], omitted: Int)? {
    guard let object = TypedObject(in: text, at: offset),
      let entity = session.coordinator.managedObjectModel.entitiesByName[object.entity]
    else { return nil }
    let typed = object.typed
    let isNumber = typed.utf8.allSatisfy { 0x30...0x39 ~= $0 }
    let wanted = typed.utf8.map(Self.folded)
    var candidates: [(text: String, detail: String)] = []
    var omitted = 0
    each(of: entity) { found in
      let number = String(found.id.number)
      guard isNumber ? number.hasPrefix(typed) : Self.holds(found.display, wanted) else {
        return true
      }
      if candidates.count < limit {
        candidates.append((number, found.display.quoted))
      } else {
        omitted += 1
      }
      return limit > 2 || candidates.count < limit
    }
    return (object.start, candidates, omitted)
  }

  /// Returns objects of any entity whose shown text contains a word that begins with `typed`.
  func shown(as typed: String, except known: Set<ObjectID>, atMost limit: Int) -> [Found] {
    guard typed.utf8.count > 1 else { return [] }
    let wanted = typed.utf8.map(Self.folded)
    var found: [Found] = []
    for entity in session.entities.prefix(200)
    where entity.superentity == nil && found.count < limit {
      each(of: entity) { object in
        if Self.holds(object.display, wanted), !known.contains(object.id) { found.append(object) }
        return found.count < limit
      }
    }
    return found
  }

  private func each(of entity: EntityDescription, _ body: (Found) -> Bool) {
    // Most objects have the same entity as the object before.
    var last: EntityDescription?
    var place = -1
    session.context.glance(at: entity, atMost: Self.reach) { id, snapshot in
      if last !== id.entity {
        last = id.entity
        place =
          id.entity.shownAttribute(besides: nil).flatMap { id.entity.propertyIndex(named: $0) }
          ?? -1
      }
      return body(Found(id: id, display: place < 0 ? "" : snapshot[place].description))
    }
  }

  /// Whether a text contains a word with this start.
  ///
  /// Case is ignored.
  ///
  /// - Parameter wanted: The start of the word, folded.
  private static func holds(_ text: String, _ wanted: [UInt8]) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      var isStart = true
      // Bytes are compared as numbers, because thousands of objects are searched between two key
      // presses.
      for start in 0..<bytes.count {
        if start + wanted.count > bytes.count { return false }
        var matched = 0
        while isStart, matched < wanted.count, folded(bytes[start + matched]) == wanted[matched] {
          matched += 1
        }
        if isStart, matched == wanted.count { return true }
        let byte = bytes[start]
        isStart = !(byte >= 0x80 || 0x30...0x39 ~= byte || 0x61...0x7A ~= byte | 0x20)
      }
      return false
    }
  }

  private static func folded(_ byte: UInt8) -> UInt8 { 0x41...0x5A ~= byte ? byte | 0x20 : byte }
}

/// The values that an attribute has in the session's objects, the most frequent first.
struct ValuesOfData {
  /// The start of the text that a candidate replaces, in UTF-8 bytes.
  let start: Int
  private(set) var candidates: [(text: String, detail: String)] = []
  /// The number of values besides the candidates.
  private(set) var omitted = 0
  /// Whether the opening quote is already typed.
  let isInString: Bool

  /// The largest number of objects that are searched, and of different values that are counted.
  private static let reach = 20_000
  private static let distinct = 4000

  /// Finds the values for the place of the cursor; nil if it is not the place of an attribute's
  /// value.
  ///
  /// - Parameter limit: The largest number of candidates.
  init?(in text: String, at offset: Int, session: Session, atMost limit: Int) {
    guard let typed = TypedValue(in: text, at: offset) else { return nil }
    let names = CompletionNames(session: session, place: typed.place)
    guard let entity = Self.owner(of: typed, names, session), let key = typed.keys.last,
      let index = entity.attributeIndex(named: key)
    else { return nil }
    start = typed.start
    isInString = typed.quote != nil
    let isText = entity.attributes[index].type == .string
    // Only a string has quotes.
    guard isText || typed.quote == nil else { return }
    let counts = Self.counts(of: key, in: entity, session)
    let wanted = NameChoice(typed.content, isFuzzy: false, limit: limit)
    let fuzzy = NameChoice(typed.content, isFuzzy: true, limit: limit)
    var found = counts.filter { wanted.matches($0.key) }
    if found.isEmpty, typed.content.utf8.count > 1 {
      found = counts.filter { fuzzy.matches($0.key) }
    }
    let sorted = found.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    omitted = max(0, sorted.count - limit)
    for (value, count) in sorted.prefix(limit) {
      guard let literal = Self.literal(value, isText: isText, quote: typed.quote) else { continue }
      candidates.append((literal, "(\(count))"))
    }
  }

  /// Returns how often each value occurs.
  private static func counts(
    of key: String, in entity: EntityDescription, _ session: Session
  ) -> [String: Int] {
    var counts: [String: Int] = [:]
    var places: [EntityDescription: Int] = [:]
    session.context.glance(at: entity, atMost: reach) { id, snapshot in
      let place = places[id.entity] ?? id.entity.propertyIndex(named: key) ?? -1
      places[id.entity] = place
      guard place >= 0 else { return true }
      let value = snapshot[place]
      // A long text is not a value to choose from a list.
      guard !value.isNull, let text = value.shortText else { return true }
      if counts.count < distinct || counts[text] != nil { counts[text, default: 0] += 1 }
      return true
    }
    return counts
  }

  private static func owner(
    of typed: TypedValue, _ names: CompletionNames, _ session: Session
  ) -> EntityDescription? {
    switch typed.owner {
    case .inserted(let name), .numbered(let name):
      guard typed.keys.count == 1 else { return nil }
      return session.coordinator.managedObjectModel.entitiesByName[name]
    case .place: break
    }
    for want in typed.place.wants {
      if case .operand(let source, _) = want {
        return names.owner(of: typed.keys, on: source)
      }
    }
    guard typed.place.wants.contains(.value) else { return nil }
    if typed.keys.count == 1 { return typed.place.updatedSource.flatMap(names.entity(of:)) }
    var keys = typed.keys
    guard let first = keys.first else { return nil }
    keys[0] = first.hasPrefix("$") ? first : "$" + first
    return names.owner(of: keys, on: "")
  }

  /// Returns the value as it is written at the cursor; nil if it cannot be written there.
  fileprivate static func literal(
    _ value: String, isText: Bool = true, quote: Character?
  ) -> String? {
    guard isText else { return value }
    guard quote == "'" else {
      let quoted = value.quoted
      return quote == nil ? quoted : String(quoted.dropFirst())
    }
    let isPlain = value.unicodeScalars.allSatisfy { $0 != "'" && $0 != "\\" && $0.value >= 0x20 }
    return isPlain ? value + "'" : nil
  }
}

extension PropertyValue {
  /// The value as a script writes it, without quotes; nil for values that nobody types.
  fileprivate var shortText: String? {
    switch self {
    case .string(let text): text.utf8.count <= 80 ? text : nil
    case .int, .bool: description
    case .null, .double, .date, .decimal, .uuid, .uri, .data, .object, .list: nil
    }
  }
}
