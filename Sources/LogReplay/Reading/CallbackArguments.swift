import FetchedResults

/// The arguments of a callback, collected from the words and values of a message.
struct CallbackArguments {
  /// What the word before a value says of it.
  var label: CallbackVocabulary.Label?
  var isOfSection = false
  /// Whether the text of an object follows, without quotation marks.
  ///
  /// Its words and index paths count only if there are no others.
  var isInText = false
  /// Whether the message has words that belong to no argument.
  var hasOtherWords = false

  private var types = Ranked<FetchedResultsChangeType>()
  private var old: [ResultsIndexPath?] = []
  private var new: [ResultsIndexPath?] = []
  /// Index paths without a label, in order; nil for one that is said to be absent.
  private var unlabelled: [ResultsIndexPath?] = []
  private var inText: [ResultsIndexPath] = []
  private var object: (name: String, isCertain: Bool)?
  private var indices: [Int] = []
  private var numbers: [Int] = []
  private var words: (section: Int?, row: Int?) = (nil, nil)
  /// The word whose number comes next.
  private var expected: ExpectedNumber?
  private var problem: String?

  private enum ExpectedNumber { case section, row }

  /// Values by how sure they are.
  private struct Ranked<Value: Hashable> {
    /// Arguments, and names of an enumeration.
    var marked: [Value] = []
    /// Words of the message.
    var plain: [Value] = []
    /// Words of an object's text.
    var inText: [Value] = []

    var best: [Value] { [marked, plain, inText].first { !$0.isEmpty } ?? [] }
    var isEmpty: Bool { best.isEmpty }
    /// The one value of the best rank; nil if there are two.
    var only: Value? { Set(best).count == 1 ? best.first : nil }
  }

  // MARK: Collecting

  mutating func add(label found: CallbackVocabulary.Label, _ word: String) {
    switch found {
    case .path:
      // "to index path" names the new one.
      if label != .new && label != .old { label = .path }
    case .index:
      if isOfSection { label = .index } else if word == "section" { expected = .section }
    case .object: if label == nil || isOfSection { label = .object }
    case .old where isOfSection: label = label ?? .index
    case .type, .old, .new: label = found
    }
  }

  /// Adds the word for a row, whose number may come next.
  mutating func addRowWord() { expected = .row }

  mutating func add(type: FetchedResultsChangeType, isMarked: Bool) {
    if isInText {
      types.inText.append(type)
    } else if isMarked || label == .type {
      types.marked.append(type)
      label = nil
    } else {
      types.plain.append(type)
      label = nil
    }
  }

  mutating func add(number: Int) {
    if isInText { return }
    if label == .type {
      if let type = CallbackVocabulary.type(number: number) {
        types.marked.append(type)
      } else {
        problem = Self.unknownType(number)
      }
      label = nil
    } else if isOfSection {
      if label == .index { indices.append(number) } else { numbers.append(number) }
      label = nil
    } else if let expected {
      switch expected {
      case .section: words.section = number
      case .row: words.row = number
      }
      self.expected = nil
      guard let section = words.section, let row = words.row else { return }
      words = (nil, nil)
      add(path: ResultsIndexPath(section: section, row: row))
    } else if label == nil {
      numbers.append(number)
    }
  }

  mutating func add(path: ResultsIndexPath) {
    if isInText { inText.append(path) } else { addValue(path) }
  }

  /// Adds `nil` in the place of an index path.
  mutating func addNothing() {
    if !isInText, label != .type, label != .object { addValue(nil) }
  }

  /// Adds a dash, which means no value after the label of an index path.
  mutating func addDash() {
    switch label {
    case .old, .new, .path: addNothing()
    case .type, .object, .index, nil: break
    }
  }

  private mutating func addValue(_ path: ResultsIndexPath?) {
    switch label {
    case .old, .path: old.append(path)
    case .new: new.append(path)
    case .type, .index, .object, nil: unlabelled.append(path)
    }
    label = nil
  }

  mutating func add(object name: String, isCertain: Bool) {
    if object == nil || isCertain && object?.isCertain == false { object = (name, isCertain) }
    isInText = false
    label = nil
  }

  /// Ends an argument.
  mutating func endArgument() {
    label = nil
    isInText = false
  }

  // MARK: Results

  private static func unknownType(_ number: Int) -> String {
    "its type is \(number), which is not an NSFetchedResultsChangeType"
      + (number == 0 ? "; iOS 8 sent such callbacks, which an app must ignore" : "")
  }

  private var typeProblem: String {
    problem
      ?? (types.isEmpty
        ? "it does not name the type of change"
        : "it names more than one type of change; print the object in quotation marks")
  }

  /// Takes the first number as the type, as in `print("didChange", type.rawValue, …)`.
  private mutating func takeNumberedType(if hasEnough: Bool) {
    guard types.isEmpty, problem == nil, hasEnough, !numbers.isEmpty else { return }
    let number = numbers.removeFirst()
    if let type = CallbackVocabulary.type(number: number) {
      types.marked.append(type)
    } else {
      problem = Self.unknownType(number)
    }
  }

  /// Returns the change of an object.
  mutating func object(_ form: MessageReading.Form) -> MessageReading {
    takeNumberedType(if: form == .callback)
    guard problem == nil, let type = types.only else {
      return .unclear(typeProblem, isCallback: true)
    }
    switch paths(type) {
    case .tooMany:
      return .unclear("it has more index paths than a callback; label them", isCallback: true)
    case .tooFew:
      return .unclear(
        "it does not have the index paths of the \(type.rawValue)", isCallback: true)
    case .found(let old, let new):
      return .event(
        .object(
          controller: CallbackGrammar.unnamed,
          ObjectChange(type: type, object: object?.name, old: old, new: new)),
        form)
    }
  }

  private enum Paths {
    case found(old: ResultsIndexPath?, new: ResultsIndexPath?)
    case tooFew
    case tooMany
  }

  /// Finds out which index path is the old one, and which the new one.
  private func paths(_ type: FetchedResultsChangeType) -> Paths {
    guard old.count <= 1, new.count <= 1 else { return .tooMany }
    let isLabelled = !self.old.isEmpty && !self.new.isEmpty
    var old = old.first ?? nil
    var new = new.first ?? nil
    var rest = unlabelled
    if self.old.isEmpty, self.new.isEmpty, rest.isEmpty { rest = inText }
    // nil may be said of something else, such as the object.
    while rest.count > 2, let place = rest.firstIndex(of: nil) { rest.remove(at: place) }
    if rest.count == 2, self.old.isEmpty, self.new.isEmpty {
      (old, new) = (rest[0], rest[1])
    } else if rest.count == 1, !isLabelled {
      if self.old.isEmpty { old = rest[0] } else { new = rest[0] }
    } else if rest.contains(where: { $0 != nil }) {
      return .tooMany
    }
    // The message says of both index paths what they are.
    let isSaid = isLabelled || !hasOtherWords && rest.count + self.old.count + self.new.count == 2
    if isSaid { return .found(old: old, new: new) }
    switch (type, old, new) {
    case (.insert, let path?, nil), (.insert, nil, let path?): return .found(old: nil, new: path)
    case (.delete, let path?, nil), (.delete, nil, let path?): return .found(old: path, new: nil)
    case (.update, let path?, let new): return .found(old: path, new: new)
    case (.move, let old?, let new?): return .found(old: old, new: new)
    case (.insert, _?, _?), (.delete, _?, _?): return .tooMany
    case (_, nil, nil), (.move, _, _), (.update, nil, _): return .tooFew
    }
  }

  /// Returns the change of a section.
  mutating func section() -> MessageReading {
    takeNumberedType(if: numbers.count >= 2 || numbers.count == 1 && indices.count == 1)
    guard problem == nil, let type = types.only else {
      return .unclear(typeProblem, isCallback: true)
    }
    guard type == .insert || type == .delete else {
      return .unclear(
        "it is the \(type.rawValue) of a section, which is not possible", isCallback: true)
    }
    let found = indices.isEmpty ? numbers : indices
    guard found.count == 1 else {
      return .unclear("it does not have the index of the section", isCallback: true)
    }
    return .event(
      .section(
        controller: CallbackGrammar.unnamed,
        SectionChange(type: type, index: found[0], name: object?.name)),
      .callback)
  }
}
