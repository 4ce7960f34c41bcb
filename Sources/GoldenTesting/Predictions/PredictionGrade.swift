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
  ///   - session: The session in which they happened; a line about an object that it does not have
  ///     is then refused for that reason.
  package init(
    ofPrediction prediction: [String], events: [Event], explanations: [Explanation],
    in session: Session? = nil
  ) {
    self = PredictionComparison(prediction, events, explanations, session).grade
  }
}

/// A comparison of a prediction with what happened.
private struct PredictionComparison {
  private let explanations: [Explanation]
  private let session: Session?
  private let said: [AnswerLine]
  /// Whether a line says that nothing is sent.
  private let saysNothing: Bool
  private let sent: [SentLine]
  /// For each predicted line, the index of the matching sent line.
  private var matches: [Int?]
  /// The predicted lines that are right but in the wrong place.
  private var misplaced: Set<Int> = []

  /// A line that was sent.
  private struct SentLine {
    let text: String
    var callback: CallbackLine?
    /// The text that the object is shown as.
    var shown: String?
    var table: String?
    /// The words of a line that is not a callback.
    var words: [String] = []

    /// Whether a line of the prediction says this one.
    func isSaid(by line: AnswerLine) -> Bool {
      if line.text == text { return true }
      if let callback {
        return line.callback.map { callback.isSaid(by: $0, shownAs: shown) } ?? false
      }
      guard table != nil else { return line.says(words) }
      // An operation may be said without its table, and with 'at', 'from' and 'to'.
      let said = line.words.filter { !["at", "from", "to", "->", "→"].contains($0) }
      let plain = words.filter { $0 != "->" }
      return said == plain || said == Array(plain.dropFirst())
    }
  }

  /// The operations of a table view, of which one in a prediction asks for all to be compared.
  private static let operations: Set<String> = [
    "beginUpdates", "endUpdates", "insertRows", "deleteRows", "reloadRows", "moveRow",
    "insertSections", "deleteSections", "configureCell", "reloadData",
  ]

  init(
    _ prediction: [String], _ events: [Event], _ explanations: [Explanation], _ session: Session?
  ) {
    self.explanations = explanations
    self.session = session
    let all = events.flatMap(Self.lines)
    let tables = Set(all.compactMap(\.table))
    let lines = prediction.map(AnswerLine.init).filter { !$0.text.isEmpty }
    saysNothing = lines.contains { $0.meaning == .nothing }
    let said = lines.filter { $0.meaning != .nothing }
    // A delegate may implement a method around a batch and no other, and then that is sent.
    let saysFrames =
      said.contains { $0.callback?.isFrame == true }
      || said.isEmpty && all.allSatisfy { $0.callback?.isFrame ?? ($0.table != nil) }
    let saysTables = said.contains { line in
      line.callback == nil
        && (line.words.prefix(2).contains(where: Self.operations.contains)
          || tables.contains { line.text.hasPrefix($0 + " ") })
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
    let shown = event.callback?.object?.display?.description
    let callback = event.callback.flatMap(CallbackLine.init)
    return event.lines.map { line in
      let text = AnswerLine.normalized(line)
      return SentLine(
        text: text, callback: callback, shown: shown, table: table,
        words: callback == nil ? AnswerLine.words(of: text) : [])
    }
  }

  /// Matches each predicted line with the first equal sent line, and finds the matches that keep
  /// their order.
  private mutating func match() {
    var free = Array(sent.indices)
    for line in said {
      let place = free.firstIndex { sent[$0].isSaid(by: line) }
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
    if said.isEmpty, sent.isEmpty {
      grade.lines.append(Grade.Line(.right, "nothing"))
    } else if saysNothing {
      grade.lines.append(Grade.Line(.wrong, "nothing"))
      if !said.isEmpty { grade.lines.append(note("the other lines say that something is sent")) }
      grade.reasons.insert("output")
    }
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
  private func explain(_ line: AnswerLine, _ unsaid: inout [Int], _ grade: inout Grade) {
    let callback: AnsweredCallback
    switch line.meaning {
    case .callback(let said): callback = said
    case .nothing: return
    case .other(let problem):
      if sent.contains(where: { $0.callback == nil }) {
        grade.lines.append(note("this line is not printed"))
      } else {
        grade.lines.append(note("frc cannot read this line: \(problem.reason)"))
        grade.lines.append(note("write for example '\(problem.example)'"))
      }
      grade.reasons.insert("output")
      return
    }
    if let index = unsaid.first(where: { isAbout(callback, $0) })
      ?? unsaid.first(where: { sent[$0].callback?.isSameSectionChange(as: callback) == true })
    {
      unsaid.removeAll { $0 == index }
      grade.lines += differences(of: callback, from: sent[index]).map(note)
      return add(explanation(of: sent[index]), to: &grade, or: nil)
    }
    switch callback.kind {
    case .object(_, let saidID, let name, _, _):
      let id = saidID ?? name ?? ""
      if let index = sent.indices.first(where: { isAbout(callback, $0) }) {
        let count = sent.indices.count { isAbout(callback, $0) }
        grade.lines.append(
          note("\(id) has only \(count == 1 ? "one callback" : "\(count) callbacks")"))
        return add(explanation(of: sent[index]), to: &grade, or: nil)
      }
      let silence = explanations.first { $0.isSilence(about: id) }
      if silence == nil { grade.lines += noCallback(callback, about: id).map(note) }
      add(silence, to: &grade, or: Rule.unchanged.rawValue)
    case .section(let type, _, _):
      let rule: Rule = type == .delete ? .sectionEmptied : .sectionFilled
      let change = type == .delete ? "deleted" : "inserted"
      let isOther = sent.contains { $0.callback?.isSameSectionChange(as: callback) == true }
      grade.lines.append(
        note("no \(isOther ? "other " : "")section is \(change) here (rule \(rule.rawValue))"))
      grade.reasons.insert(rule.rawValue)
    case .willChangeContent, .didChangeContent: explainFrame(callback, &grade)
    }
  }

  private func isAbout(_ said: AnsweredCallback, _ index: Int) -> Bool {
    sent[index].callback?.isAbout(said, shownAs: sent[index].shown) == true
  }

  /// Adds the reason why a callback around a batch was not sent.
  private func explainFrame(_ said: AnsweredCallback, _ grade: inout Grade) {
    let frames = sent.compactMap(\.callback).filter(\.isFrame)
    if let name = said.controller, !frames.isEmpty,
      !frames.contains(where: { $0.controller == name })
    {
      grade.lines.append(note("\(name) sends no callback here; another controller does"))
      grade.reasons.insert(Rule.batch.rawValue)
    } else if frames.contains(where: { $0.isSaid(by: said, shownAs: nil) }) {
      grade.lines.append(note("it is sent once for each batch"))
      grade.reasons.insert(Rule.batch.rawValue)
    } else {
      let reason = explanations.first { $0.isSilence }
      if frames.isEmpty {
        grade.lines.append(note("nothing in the results changed, so there is no batch"))
      } else if reason == nil {
        grade.lines.append(note("it is not sent here"))
      }
      add(reason, to: &grade, or: Rule.batch.rawValue)
    }
  }

  /// Returns why an object has no callback that `explain` could explain: another controller sends
  /// it, or the object did not change, or there is no such object.
  private func noCallback(_ said: AnsweredCallback, about id: String) -> [String] {
    if let reason = session?.absence(of: id) { return [reason] }
    if !id.contains("/") { return ["no callback is about an object that is shown as \"\(id)\""] }
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
  private func differences(of said: AnsweredCallback, from sent: SentLine) -> [String] {
    switch (said.kind, sent.callback?.kind) {
    case (
      .object(let type, _, let name, let old, let new),
      .object(let right, let id, let from, let to)?
    ):
      guard type == right else {
        let name = "\(type)"
        return ["it is not \(name.first == "i" || name.first == "u" ? "an" : "a") \(name)"]
      }
      var parts: [String] = []
      if let name, name != sent.shown {
        parts.append("\(id) is shown as \"\(sent.shown ?? "")\", not as \"\(name)\"")
      }
      if let difference = Self.difference("old", old, from, type) { parts.append(difference) }
      if let difference = Self.difference("new", new, to, type) { parts.append(difference) }
      return parts
    case (.section(let type, let index, _), .section(let right, let place, _)?):
      if type != right { return ["the section is not \(type == .insert ? "inserted" : "deleted")"] }
      return index == nil || index == place
        ? ["the section's name is wrong"] : ["the section's index is wrong"]
    case (.willChangeContent, _), (.didChangeContent, _), (.object, _), (.section, _): return []
    }
  }

  /// Returns how an index path differs from the right one; nil if they are equal.
  private static func difference(
    _ which: String, _ said: ResultsIndexPath?, _ right: ResultsIndexPath?,
    _ type: FetchedResultsChangeType
  ) -> String? {
    guard said != right else { return nil }
    if said == nil { return "the \(which) index path is missing" }
    if right == nil {
      return type == .insert
        ? "a new row has no old index path" : "a deleted row has no new index path"
    }
    return "the \(which) index path is wrong"
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
    Array(Event.explanation(self).lines.dropFirst())
  }

  fileprivate var callback: CallbackLine? {
    switch subject {
    case .callback(let callback): CallbackLine(callback)
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
    case .unsent(let callback):
      callback.object?.id.description == id || callback.object?.display?.description == id
    case .callback, .part, .unanswered: false
    }
  }
}

extension Session {
  /// Returns why there is no object of this name; nil if there is one, or if the store cannot say
  /// what it has.
  fileprivate func absence(of id: String) -> String? {
    guard let slash = id.firstIndex(of: "/") else { return nil }
    let name = id[..<slash].lowercased()
    guard let entity = entities.first(where: { $0.name.lowercased() == name }) else {
      return "there is no entity '\(id[..<slash])'"
    }
    // A store in a file prints what it is asked after `set sql on`, so it is not asked.
    guard context.persistentStoreCoordinator.sqlStore == nil,
      let known = try? context.knownObjects(of: entity)
    else { return nil }
    let isThere = known.contains { object in
      switch object {
      case .object(let object): object.objectID.description.lowercased() == id.lowercased()
      case .fault(let other): other.description.lowercased() == id.lowercased()
      }
    }
    return isThere ? nil : "there is no \(id)"
  }
}
