import FetchedResults

extension Explanation {
  /// The callback, and below it the rule and the evidence, indented.
  var textLines: [String] {
    let rules = "rule \(rule.rawValue): \(rule.summary)"
    let cause =
      untold.map { ["without that, it would be sent by \($0.rawValue): \($0.summary)"] } ?? []
    let notes = [rules] + cause + evidence.flatMap(\.textLines)
    return [subject.text] + notes.map { "  " + $0 }
  }
}

extension Explanation.Subject {
  fileprivate var text: String {
    switch self {
    case .callback(let event): EventFormatter.text.lines(for: event).first ?? ""
    case .unsent(let event): "not called: \(EventFormatter.text.lines(for: event).first ?? "")"
    case .part(let event, of: let delivery):
      "in the \(delivery): \(EventFormatter.text.lines(for: event).first ?? "")"
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
