package import FetchedResults

/// The explanation of a callback, or of why there was none, with the rule and its evidence, as
/// `explain` lists them.
package struct Explanation {
  package let subject: Subject
  package let rule: Rule
  /// The rule that would have reported the change, if it was not reported.
  package var untold: Rule?
  package var evidence: [Evidence] = []

  /// The subject of the explanation.
  package enum Subject {
    /// A callback that was sent.
    case callback(ControllerCallback)
    /// A change within a snapshot or a difference, as its own callback would be.
    case part(ControllerCallback, of: String)
    /// A callback that the delegate does not implement.
    case unsent(ControllerCallback)
    /// Changed objects for which a controller sent no callback. The controller is nil if no
    /// particular one is meant.
    case silence(controller: String?, objects: [ShownObject])
    /// Objects whose callbacks a table ignored.
    case unanswered(table: String, objects: [ShownObject])
  }

  /// A fact that a decision was based on.
  package enum Evidence {
    /// A key, with its value before (if there was a row, or a value) and after.
    case key(String, old: PropertyValue?, new: PropertyValue?, [KeyRole])
    /// No value differs; the causes say why the object counts as changed.
    case touched(ChangeCauses)
    /// The context had not read the object, so the earlier values are unknown.
    case unread
    case predicate(String, before: Bool?, after: Bool?)
    case place(old: RowPlace?, new: RowPlace?)
    /// The row passed these objects, which either changed too or did not.
    case passed([ObjectID], areChanged: Bool)
    case section(old: SectionEvidence.Place?, new: SectionEvidence.Place?)
    case passedSection(String)
    /// The number of changed objects that concern the controller, and of all changed objects.
    case concerned(Int, of: Int)
    /// A sentence about what the rule means here.
    case note(String)
  }

  /// The role of a key for a controller.
  package enum KeyRole: String, Hashable, Sendable, CaseIterable {
    case sort
    case section
    case predicate

    var words: String { self == .predicate ? rawValue : "\(rawValue) key" }
  }
}

extension Explanation {
  /// Whether the explanation is about an object.
  func concerns(_ id: ObjectID) -> Bool {
    switch subject {
    case .callback(let callback), .part(let callback, of: _), .unsent(let callback):
      return callback.object?.id.isSame(as: id) ?? false
    case .silence(_, let objects), .unanswered(_, let objects):
      return objects.contains { $0.id.isSame(as: id) }
    }
  }

  /// Returns the explanation for only one of its objects.
  func narrowed(to id: ObjectID) -> Explanation {
    let subject: Subject
    switch self.subject {
    case .silence(let controller, let objects):
      subject = .silence(
        controller: controller, objects: objects.filter { $0.id.isSame(as: id) })
    case .unanswered(let table, let objects):
      subject = .unanswered(table: table, objects: objects.filter { $0.id.isSame(as: id) })
    case .callback, .part, .unsent: return self
    }
    return Explanation(subject: subject, rule: rule, untold: untold, evidence: evidence)
  }
}

extension Explanation {
  /// The callback that was sent; nil for another subject.
  var callback: ControllerCallback? {
    if case .callback(let callback) = subject { callback } else { nil }
  }
}

extension ControllerCallback {
  /// The callback's line in an explanation.
  ///
  /// A line that is a part of a difference begins with the observer's name.
  fileprivate var explainedLine: String {
    let line = form.lines.first ?? ""
    return isPublished && line.hasPrefix("  ") ? "\(controller) \(line.dropFirst(2))" : line
  }
}

extension ObjectID {
  /// Whether both are the same object, even if one is named by a parent entity.
  func isSame(as other: ObjectID) -> Bool {
    number == other.number && entity.root === other.entity.root
  }
}

extension Explanation {
  /// The callback, and below it the rule and the evidence, indented.
  var textLines: [String] {
    let rules = "rule \(rule.rawValue): \(rule.summary)"
    let cause =
      untold.map {
        [
          rule == .unsaved
            ? "then it will be published by \($0.rawValue): \($0.summary)"
            : "without that, it would be sent by \($0.rawValue): \($0.summary)"
        ]
      } ?? []
    let notes = [rules] + cause + evidence.flatMap(\.textLines)
    return [subject.text] + notes.map { "  " + $0 }
  }
}

extension Explanation.Subject {
  fileprivate var text: String {
    switch self {
    case .callback(let callback): callback.explainedLine
    case .unsent(let callback): "not called: \(callback.form.lines.first ?? "")"
    case .part(let callback, of: let delivery):
      "in the \(delivery): \(callback.form.lines.first ?? "")"
    case .silence(let controller, let objects):
      (controller.map { "\($0) sends nothing" } ?? "nothing is sent") + " about "
        + Self.list(objects)
    case .unanswered(let table, let objects): "\(table) does nothing for " + Self.list(objects)
    }
  }

  private static func list(_ objects: [ShownObject]) -> String {
    guard !objects.isEmpty else { return "what the request changed" }
    let shown = objects.prefix(Explanation.shownObjects).map(\.description)
    let rest = objects.count > shown.count ? ", … \(objects.count) in all" : ""
    return shown.joined(separator: ", ") + rest
  }
}

extension Explanation {
  /// The number of objects in a list that are named.
  static var shownObjects: Int { 5 }
}

extension Explanation.Evidence {
  fileprivate var textLines: [String] {
    switch self {
    case .key(let name, let old, let new, let roles):
      let roles = roles.isEmpty ? "" : " (\(roles.map(\.words).joined(separator: ", ")))"
      return ["\(name): \(Self.change(old?.shownText, new?.shownText))\(roles)"]
    case .touched(let causes): return ["no value differs, but \(causes.words) counts as a change"]
    case .unread: return ["the old values are unknown: the context had never loaded the object"]
    case .predicate(let text, let before, let after):
      return ["where \(text): \(Self.change(before?.description, after?.description))"]
    case .place(let old, let new):
      if let old, old == new { return ["before and after: " + old.words] }
      return [old.map { "before: " + $0.words }, new.map { "after: " + $0.words }]
        .compactMap(\.self)
    case .passed(let objects, let areChanged):
      guard !objects.isEmpty else { return [] }
      let names = objects.map(\.description).joined(separator: " … ")
      return [
        "went past \(names), which "
          + (areChanged ? "also changed (reported as an update)" : "did not change")
      ]
    case .section(let old, let new):
      return [
        old.map { "before: section " + $0.words }, new.map { "after: section " + $0.words },
      ].compactMap(\.self)
    case .passedSection(let name):
      return ["its section is now on the other side of section \(name.quoted)"]
    case .concerned(let count, of: let all):
      let objects = all == 1 ? "object" : "objects"
      let verb = count == 1 ? "is or was" : "are or were"
      return ["\(count) of \(all) changed \(objects) \(verb) in the results"]
    case .note(let text): return [text]
    }
  }

  private static func change(_ old: String?, _ new: String?) -> String {
    switch (old, new) {
    case (let old?, let new?): "\(old) -> \(new)"
    case (let old?, nil): "was \(old)"
    case (nil, let new?): "now \(new)"
    case (nil, nil): "unknown"
    }
  }
}

extension ChangeCauses {
  /// The name of the reason why an object counts as changed.
  ///
  /// If there are several reasons, the one that explains most is used.
  var name: String {
    if contains(.undone) { return "undo" }
    if self == .related { return "related" }
    if contains(.assigned) { return "assignment" }
    if contains(.merged) { return "merge" }
    return contains(.refreshed) ? "refresh" : "conflict"
  }

  fileprivate var words: String {
    if contains(.undone) { return "undo" }
    if self == .related { return "the change of a tracked related object" }
    if contains(.assigned) { return "assigning" }
    if contains(.merged) { return "merging equal values" }
    return contains(.refreshed) ? "a refresh" : "resolving a save conflict"
  }
}

extension RowPlace {
  /// `[0, 1], between Book/1 and Book/3 in "Ace"`.
  fileprivate var words: String {
    let place =
      switch (previous, next) {
      case (nil, nil): "the only row"
      case (nil, let next?): "first, before \(next)"
      case (let previous?, nil): "last, after \(previous)"
      case (let previous?, let next?): "between \(previous) and \(next)"
      }
    return "\(indexPath), \(place)" + (section.map { " in \($0.quoted)" } ?? "")
  }
}

extension SectionEvidence.Place {
  fileprivate var words: String { "\(index) with \(rows) \(rows == 1 ? "row" : "rows")" }
}

extension PropertyValue {
  /// The value as a script writes it; for a list, its first elements.
  fileprivate var shownText: String {
    guard case .list(let values) = self else { return quotedDescription }
    let shown = values.prefix(Explanation.shownObjects).map(\.quotedDescription)
    let rest = values.count > shown.count ? ", … \(values.count) in all" : ""
    return "[" + shown.joined(separator: ", ") + rest + "]"
  }
}

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
    case .callback(let callback): return Self.fields(of: callback) + [("sent", .boolean(true))]
    case .unsent(let callback): return Self.fields(of: callback) + [("sent", .boolean(false))]
    case .part(let callback, of: let delivery):
      return Self.fields(of: callback) + [("sent", .boolean(true)), ("within", .string(delivery))]
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

  private static func fields(of callback: ControllerCallback) -> [(String, JSON?)] {
    let form = callback.form
    return [("callback", .string(form.name))] + form.fields.map { ($0, $1) }
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
