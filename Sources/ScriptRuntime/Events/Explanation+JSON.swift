import FetchedResults

extension Explanation {
  /// The event's fields: those of the callback, whose name is under `callback`, then the rule and
  /// its evidence.
  var fields: [(String, JSON?)] {
    subject.fields + [
      ("rule", .string(rule.rawValue)), ("untold", untold.map { .string($0.rawValue) }),
    ] + evidence.flatMap(\.grouped).merged
  }
}

extension Explanation.Subject {
  fileprivate var fields: [(String, JSON?)] {
    switch self {
    case .callback(let event): return Self.fields(of: event) + [("sent", .boolean(true))]
    case .unsent(let event): return Self.fields(of: event) + [("sent", .boolean(false))]
    case .part(let event, of: let delivery):
      return Self.fields(of: event) + [("sent", .boolean(true)), ("within", .string(delivery))]
    case .silence(let controller, let objects):
      return [
        ("controller", controller.map(JSON.string)), ("sent", .boolean(false)),
        ("objects", .array(objects.map { .string($0.id.description) })),
      ]
    case .unanswered(let table, let objects):
      return [
        ("table", .string(table)), ("answered", .boolean(false)),
        ("objects", .array(objects.map { .string($0.id.description) })),
      ]
    }
  }

  private static func fields(of event: Event) -> [(String, JSON?)] {
    let (name, fields) = EventFormatter.fields(of: event)
    return [("callback", .string(name))] + fields
  }
}

extension Explanation.Evidence {
  /// The fields.
  ///
  /// Those with one of `keys` are collected in one list.
  fileprivate var grouped: [(String, JSON?)] {
    switch self {
    case .key(let name, let old, let new, let roles):
      let fields: [(String, JSON?)] = [
        ("key", .string(name)), ("old", old.map { JSON($0) }), ("new", new.map { JSON($0) }),
        (
          "roles", roles.isEmpty ? nil : .array(roles.map { .string($0.rawValue) })
        ),
      ]
      return [("keys", .array([JSON.some(fields)]))]
    case .touched(let causes):
      return [("keys", .array([])), ("cause", .string(causes.name))]
    case .unread: return [("keys", .array([])), ("beforeKnown", .boolean(false))]
    case .predicate(let text, let before, let after):
      return [
        (
          "predicate",
          .some([
            ("format", .string(text)), ("before", before.map(JSON.boolean)),
            ("after", after.map(JSON.boolean)),
          ])
        )
      ]
    case .place(let old, let new):
      return [("old", old.map(JSON.place)), ("new", new.map(JSON.place))]
    case .passed(let objects, let areChanged):
      return [
        ("passed", .array(objects.map { .string($0.description) })),
        ("passedChanged", .boolean(areChanged)),
      ]
    case .section(let old, let new):
      return [("old", old.map(JSON.section)), ("new", new.map(JSON.section))]
    case .passedSection(let name): return [("passedSection", .string(name))]
    case .concerned(let count, of: let all):
      return [("concerned", .number(String(count))), ("changed", .number(String(all)))]
    case .note(let text): return [("note", .string(text))]
    }
  }
}

extension [(String, JSON?)] {
  /// The fields with all lists of the same name merged, and all notes too.
  fileprivate var merged: [(String, JSON?)] {
    var result: [(String, JSON?)] = []
    for (name, value) in self {
      if case .array(let more)? = value, let place = result.firstIndex(where: { $0.0 == name }),
        case .array(var known)? = result[place].1
      {
        // The list is removed first, so that it is changed in place and not copied.
        result[place].1 = nil
        known += more
        result[place].1 = .array(known)
      } else if case .string(let more)? = value,
        let place = result.firstIndex(where: { $0.0 == name }),
        case .string(var known)? = result[place].1
      {
        result[place].1 = nil
        known += "; " + more
        result[place].1 = .string(known)
      } else {
        result.append((name, value))
      }
    }
    return result
  }
}

extension JSON {
  /// Returns a JSON object of the fields that have a value.
  fileprivate static func some(_ fields: [(String, JSON?)]) -> JSON {
    .object(fields.compactMap { key, value in value.map { (key, $0) } })
  }

  fileprivate static func place(_ place: RowPlace) -> JSON {
    some([
      ("indexPath", path(place.indexPath)), ("section", place.section.map(JSON.string)),
      ("previous", place.previous.map { .string($0.description) }),
      ("next", place.next.map { .string($0.description) }),
    ])
  }

  fileprivate static func section(_ place: SectionEvidence.Place) -> JSON {
    .object([
      ("index", .number(String(place.index))), ("rows", .number(String(place.rows))),
    ])
  }
}
