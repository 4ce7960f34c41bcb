import FetchedResults
import TableViews

/// What a message of a log says about a controller.
enum MessageReading: Hashable {
  case event(LogEvent, Form)
  /// A callback other than `controllerDidChangeContent` returns.
  case leaving
  /// The message cannot be read, though it names a callback's method, or else a change or an index
  /// path.
  case unclear(String, isCallback: Bool)
  /// The message is about something else.
  case other

  /// How sure it is that a message reports a callback.
  enum Form: Hashable {
    /// It names its controller, as frc prints it.
    case named
    /// It names an observer, which publishes what its controller's callbacks report.
    case published
    /// It names the callback, or all arguments of one.
    case callback
    /// It begins with a type of change: `insert [0, 3]`.
    case verb
    /// The same with other words: `insert Dune [0, 3]`.
    case looseVerb

    /// Whether it is no callback beside those of a controller.
    var isWeak: Bool {
      switch self {
      case .published, .verb, .looseVerb: true
      case .named, .callback: false
      }
    }

    /// Whether the event has the name of its controller.
    var hasName: Bool {
      switch self {
      case .named, .published: true
      case .callback, .verb, .looseVerb: false
      }
    }
  }
}

/// Reads a message: first the shape of a callback, then its parts.
///
/// Quoted text and descriptions are never read as grammar.
struct CallbackGrammar {
  /// The name of a controller that the log does not name.
  static let unnamed = "controller"

  /// A class before the callback's name, as in `BooksVC.controllerWillChangeContent`.
  private(set) var source: String?
  /// A name before the callback or the list of sections, as in `books controllerWillChangeContent`.
  private(set) var name: String?
  /// Whether the message ends in the middle of a description.
  let isOpen: Bool

  private let line: LineBytes
  private var tokens: [LineToken]
  /// The words in lower case, by the places of their tokens; empty for other tokens.
  private var words: [String]

  init(_ message: LineBytes) {
    // The rest of a longer message is not about a callback.
    line = message.prefix(Self.mostBytes)
    let lexer = LineLexer(line)
    isOpen = lexer.isOpen
    tokens = lexer.tokens
    let bytes = line
    words = tokens.map { token in
      guard case .word = token.kind else { return "" }
      return String(decoding: bytes[token.range].prefix(80), as: UTF8.self).lowercased()
    }
  }

  private static let mostBytes = 1 << 16

  /// The meaning of the message.
  ///
  /// - Complexity: O(*n*) for *n* bytes.
  mutating func read() -> MessageReading {
    if let event = printedByFrc { return .event(event, .named) }
    if let (_, section) = shownSection {
      let sections = LoggedSections(sections: [section])
      return .event(.sections(controller: Self.unnamed, .other, sections), .callback)
    }
    takeName()
    if let event = sections ?? spelledCallback { return .event(event, .callback) }
    if let place = words.firstIndex(where: { CallbackVocabulary.callback($0) != nil }) {
      return read(callbackAt: place)
    }
    if words.contains(where: CallbackVocabulary.isEnumeration) || hasLabelledArguments {
      return object(from: 0, .callback)
    }
    return verb
  }

  /// Takes a name from the beginning of the message, if the rest is a callback or a list of sections.
  private mutating func takeName() {
    guard tokens.count > 1, tokens[0].kind == .word, !isAdjacent(1) else { return }
    let first = text(0)
    let isList = words[1] == "sections" && (isSign(":", at: 2) || isSign("=", at: 2))
    let callback = words.firstIndex { CallbackVocabulary.callback($0) != nil } ?? 0
    // `controller:didChangeObject:`
    let begins =
      callback > 0
      && (1..<callback).allSatisfy { place in
        switch tokens[place].kind {
        case .word: words[place] == "_" || CallbackVocabulary.entering.contains(words[place])
        case .sign: isAdjacent(place)
        case .number, .path, .quoted, .description, .object, .address, .arrow, .backArrow: false
        }
      }
    guard isList || begins, !CallbackVocabulary.isKnown(first) else { return }
    name = LinePrefix.namesSource(first) ? first : nil
    tokens.removeFirst()
    words.removeFirst()
  }

  /// A callback in separate words, such as `WILL CHANGE CONTENT`.
  private var spelledCallback: LogEvent? {
    guard tokens.count <= 6 else { return nil }
    var spelled = words.filter { !$0.isEmpty }
    if spelled.first == "controller" { spelled.removeFirst() }
    return switch spelled {
    case ["will", "change", "content"]: .willChange(controller: Self.unnamed)
    case ["did", "change", "content"]: .didChange(controller: Self.unnamed)
    case _: nil
    }
  }

  /// Whether the message names a type of change or an index path.
  private var namesChange: Bool {
    tokens.contains { $0.kind.isPath } || words.contains { CallbackVocabulary.type($0) != nil }
  }

  private func text(_ place: Int) -> String {
    String(decoding: line[tokens[place].range], as: UTF8.self)
  }

  private func isAdjacent(_ place: Int) -> Bool {
    place > 0 && place < tokens.count
      && tokens[place - 1].range.upperBound == tokens[place].range.lowerBound
  }

  private func isSign(_ sign: Unicode.Scalar, at place: Int) -> Bool {
    tokens.indices.contains(place) && tokens[place].isSign(sign)
  }

  // MARK: Lines of frc

  /// A line such as `books didChange object insert Book/1 "Dune" -> [0, 0]`.
  private var printedByFrc: LogEvent? {
    guard tokens.count >= 2, tokens[0].kind == .word, tokens[1].kind == .word else { return nil }
    let name = text(0)
    switch text(1) {
    case "willChangeContent": return tokens.count == 2 ? .willChange(controller: name) : nil
    case "didChangeContent":
      if tokens.count == 2 { return .didChange(controller: name) }
      let isWhole = tokens.count == 3 && ["snapshot", "difference"].contains(words[2])
      return isWhole ? .whole(controller: name) : nil
    case "counts":
      return words.dropFirst(2).first == "inserts" && tokens.count > 3
        ? .whole(controller: name) : nil
    case "didChange": return changePrintedByFrc(of: name)
    case let word:
      return operation(word).map { .operation(table: name, $0) }
    }
  }

  private func changePrintedByFrc(of name: String) -> LogEvent? {
    guard tokens.count >= 5, tokens[3].kind == .word,
      let type = FetchedResultsChangeType(rawValue: text(3))
    else { return nil }
    switch text(2) {
    case "section":
      guard case .number(let index) = tokens[4].kind, tokens.count <= 6 else { return nil }
      return .section(
        controller: name,
        SectionChange(type: type, index: index, name: tokens.count == 6 ? quoted(5) : nil))
    case "object":
      var place = 4
      var object: String?
      if case .object(let found) = tokens[place].kind {
        object = found
        place += 1
      }
      // The name for people. nil is a value, too.
      if tokens.indices.contains(place), tokens[place].kind == .quoted || words[place] == "nil" {
        object = object ?? quoted(place)
        place += 1
      }
      let rest = tokens[place...].map(\.kind)
      let (old, new): (ResultsIndexPath?, ResultsIndexPath?)
      switch (rest.first, rest.dropFirst().first, rest.dropFirst(2).first, rest.count) {
      // An insert without an arrow is the app's own line, after the name of its controller.
      case (.path(let path), nil, nil, 1) where type != .insert || object != nil:
        (old, new) = (path, nil)
      case (.arrow, .path(let path), nil, 2): (old, new) = (nil, path)
      case (.path(let first), .arrow, .path(let second), 3): (old, new) = (first, second)
      // Only a line that names its object surely lacks an index path, and not a label for it.
      case (nil, nil, nil, 0) where object != nil: (old, new) = (nil, nil)
      case _: return nil
      }
      return .object(
        controller: name, ObjectChange(type: type, object: object, old: old, new: new))
    case _: return nil
    }
  }

  /// Reads an operation after the name of its table.
  private func operation(_ name: String) -> TableOperation? {
    let rest = tokens.dropFirst(2)
    let paths = rest.compactMap { token in
      if case .path(let path) = token.kind { path } else { nil }
    }
    var section: Int?
    if case .number(let number)? = rest.first?.kind { section = number }
    // Prose about an operation has other words.
    guard rest.first.map({ $0.kind != .word }) ?? true else { return nil }
    return TableOperation(name, paths, section)
  }

  // MARK: Lists of sections

  /// The section whose first line the message is, as frc shows it: `section 0 "Ace" 3 objects`.
  var shownSection: (index: Int, section: LoggedSections.Section)? {
    guard tokens.count == 5, words[0] == "section", case .number(let index) = tokens[1].kind,
      let name = quoted(2), case .number(let count) = tokens[3].kind,
      ["object", "objects"].contains(words[4])
    else { return nil }
    return (index, LoggedSections.Section(name: name, count: count, objects: nil))
  }

  /// A list of the numbers of rows, such as `sections: [3, 2]`, also after an unknown prefix.
  private var sections: LogEvent? {
    guard let place = words.lastIndex(of: "sections"), isLabelEnd(place + 1),
      !words[..<place].contains(where: { CallbackVocabulary.callback($0) != nil }),
      place == 0 || !isAdjacent(place) && endsPrefix(place - 1)
    else { return nil }
    let list = line[tokens[place + 1].range.upperBound...].drop { $0.isBlank }
    guard list.first == UInt8(ascii: "["), let end = list.firstIndex(of: UInt8(ascii: "]")),
      list[(end + 1)...].allSatisfy(\.isBlank)
    else { return nil }
    let numbers = list[list.startIndex..<end].dropFirst()
      .split(separator: UInt8(ascii: ","), omittingEmptySubsequences: true)
      .map { Int(String(decoding: $0, as: UTF8.self).trimmed) }
    guard numbers.allSatisfy({ $0.map(TableSentence.isCount) == true }) else { return nil }
    return .sections(
      controller: Self.unnamed, .printed,
      LoggedSections(
        sections: numbers.compactMap { $0 }.map {
          LoggedSections.Section(name: "", count: $0, objects: nil)
        }))
  }

  /// Whether the token at a place may be the last one of a prefix.
  private func endsPrefix(_ place: Int) -> Bool {
    switch tokens[place].kind {
    case .word: false
    case .sign(let sign): sign != UInt8(ascii: ",") && sign != UInt8(ascii: "(")
    case .number, .path, .quoted, .description, .object, .address, .arrow, .backArrow: true
    }
  }

  // MARK: Callbacks by their methods

  private mutating func read(callbackAt place: Int) -> MessageReading {
    var isLeaving = false
    var others = 0
    for index in 0..<place {
      switch tokens[index].kind {
      case .backArrow: isLeaving = true
      case .word:
        if CallbackVocabulary.leaving.contains(words[index]) {
          isLeaving = true
        } else if !CallbackVocabulary.entering.contains(words[index]),
          !CallbackVocabulary.isEnumeration(words[index]), !isQualifier(index)
        {
          others += 1
        }
      case .number, .path, .quoted, .description, .object, .address, .arrow, .sign: break
      }
    }
    guard others <= Self.mostWordsBefore else {
      return .unclear("it names a callback in the middle of a sentence", isCallback: true)
    }
    if place >= 2, isSign(".", at: place - 1), tokens[place - 2].kind == .word, isAdjacent(place) {
      source = text(place - 2)
    }
    switch CallbackVocabulary.callback(words[place]) {
    case .willChangeContent: return content(isWill: true, place, isLeaving)
    case .didChangeContent: return content(isWill: false, place, isLeaving)
    case .section: return isLeaving ? .leaving : section(from: place + 1)
    case .object: return isLeaving ? .leaving : object(from: 0, skipping: place, .callback)
    case .either: return isLeaving ? .leaving : read(changeAt: place)
    case nil: return .other
    }
  }

  /// The name of a class before a method.
  private func isQualifier(_ index: Int) -> Bool {
    isSign(".", at: index + 1) && isAdjacent(index + 1)
  }

  private static let mostWordsBefore = 3
  private static let mostWordsAfter = 8
  /// How many words may say what the app's state is.
  private static let mostWordsOfState = 24

  private func content(isWill: Bool, _ place: Int, _ isLeaving: Bool) -> MessageReading {
    let after = words[(place + 1)...].filter { !$0.isEmpty && $0 != "_" }
    // A sign after the callback ends its name. Without one, the message is a sentence about it.
    let isNamed = place == 0 && tokens.count > 1 && words[1].isEmpty && isAdjacent(1)
    guard after.count <= (isNamed ? Self.mostWordsOfState : Self.mostWordsAfter) else {
      return .unclear("it names a callback in the middle of a sentence", isCallback: true)
    }
    let ends = after.count <= 2 ? after[...] : after.prefix(1)
    let isLeaving = isLeaving || ends.contains(where: CallbackVocabulary.leaving.contains)
    if isWill {
      return isLeaving
        ? .leaving : .event(.willChange(controller: Self.unnamed), .callback)
    }
    return .event(
      isLeaving ? .returned(controller: Self.unnamed) : .didChange(controller: Self.unnamed),
      .callback)
  }

  /// Reads `didChange`, whose arguments or next word say what changed.
  private func read(changeAt place: Int) -> MessageReading {
    let next = words.indices.contains(place + 1) ? words[place + 1] : ""
    if ["section", "sectioninfo", "asection"].contains(next) { return section(from: place + 2) }
    return words[place...].contains("atsectionindex")
      ? section(from: place + 1) : object(from: 0, skipping: place, .callback)
  }

  /// Whether the message has the labels of the type and of an index path.
  private var hasLabelledArguments: Bool {
    func isLabel(_ place: Int) -> Bool { isLabelEnd(place + 1) }
    var hasType = false
    var hasPath = false
    for (place, word) in words.enumerated() where isLabel(place) {
      switch CallbackVocabulary.label(word) {
      case .type where word != "for": hasType = true
      case .path, .old, .new: hasPath = hasPath || word.hasSuffix("path")
      case .type, .object, .index, nil: break
      }
    }
    return hasType && hasPath
  }

  // MARK: Types of change at the beginning

  /// Reads lines such as `insert [0, 3]`, `Inserting section at 0` or `section 1 inserted`.
  private var verb: MessageReading {
    let other: MessageReading =
      namesChange
      ? .unclear("it names a change or an index path, and has no known form", isCallback: false)
      : .other
    guard let first = words.firstIndex(where: { !$0.isEmpty }) else { return other }
    // The type comes first, or after the row or section that changed.
    let startsWithType =
      CallbackVocabulary.type(words[first]) != nil && tokens[..<first].allSatisfy { $0.isSign(".") }
    let isOfSection = words[first] == "section" || startsWithType && nextWord(first) == "section"
    let isNoun = ["section", "row", "item", "object", "cell", "indexpath"].contains(words[first])
    guard startsWithType || isNoun else { return other }
    let hasOthers = words.contains(where: isOther)
    guard startsWithType || !hasOthers else { return other }
    let hasPath = tokens.contains { $0.kind.isPath }
    if isOfSection, !hasPath {
      guard !hasOthers else { return other }
      return weakened(section(from: 0), .verb)
    }
    guard hasPath || words.contains("row") || words.contains("item") else { return other }
    return weakened(object(from: 0, .verb), hasOthers ? .looseVerb : .verb)
  }

  private func nextWord(_ place: Int) -> String? {
    words[(place + 1)...].first { !$0.isEmpty && $0 != "the" && $0 != "a" }
  }

  private func weakened(_ reading: MessageReading, _ form: MessageReading.Form) -> MessageReading {
    switch reading {
    case .event(let event, _): .event(event, form)
    case .unclear(let reason, _): .unclear(reason, isCallback: false)
    case .leaving, .other: reading
    }
  }

  // MARK: Arguments

  private func object(
    from start: Int, skipping callback: Int? = nil, _ form: MessageReading.Form
  ) -> MessageReading {
    var arguments = CallbackArguments()
    arguments.hasOtherWords = words.contains(where: isOther)
    read(&arguments, from: start, skipping: callback)
    return arguments.object(form)
  }

  private func section(from start: Int) -> MessageReading {
    var arguments = CallbackArguments()
    arguments.isOfSection = true
    read(&arguments, from: start, skipping: nil)
    return arguments.section()
  }

  /// Whether a word has no meaning in the grammar.
  private func isOther(_ word: String) -> Bool {
    !word.isEmpty && word != "_" && !CallbackVocabulary.isKnown(word)
  }

  private func quoted(_ place: Int) -> String? {
    guard tokens[place].kind == .quoted else { return nil }
    return QuotedText.content(line[tokens[place].range])
  }

  private func read(_ arguments: inout CallbackArguments, from start: Int, skipping callback: Int?)
  {
    var place = start
    while place < tokens.count {
      defer { place += 1 }
      if place == callback {
        arguments.endArgument()
        continue
      }
      // What a console or the app prints before the callback may be a process, a line, or the
      // method that prints it.
      let isBefore = callback.map { place < $0 } ?? false
      switch tokens[place].kind {
      case .word where isBefore && isSign("(", at: place + 1) && isAdjacent(place + 1): break
      case .word: readWord(&arguments, &place)
      case .number where isBefore && !(arguments.label == .type && isLabelEnd(place - 1)): break
      case .number(let number): arguments.add(number: number)
      case .path(let path): arguments.add(path: path)
      case .object(let name): arguments.add(object: name, isCertain: true)
      case .quoted: arguments.add(object: quoted(place) ?? "", isCertain: false)
      case .description: addDescription(&arguments, place)
      case .arrow: arguments.label = .new
      case .sign(UInt8(ascii: "-")): arguments.addDash()
      case .sign(let sign):
        // A list of arguments ends, or the next argument begins.
        if Self.ends.contains(sign) { arguments.endArgument() }
      case .address, .backArrow: break
      }
    }
  }

  private static let ends = Array(",;|)]".utf8)

  /// Whether the sign after a label is at a place.
  private func isLabelEnd(_ place: Int) -> Bool { isSign(":", at: place) || isSign("=", at: place) }

  private func addDescription(_ arguments: inout CallbackArguments, _ place: Int) {
    let text = line[tokens[place].range]
    if let name = ObjectURI.name(inDescription: text) {
      arguments.add(object: name, isCertain: true)
    } else if text.elementsEqual("<nil>".utf8) || text.elementsEqual("<null>".utf8) {
      arguments.addNothing()
    }
  }

  private func readWord(_ arguments: inout CallbackArguments, _ place: inout Int) {
    let word = words[place]
    // A part of a method's name, such as `didChange:at:`, has no value.
    if isSign(":", at: place + 1), isAdjacent(place + 1),
      tokens.indices.contains(place + 2), tokens[place + 2].kind == .word, isAdjacent(place + 2),
      isSign(":", at: place + 3), isAdjacent(place + 3)
    {
      place += 1
      return
    }
    if let type = CallbackVocabulary.type(word) {
      let isMarked = isSign(".", at: place - 1) && isAdjacent(place)
      arguments.add(type: type, isMarked: isMarked || CallbackVocabulary.isEnumeration(word))
      // `type: Update: …`
      if isSign(":", at: place + 1) { place += 1 }
    } else if CallbackVocabulary.absent.contains(word) {
      arguments.addNothing()
    } else if arguments.isOfSection && arguments.label == .object {
      arguments.add(object: text(place), isCertain: false)
    } else {
      let isLabel = isLabelEnd(place + 1)
      // In the text of an object, only a word with a sign after it is a label.
      if arguments.isInText {
        guard isLabel else { return }
        arguments.endArgument()
      }
      if let label = CallbackVocabulary.label(word) {
        arguments.add(label: label, word)
        arguments.isInText = isLabel && label == .object && !arguments.isOfSection
      } else if word == "row" || word == "item" {
        arguments.addRowWord()
      }
    }
  }
}

/// The text of a quoted token.
enum QuotedText {
  /// Returns the text without the quotation marks and the escapes.
  static func content(_ text: LineBytes) -> String {
    let all = String(decoding: text, as: UTF8.self)
    var rest = all.dropFirst()
    // A text that goes on after the line has no end.
    if let last = rest.last, "\"'”“»」』".contains(last) { rest.removeLast() }
    guard rest.contains("\\") else { return String(rest) }
    var content = ""
    var index = rest.startIndex
    while index < rest.endIndex {
      if rest[index] == "\\", rest.index(after: index) < rest.endIndex {
        index = rest.index(after: index)
        switch rest[index] {
        case "n": content.append("\n")
        case "t": content.append("\t")
        case "r": content.append("\r")
        case "0": content.append("\0")
        case let character:
          if character == "u", let (scalar, end) = scalar(in: rest, after: index) {
            content.unicodeScalars.append(scalar)
            index = end
          } else {
            content.append(character)
          }
        }
      } else {
        content.append(rest[index])
      }
      index = rest.index(after: index)
    }
    return content
  }
}

extension QuotedText {
  /// Reads `u{1F600}`, and returns the place of its end.
  private static func scalar(
    in text: Substring, after start: Substring.Index
  ) -> (Unicode.Scalar, Substring.Index)? {
    let rest = text[text.index(after: start)...]
    guard rest.first == "{", let end = rest.prefix(10).firstIndex(of: "}"),
      let number = UInt32(rest[rest.index(after: rest.startIndex)..<end], radix: 16),
      let scalar = Unicode.Scalar(number)
    else { return nil }
    return (scalar, end)
  }
}

extension TableOperation {
  /// Creates an operation from its name and the index paths after it.
  init?(_ name: String, _ paths: [ResultsIndexPath], _ section: Int?) {
    switch (name, paths.count) {
    case ("beginUpdates", _): self = .beginUpdates
    case ("endUpdates", _): self = .endUpdates
    case ("reloadData", _): self = .reloadData
    case ("insertRows", 1...): self = .insertRows(paths[0])
    case ("deleteRows", 1...): self = .deleteRows(paths[0])
    case ("reloadRows", 1...): self = .reloadRows(paths[0])
    case ("configureCell", 1...): self = .configureCell(paths[0])
    case ("moveRow", 2...): self = .moveRow(paths[0], to: paths[1])
    case ("insertSections", _):
      guard let section else { return nil }
      self = .insertSections(section)
    case ("deleteSections", _):
      guard let section else { return nil }
      self = .deleteSections(section)
    case _: return nil
    }
  }
}
