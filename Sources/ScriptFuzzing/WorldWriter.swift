import Basics
import FetchedResults
import PredicateSyntax
import ScriptRuntime

/// Writes what a world has besides the given script: controllers that fetch, and some objects.
struct WorldWriter {
  private let session: Session

  init(_ session: Session) { self.session = session }

  /// Locales that sort some letters differently.
  static let locales = ["en", "de", "sv", "ja"]

  /// Returns the world's settings for saves and sorts, and its other contexts.
  func settings(_ random: inout SeededGenerator) -> [String] {
    var lines: [String] = []
    let policy = { (random: inout SeededGenerator) in
      random.one(of: MergePolicy.allCases)?.rawValue ?? "error"
    }
    if random.chance(2) { lines.append("set policy \(policy(&random))") }
    if random.chance(4), let locale = random.one(of: Self.locales) {
      lines.append("set locale \(locale)")
    }
    guard random.chance(3) else { return lines }
    lines.append("context \(freeContextName("other")) policy \(policy(&random))")
    if random.chance(3) { lines.append("context \(freeContextName("child")) parent main") }
    if random.chance(2) { lines.append("automerge main on") }
    return lines
  }

  /// Returns a name that no context of the script has, because contexts cannot be replaced.
  private func freeContextName(_ name: String) -> String {
    let names = (1...).lazy.map { $0 == 1 ? name : "\(name)\($0)" }
    return names.first { session.context(named: $0) == nil } ?? name
  }

  /// Returns one or two controllers for each entity, with random sort keys and sections, and some
  /// observers.
  ///
  /// All controllers fetch.
  func controllers(_ random: inout SeededGenerator) -> [String] {
    var lines: [String] = []
    var names = session.controllerNames
    for entity in session.entities where !entity.settableAttributes.isEmpty {
      for _ in 0..<random.number(names.isEmpty ? 1...2 : 0...1) {
        let name = "c\(names.count + 1)"
        guard !names.contains(name), session.requests[name] == nil else { continue }
        names.append(name)
        lines.append("controller \(name) = " + request(of: entity, &random))
      }
    }
    for name in names.shuffled(using: &random) {
      lines.append("try fetch \(name)")
      // A delegate that fetches receives one batch within another.
      if random.chance(6), session.controllers[name]?.observer == nil,
        let delegate = meddler(&random)
      {
        lines.append("delegate \(name) { \(delegate) }")
      }
    }
    return lines + observers(&random)
  }

  private func observers(_ random: inout SeededGenerator) -> [String] {
    session.entities.filter { !$0.settableAttributes.isEmpty }.enumerated().compactMap {
      index, entity in
      let name = "o\(index + 1)"
      guard random.chance(3), session.controllers[name] == nil, session.requests[name] == nil else {
        return nil
      }
      return "observer \(name) = " + request(of: entity, &random)
        + (random.chance(3) ? " updates turns" : "")
    }
  }

  /// Returns a callback that changes objects and fetches, and a statement that ends it.
  private func meddler(_ random: inout SeededGenerator) -> String? {
    let numbers = session.entities.compactMap { entity in
      entity.settableAttributes.last { $0.type.isNumeric }.map { (entity, $0.name) }
    }
    guard let (entity, number) = random.one(of: numbers) else { return nil }
    // Some attributes may be derived from a text.
    let text = random.chance(2) ? entity.settableAttributes.first { $0.type == .string } : nil
    let edits = "o.\(number) = 6" + (text.map { "; o.\($0.name) = \"Ö\"" } ?? "")
    let callback = random.chance(2) ? "didChangeObject" : "didChangeContent"
    let rows = "\(entity.name) where \(number.asKeyInPredicate) == 7"
    return "\(callback) { for o in fetch \(rows) { \(edits) }; "
      + "fetch \(entity.name) limit 1 }"
  }

  private func request(of entity: EntityDescription, _ random: inout SeededGenerator) -> String {
    let attributes = entity.settableAttributes.shuffled(using: &random)
    var text = entity.name
    if let attribute = attributes.last, random.chance(3) {
      let sign = random.one(of: ["==", "!=", "<", ">="]) ?? "=="
      let literal = random.literal(for: attribute)
      let isOrdered = attribute.type.isNumeric || attribute.type == .string
      if literal != "nil", !literal.hasPrefix("uuid"), !literal.hasPrefix("data") {
        let key = attribute.name.asKeyInPredicate
        text += " where \(key) \(isOrdered ? sign : "==") \(literal)"
      }
    }
    var keys = attributes.prefix(random.number(1...2)).map { attribute in
      let collation =
        attribute.type == .string && random.chance(4)
        ? random.one(of: [" using localized", " using localizedStandard", " using caseInsensitive"])
        : nil
      return attribute.name + (random.chance(3) ? " desc" : "") + (collation ?? "")
    }
    let related = random.chance(3) ? relatedKey(of: entity, &random) : nil
    if let related { keys.insert(related, at: 0) }
    text += " sort by " + keys.joined(separator: ", ")
    if random.chance(2), let key = related ?? attributes.first?.name {
      text += " section by \(key)"
    }
    if related != nil, !random.chance(4) { text += " track related" }
    if random.chance(4) {
      text += " limit \(random.number(1...4))"
      if random.chance(2) { text += " offset \(random.number(1...2))" }
      if !random.chance(4) { text += " keep limit" }
    }
    return text
  }

  /// Returns a key path to an attribute of a related object.
  private func relatedKey(
    of entity: EntityDescription, _ random: inout SeededGenerator
  ) -> String? {
    guard let relationship = random.one(of: entity.relationships.filter { !$0.isToMany }),
      let attribute = random.one(
        of: entity.destination(ofRelationship: relationship.name)?.settableAttributes ?? [])
    else { return nil }
    return "\(relationship.name).\(attribute.name)"
  }

  /// Returns statements that insert a few objects of each entity.
  func objects(_ random: inout SeededGenerator) -> [String] {
    let turns = TurnWriter(session)
    var lines: [String] = []
    for entity in session.entities where !entity.isAbstract {
      for _ in 0..<random.number(0...5) { lines.append(turns.insert(entity, &random)) }
    }
    return lines
  }
}

extension SeededGenerator {
  /// Returns a value of an attribute as a script writes it.
  ///
  /// There are few different values, so that equal ones are frequent.
  mutating func literal(for attribute: AttributeDescription) -> String {
    if attribute.isOptional, chance(6) { return "nil" }
    switch attribute.type {
    case .string: return #""\#(one(of: ["", "a", "b", "B", "c", "d", "e", "ä", "z"]) ?? "")""#
    case .integer16, .integer32, .integer64: return "\(number(0...7))"
    case .double, .float: return one(of: ["0.5", "1.0", "1.5", "2.25", "-3.0"]) ?? "0.5"
    case .decimal: return one(of: ["0.5", "1", "2.25", "-3"]) ?? "1"
    case .boolean: return chance(2) ? "YES" : "NO"
    case .date: return "@2026-01-0\(number(1...6))"
    case .uuid: return #"uuid("00000000-0000-4000-8000-00000000000\#(number(1...6))")"#
    case .uri: return #""https://example.org/\#(number(1...6))""#
    case .binaryData: return chance(2) ? #"data("AA==")"# : #"data("AQ==")"#
    }
  }
}

extension EntityDescription {
  /// The attributes that a script can set.
  var settableAttributes: [AttributeDescription] {
    attributes.filter { $0.expression == nil && !$0.isTransient }
  }
}
