import FetchedResults
import Foundation
import TableViews

/// Reads the sentence of iOS 16 and later, which contains the numbers of rows and the updates.
///
/// An example: `Data source before updates = { 1 section with row counts: [3] } … Updates = [ Delete
/// row (0 - 1) ]`.
enum BatchSentence {
  /// Returns the meaning of the sentence; nil for any other.
  ///
  /// - Parameter text: The text on one line, in the words of a table view.
  static func meaning(of text: String) -> LoggedException.Meaning? {
    guard text.contains("Invalid batch updates detected"),
      let before = counts(in: text, after: "before updates = "),
      let after = counts(in: text, after: "after updates = ")
    else { return nil }
    let operations = operations(in: text)
    return .inconsistent(
      before: before, after: after, operations,
      TableOutcome.error(of: operations, before: before, after: after))
  }

  private static func counts(in text: String, after start: String) -> [Int]? {
    guard let found = text.range(of: start), let end = text[found.upperBound...].firstIndex(of: "}")
    else { return nil }
    let part = text[found.upperBound..<end]
    guard let open = part.firstIndex(of: "["), let close = part.lastIndex(of: "]"), open < close
    else { return part.contains("0 sections") ? [] : nil }
    let numbers = part[part.index(after: open)..<close].split(separator: ",").map {
      Int($0.trimmed)
    }
    let counts = numbers.compactMap { $0 }.filter(TableSentence.isCount)
    return counts.count == numbers.count ? counts : nil
  }

  private static func operations(in text: String) -> [TableOperation] {
    guard let found = text.range(of: "Updates = [") else { return [] }
    let end = text[found.upperBound...].firstIndex(of: "]") ?? text.endIndex
    return text[found.upperBound..<end].split(separator: ",").compactMap { operation($0.trimmed) }
  }

  /// Reads an operation such as `Delete row (0 - 1)` or `Insert section (1)`.
  private static func operation(_ text: Substring) -> TableOperation? {
    let numbers = text.split { !$0.isNumber }.compactMap { Int($0) }
    let path = numbers.count >= 2 ? ResultsIndexPath(section: numbers[0], row: numbers[1]) : nil
    let isSection = text.contains("section")
    switch text.split(separator: " ").first {
    case "Delete":
      return isSection ? numbers.first.map { .deleteSections($0) } : path.map { .deleteRows($0) }
    case "Insert":
      return isSection ? numbers.first.map { .insertSections($0) } : path.map { .insertRows($0) }
    case "Reload": return isSection ? nil : path.map { .reloadRows($0) }
    case "Move":
      guard let path, numbers.count >= 4, !isSection else { return nil }
      return .moveRow(path, to: ResultsIndexPath(section: numbers[2], row: numbers[3]))
    case _: return nil
    }
  }
}
