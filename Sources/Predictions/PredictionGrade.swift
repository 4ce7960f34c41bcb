import FetchedResults
package import ScriptRuntime

extension Grade {
  /// Grades a prediction line by line.
  ///
  /// The two callbacks around a batch and the operations of tables are compared only if the
  /// prediction contains one of them.
  ///
  /// - Parameters:
  ///   - prediction: The predicted lines. No lines, or `nothing`, predict that nothing happens.
  ///   - events: The events that happened.
  ///   - explanations: The reasons for the events, as `explain` has them.
  package init(
    ofPrediction prediction: [String], events: [Event], explanations: [Explanation]
  ) {
    self = PredictionComparison(prediction, events, explanations).grade
  }
}

/// A comparison of a prediction with what happened.
private struct PredictionComparison {
  private let explanations: [Explanation]
  private let said: [SaidLine]
  private let sent: [SentLine]
  /// For each predicted line, the index of the matching sent line.
  private var matches: [Int?]
  /// The predicted lines that are right but in the wrong place.
  private var misplaced: Set<Int> = []

  /// A line of the prediction.
  private struct SaidLine {
    let text: String
    let callback: CallbackLine?
  }

  /// A line that was sent.
  private struct SentLine {
    let text: String
    var callback: CallbackLine?
    /// The text that the object is shown as.
    var shown: String?
    var table: String?
  }

  init(_ prediction: [String], _ events: [Event], _ explanations: [Explanation]) {
    self.explanations = explanations
    let all = events.flatMap(Self.lines)
    let tables = Set(all.compactMap(\.table))
    let said = prediction.map(Self.normalized).filter { !Self.isNothing($0) }.map {
      SaidLine(text: $0, callback: CallbackLine($0))
    }
    let saysFrames = said.contains { $0.callback?.isFrame == true }
    let saysTables = said.contains { line in
      line.callback == nil && tables.contains { line.text.hasPrefix($0 + " ") }
    }
    sent = all.filter { line in
      (saysFrames || line.callback?.isFrame != true) && (saysTables || line.table == nil)
    }
    self.said = said
    matches = []
    match()
  }

  private static func lines(of event: Event) -> [SentLine] {
    var table: String?
    if case .table(let name, _, _) = event { table = name }
    var shown: String?
    if case .didChangeObject(_, _, let object, _, _) = event {
      shown = object.display?.description
    }
    let callback = CallbackLine(event)
    return EventFormatter.text.lines(for: event).map {
      SentLine(text: normalized($0), callback: callback, shown: shown, table: table)
    }
  }

  /// Returns the line with each run of blanks replaced by one.
  private static func normalized(_ line: String) -> String {
    line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  private static func isNothing(_ line: String) -> Bool {
    ["", "nothing", "none", "no callback", "no callbacks"].contains(line.lowercased())
  }

  /// Matches each predicted line with the first equal sent line, and finds the matches that keep
  /// their order.
  private mutating func match() {
    var free = Array(sent.indices)
    for line in said {
      let place = free.firstIndex { index in
        let other = sent[index]
        if let callback = line.callback, let sent = other.callback {
          return sent.isSaid(by: callback, shownAs: other.shown)
        }
        return line.text == other.text
      }
      matches.append(place.map { free.remove(at: $0) })
    }
    let found = matches.enumerated().compactMap { index, sent in sent.map { (index, $0) } }
    misplaced = Set(found.map(\.0)).subtracting(Self.ascending(found))
  }

  /// Returns the largest set of pairs whose second parts ascend, as indices of their first parts.
  private static func ascending(_ pairs: [(Int, Int)]) -> [Int] {
    var best: [(length: Int, previous: Int?)] = []
    for pair in pairs {
      let before = best.indices.filter { pairs[$0].1 < pair.1 }.max {
        best[$0].length < best[$1].length
      }
      best.append((before.map { best[$0].length + 1 } ?? 1, before))
    }
    var kept: [Int] = []
    var place = best.indices.max { best[$0].length < best[$1].length }
    while let index = place {
      kept.append(pairs[index].0)
      place = best[index].previous
    }
    return kept
  }

  // MARK: The grade

  var grade: Grade {
    var grade = Grade(.right)
    var unsaid = sent.indices.filter { !matches.contains($0) }
    var rightCount = 0
    for (index, line) in said.enumerated() {
      if matches[index] != nil, !misplaced.contains(index) {
        grade.lines.append(Grade.Line(.right, line.text))
        if line.callback?.isFrame != true { rightCount += 1 }
        continue
      }
      grade.lines.append(Grade.Line(.wrong, line.text))
      if matches[index] != nil {
        grade.lines.append(note("right, but in the wrong order: \(Self.order)"))
        grade.reasons.insert("order")
      } else {
        explain(line, &unsaid, &grade)
      }
    }
    for index in unsaid {
      grade.lines.append(Grade.Line(.missing, missing(sent[index])))
      add(
        explanation(of: sent[index]), to: &grade, or: sent[index].callback == nil ? "output" : nil)
    }
    if sent.isEmpty, said.isEmpty { grade.lines.append(Grade.Line(.right, "nothing")) }
    if !grade.reasons.isEmpty
      || grade.lines.contains(where: { $0.mark != .right && $0.mark != .none })
    {
      grade.verdict = rightCount > 0 ? .partly : .wrong
    }
    return grade
  }

  /// The order of the callbacks in a batch.
  private static let order =
    "object deletes, section deletes, section inserts, object inserts, then moves and updates"

  private func note(_ text: String) -> Grade.Line { Grade.Line(.none, "  " + text) }

  /// Returns what a missing line is about, without giving away the answer.
  private func missing(_ line: SentLine) -> String {
    switch line.callback?.kind {
    case .willChangeContent: "willChangeContent is missing at the start"
    case .didChangeContent: "didChangeContent is missing at the end"
    case .object(_, let id, _, _): "a callback about \(id) is missing"
    case .section: "a callback about a section is missing"
    case nil: "a line is missing"
    }
  }

  /// Adds the reason why a predicted line did not happen.
  private func explain(_ line: SaidLine, _ unsaid: inout [Int], _ grade: inout Grade) {
    guard let callback = line.callback else {
      grade.lines.append(
        note(
          sent.contains { $0.callback == nil }
            ? "this line is not printed"
            : "frc cannot read this line; write for example 'update Book/2 [0, 1]'"))
      grade.reasons.insert("output")
      return
    }
    if let index = unsaid.first(where: {
      sent[$0].callback?.isAbout(callback, shownAs: sent[$0].shown) == true
    }) {
      unsaid.removeAll { $0 == index }
      grade.lines += differences(of: callback, from: sent[index]).map(note)
      return add(explanation(of: sent[index]), to: &grade, or: nil)
    }
    switch callback.kind {
    case .object(_, let id, _, _):
      if let index = sent.indices.first(where: {
        sent[$0].callback?.isAbout(callback, shownAs: sent[$0].shown) == true
      }) {
        grade.lines.append(note("\(id) has only one callback"))
        return add(explanation(of: sent[index]), to: &grade, or: nil)
      }
      let silence = explanations.first { $0.isSilence(about: id) }
      if silence == nil { grade.lines += noCallback(callback, about: id).map(note) }
      add(silence, to: &grade, or: Rule.unchanged.rawValue)
    case .section(let type, _, _):
      let rule: Rule = type == .delete ? .sectionEmptied : .sectionFilled
      let change = type == .delete ? "deleted" : "inserted"
      grade.lines.append(note("no section is \(change) here (rule \(rule.rawValue))"))
      grade.reasons.insert(rule.rawValue)
    case .willChangeContent, .didChangeContent:
      grade.lines.append(note("nothing in the results changed, so there is no batch"))
      add(explanations.first { $0.isSilence }, to: &grade, or: Rule.batch.rawValue)
    }
  }

  /// Returns why an object has no callback that `explain` could explain: another controller sends
  /// it, or the object did not change, or there is no such object.
  private func noCallback(_ said: CallbackLine, about id: String) -> [String] {
    var anyController = said
    anyController.controller = nil
    if let name = said.controller,
      sent.contains(where: { $0.callback?.isAbout(anyController, shownAs: $0.shown) == true })
    {
      return ["\(name) sends nothing about \(id); another controller does"]
    }
    return [
      "nothing is sent about \(id): only changed objects have callbacks (rule "
        + "\(Rule.unchanged.rawValue))",
      "  a row that only shifts has no callback",
    ]
  }

  /// Returns in which parts a predicted callback differs from the sent one, without giving away the
  /// right values.
  private func differences(of said: CallbackLine, from sent: SentLine) -> [String] {
    switch (said.kind, sent.callback?.kind) {
    case (.object(let type, _, let old, let new), .object(let right, _, let from, let to)?):
      guard type == right else {
        let name = "\(type)"
        return ["it is not \(name.first == "i" || name.first == "u" ? "an" : "a") \(name)"]
      }
      var parts: [String] = []
      if old != from { parts.append("the old index path is wrong") }
      if new != to { parts.append("the new index path is wrong") }
      return parts
    case (.section(let type, let index, _), .section(let right, let place, _)?):
      if type != right { return ["the section is not \(type == .insert ? "inserted" : "deleted")"] }
      return index == place
        ? ["the section's name is wrong"] : ["the section's index is wrong"]
    case (.willChangeContent, _), (.didChangeContent, _), (.object, _), (.section, _): return []
    }
  }

  private func explanation(of line: SentLine) -> Explanation? {
    guard let callback = line.callback else { return nil }
    return explanations.first { $0.callback == callback }
  }

  /// Adds the deciding rule and its evidence to the grade.
  private func add(_ explanation: Explanation?, to grade: inout Grade, or word: String?) {
    if let word, explanation == nil { grade.reasons.insert(word) }
    guard let explanation else { return }
    grade.reasons.insert(explanation.rule.rawValue)
    grade.lines += explanation.reasonLines.map { Grade.Line(.none, $0) }
  }
}

extension Explanation {
  /// The rule and its evidence as `explain` prints them below the subject.
  package var reasonLines: [String] {
    Array(EventFormatter.text.lines(for: .explanation(self)).dropFirst())
  }

  fileprivate var callback: CallbackLine? {
    switch subject {
    case .callback(let event): CallbackLine(event)
    case .part, .unsent, .silence, .unanswered: nil
    }
  }

  fileprivate var isSilence: Bool {
    switch subject {
    case .silence, .unsent: true
    case .callback, .part, .unanswered: false
    }
  }

  fileprivate func isSilence(about id: String) -> Bool {
    switch subject {
    case .silence(_, let objects):
      objects.contains { $0.id.description == id || $0.display?.description == id }
    case .unsent(.didChangeObject(_, _, let object, _, _)):
      object.id.description == id || object.display?.description == id
    case .callback, .part, .unanswered, .unsent: false
    }
  }
}
