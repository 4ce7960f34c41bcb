import FetchedResults
import Foundation
import TableViews

/// Reads callbacks in the formats that people and frc print.
enum CallbackText {
  /// The name of a controller that the log does not name.
  static let unnamed = "controller"

  /// Reads a callback or a table operation from a line; nil if there is none.
  static func event(in line: String) -> LogEvent? {
    let line = Self.selectors.reduce(line) { $0.replacing($1.0, with: $1.1) }.trimmed
    guard !isFrame(line) else { return nil }
    if let event = printedByFrc(line) { return event }
    let isLeaving = ["leave", "<=", "return", "exit"].contains { line.contains($0) }
    if line.range(of: "willChangeContent", options: .caseInsensitive) != nil {
      return isLeaving ? nil : .willChange(controller: unnamed)
    }
    if line.range(of: "didChangeContent", options: .caseInsensitive) != nil {
      return isLeaving ? .returned(controller: unnamed) : .didChange(controller: unnamed)
    }
    for keyword in ["didChangeSection", "didChange section", "didChange sectionInfo"] {
      guard let found = line.range(of: keyword, options: .caseInsensitive) else { continue }
      return section(line[found.upperBound...], of: unnamed)
    }
    for keyword in ["didChangeObject", "didChange", "change type", "changeType"] {
      guard let found = line.range(of: keyword, options: .caseInsensitive) else { continue }
      let rest = keyword.hasSuffix("ype") ? line[found.lowerBound...] : line[found.upperBound...]
      return object(rest, of: unnamed)
    }
    return verb(withoutPrefix(line))
  }

  /// Method names.
  ///
  /// The numbers that follow them are not index paths.
  private static let selectors = [
    ("didChange:at:for:newIndexPath:", "didChangeObject"),
    ("didChangeObject:atIndexPath:forChangeType:newIndexPath:", "didChangeObject"),
    ("didChange:atSectionIndex:for:", "didChangeSection"),
    ("didChangeSection:atIndex:forChangeType:", "didChangeSection"),
  ]

  /// Reads lines such as `insert [0, 3]` or `Inserting section at 0`.
  private static func verb(_ line: Substring) -> LogEvent? {
    let words = line.split { !$0.isLetter && !$0.isNumber }.prefix(2).map { $0.lowercased() }
    guard let first = words.first, type(ofWord: first) != nil else { return nil }
    if !IndexPathScan.paths(in: line).isEmpty { return object(line, of: unnamed) }
    return words.count > 1 && words[1] == "section" ? section(line, of: unnamed) : nil
  }

  /// Whether the line belongs to a call stack.
  ///
  /// It may name callbacks that it does not report.
  private static func isFrame(_ line: Substring) -> Bool {
    guard let first = line.first, first.isNumber, line.contains("0x") else { return false }
    let rest = line.drop { $0.isNumber }
    return rest.first == " " && rest.trimmed.first?.isLetter == true
  }

  /// The line without date, time and process.
  private static func withoutPrefix(_ line: Substring) -> Substring {
    guard line.first?.isNumber == true, let end = line.firstIndex(of: "]"),
      let start = line.firstIndex(of: "["), start < end,
      line[start...end].contains(":")
    else { return line.drop { !$0.isLetter } }
    return line[line.index(after: end)...].trimmed.drop { !$0.isLetter }
  }

  // MARK: frc's own lines

  private static func printedByFrc(_ line: Substring) -> LogEvent? {
    let words = line.split(separator: " ", maxSplits: 2)
    guard words.count >= 2, words[0].allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }) else {
      return nil
    }
    let name = String(words[0])
    let rest = words.count > 2 ? words[2] : ""
    switch words[1] {
    case "willChangeContent" where rest.isEmpty: return .willChange(controller: name)
    case "didChangeContent" where rest.isEmpty: return .didChange(controller: name)
    case "didChange" where rest.hasPrefix("object "): return object(rest.dropFirst(7), of: name)
    case "didChange" where rest.hasPrefix("section "): return section(rest.dropFirst(8), of: name)
    case _: return operation(String(words[1]), rest).map { .operation(table: name, $0) }
    }
  }

  /// Reads an operation from its name and the index paths after it.
  static func operation(_ name: String, _ rest: Substring) -> TableOperation? {
    let paths = IndexPathScan.paths(in: rest).map(\.path)
    return operation(name, paths, Int(rest.trimmed))
  }

  static func operation(
    _ name: String, _ paths: [ResultsIndexPath], _ section: Int?
  ) -> TableOperation? {
    switch (name, paths.count) {
    case ("beginUpdates", _): .beginUpdates
    case ("endUpdates", _): .endUpdates
    case ("reloadData", _): .reloadData
    case ("insertRows", 1...): .insertRows(paths[0])
    case ("deleteRows", 1...): .deleteRows(paths[0])
    case ("reloadRows", 1...): .reloadRows(paths[0])
    case ("configureCell", 1...): .configureCell(paths[0])
    case ("moveRow", 2...): .moveRow(paths[0], to: paths[1])
    case ("insertSections", _): section.map { .insertSections($0) }
    case ("deleteSections", _): section.map { .deleteSections($0) }
    case _: nil
    }
  }

  // MARK: What people print

  private static func object(_ text: Substring, of controller: String) -> LogEvent? {
    let paths = IndexPathScan.paths(in: text)
    guard let type = type(in: text) else { return nil }
    var old: ResultsIndexPath?
    var new: ResultsIndexPath?
    for found in paths {
      if isNew(found.lead) || old != nil {
        new = new ?? found.path
      } else {
        old = found.path
      }
    }
    if type == .insert, new == nil { (old, new) = (nil, old) }
    if type == .delete { new = nil }
    guard old != nil || new != nil else { return nil }
    return .object(
      controller: controller,
      ObjectChange(type: type, object: objectName(in: text), old: old, new: new))
  }

  private static func isNew(_ lead: Substring) -> Bool {
    let lead = lead.lowercased()
    return lead.contains("new") || lead.contains("->") || lead.contains("→")
      || lead.contains("=>") || lead.hasSuffix(" to ") || lead.contains(" to:")
  }

  private static func section(_ text: Substring, of controller: String) -> LogEvent? {
    guard let type = type(in: text), type == .insert || type == .delete else { return nil }
    let words = text.split { !$0.isLetter && !$0.isNumber }
    var before = ""
    var index: Int?
    for word in words {
      if let number = Int(word), !before.hasSuffix("type"), before != "rawvalue" {
        index = index ?? number
      }
      before = word.lowercased()
    }
    return index.map { index in
      .section(
        controller: controller, SectionChange(type: type, index: index, name: quoted(in: text)))
    }
  }

  /// Returns the type of change that a text names, as a word or as its number.
  static func type(in text: Substring) -> FetchedResultsChangeType? {
    var before = ""
    for word in text.split(whereSeparator: { !$0.isLetter && !$0.isNumber }) {
      let small = word.lowercased()
      if let type = type(ofWord: small) { return type }
      if before.hasSuffix("type") || before == "rawvalue", let type = types[small] { return type }
      before = small
    }
    return nil
  }

  private static let types: [String: FetchedResultsChangeType] = [
    "1": .insert, "2": .delete, "3": .move, "4": .update,
  ]

  private static func type(ofWord word: String) -> FetchedResultsChangeType? {
    for (stems, type) in [
      (["insert", "inserted", "inserting"], FetchedResultsChangeType.insert),
      (["delete", "deleted", "deleting"], .delete), (["move", "moved", "moving"], .move),
      (["update", "updated", "updating"], .update),
    ] where stems.contains(word) || word.hasSuffix("change" + stems[0]) {
      return type
    }
    return nil
  }

  /// Returns a name such as `Book/3`, also from an object's URI `x-coredata://…/Book/p3`, or else a
  /// text in quotes.
  private static func objectName(in text: Substring) -> String? {
    for word in text.split(whereSeparator: { $0.isWhitespace || "<>(),;".contains($0) }) {
      let parts = word.split(separator: "/")
      guard parts.count >= 2, let entity = parts.dropLast().last, let number = parts.last else {
        continue
      }
      let digits = number.hasPrefix("p") ? number.dropFirst() : number
      guard entity.first?.isUppercase == true, Int(digits) != nil else { continue }
      return "\(entity)/\(number)"
    }
    return quoted(in: text)
  }

  private static func quoted(in text: Substring) -> String? {
    guard let start = text.firstIndex(of: "\""),
      let end = text[text.index(after: start)...].firstIndex(of: "\"")
    else { return nil }
    return String(text[text.index(after: start)..<end])
  }
}
