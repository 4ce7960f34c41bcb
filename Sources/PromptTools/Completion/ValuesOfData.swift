import FetchedResults
import ScriptRuntime
import ScriptSyntax

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
      if case .operand(let source) = want {
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
  private static func literal(_ value: String, isText: Bool, quote: Character?) -> String? {
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
