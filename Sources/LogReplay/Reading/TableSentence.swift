import FetchedResults
import Foundation
import TableViews

/// Reads the messages with which UIKit refuses a batch of updates.
enum TableSentence {
  /// Returns the rule that was broken according to a message; nil for any other text.
  ///
  /// - Parameter text: The text on one line, in the words of a table view.
  static func error(in text: String) -> TableUpdateError? {
    let text = plainPaths(text)
    for (template, error) in templates {
      if let numbers = template.numbers(in: text), numbers.allSatisfy(isCount),
        let found = error(numbers)
      {
        return found
      }
    }
    return nil
  }

  /// Returns the text with `<NSIndexPath: 0xc1> {length = 2, path = 0 - 3}` shortened to `0 - 3`.
  static func plainPaths(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let start = rest.range(of: "{length = 2, path = ") {
      var head = rest[..<start.lowerBound]
      if let address = head.range(of: "<NSIndexPath", options: .backwards) {
        head = head[..<address.lowerBound]
      }
      result += head
      rest = rest[start.upperBound...]
      guard let end = rest.firstIndex(of: "}") else { break }
      result += rest[..<end]
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }

  /// Whether a number can be a view's number of rows.
  ///
  /// The limit keeps sums of such numbers from overflowing.
  static func isCount(_ number: Int) -> Bool { 0...1_000_000_000 ~= number }

  private typealias Reading = @Sendable ([Int]) -> TableUpdateError?

  private static let templates: [(TextTemplate, Reading)] =
    (before + after + pairs + sums).map { (TextTemplate($0.0), $0.1) }

  private static let before: [(String, Reading)] = [
    (
      "attempt to delete section {n}, but there are only {n} sections before the update",
      { .deletedSectionMissing($0[0], sections: $0[1]) }
    ),
    (
      "attempt to delete row {n} from section {n} which only contains {n} rows before the update",
      { .deletedRowMissing(path($0[1], $0[0]), rows: $0[2]) }
    ),
    (
      "attempt to delete row {n} from section {n}, but there are only {n} sections before the",
      { .deletedRowWithoutSection(path($0[1], $0[0]), sections: $0[2]) }
    ),
    (
      "attempt to move index path ({n} - {n}) that does not exist - there are only {n} rows in "
        + "section {n} before",
      { .movedRowMissing(path($0[0], $0[1]), rows: $0[2]) }
    ),
    (
      "attempt to move index path ({n} - {n}) that does not exist - there are only {n} sections "
        + "before",
      { .movedRowWithoutSection(path($0[0], $0[1]), sections: $0[2]) }
    ),
    ("cannot move a row from a deleted section ({n})", { .movedFromDeletedSection($0[0]) }),
  ]

  private static let after: [(String, Reading)] = [
    (
      "attempt to insert section {n} but there are only {n} sections after the update",
      { .insertedSectionMissing($0[0], sections: $0[1]) }
    ),
    (
      "attempt to insert row {n} into section {n}, but there are only {n} rows in section {n} "
        + "after",
      { .insertedRowMissing(path($0[1], $0[0]), rows: $0[2]) }
    ),
    (
      "attempt to insert row {n} into section {n}, but there are only {n} sections after",
      { .insertedRowWithoutSection(path($0[1], $0[0]), sections: $0[2]) }
    ),
    (
      "attempt to move index path ({n} - {n}) to index path ({n} - {n}) that does not exist - "
        + "there are only {n} rows in section {n} after",
      { .moveTargetMissing(from: path($0[0], $0[1]), to: path($0[2], $0[3]), rows: $0[4]) }
    ),
    (
      "attempt to move index path ({n} - {n}) to index path ({n} - {n}) that does not exist - "
        + "there are only {n} sections after",
      {
        .moveTargetWithoutSection(
          from: path($0[0], $0[1]), to: path($0[2], $0[3]), sections: $0[4])
      }
    ),
    (
      "cannot move a row into a newly inserted section ({n})", { .movedIntoInsertedSection($0[0]) }
    ),
  ]

  private static let pairs: [(String, Reading)] = [
    (
      "attempt to delete and reload the same index path ({n} - {n})",
      { .deletedAndReloaded(path($0[0], $0[1])) }
    ),
    (
      "attempt to perform a delete and a move from the same index path ({n} - {n})",
      { .deletedAndMoved(path($0[0], $0[1])) }
    ),
    (
      "attempt to perform an insert and a move to the same index path ({n} - {n})",
      { .insertedAndMoved(path($0[0], $0[1])) }
    ),
    (
      "attempt to move row at index path {n} - {n} to both {n} - {n} and {n} - {n}",
      {
        .movedTwice(path($0[0], $0[1]), to: path($0[2], $0[3]), and: path($0[4], $0[5]))
      }
    ),
    (
      "attempt to move both row at index path {n} - {n} and {n} - {n} to {n} - {n}",
      {
        .movedToOneRow(path($0[0], $0[1]), and: path($0[2], $0[3]), to: path($0[4], $0[5]))
      }
    ),
  ]

  private static let sums: [(String, Reading)] = [
    (
      "contained in the table view after the update ({n}) must be equal to the number of sections "
        + "contained in the table view before the update ({n}), plus or minus the number of "
        + "sections inserted or deleted ({n} inserted, {n} deleted",
      { .numberOfSections(before: $0[1], after: $0[0], inserted: $0[2], deleted: $0[3]) }
    ),
    (
      "invalid number of rows in section {n}. The number of rows contained in an existing section "
        + "after the update ({n}) must be equal to the number of rows contained in that section "
        + "before the update ({n}), plus or minus the number of rows inserted or deleted from that "
        + "section ({n} inserted, {n} deleted) and plus or minus the number of rows moved into or "
        + "out of that section ({n} moved in, {n} moved out",
      { rows($0) }
    ),
    // Before iOS 5, rows could not be moved.
    (
      "invalid number of rows in section {n}. The number of rows contained in an existing section "
        + "after the update ({n}) must be equal to the number of rows contained in that section "
        + "before the update ({n}), plus or minus the number of rows inserted or deleted from that "
        + "section ({n} inserted, {n} deleted).",
      { rows($0 + [0, 0]) }
    ),
  ]

  private static func rows(_ numbers: [Int]) -> TableUpdateError {
    var counts = TableUpdateError.RowCounts(before: numbers[2], after: numbers[1])
    counts.inserted = numbers[3]
    counts.deleted = numbers[4]
    counts.movedIn = numbers[5]
    counts.movedOut = numbers[6]
    return .numberOfRows(section: numbers[0], counts)
  }

  private static func path(_ section: Int, _ row: Int) -> ResultsIndexPath {
    ResultsIndexPath(section: section, row: row)
  }
}
