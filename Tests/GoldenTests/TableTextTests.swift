import Foundation
import RepositoryFiles
import Testing

@Suite("UIKit's words")
struct TableTextTests {
  /// Exceptions of a table, as developers have logged them.
  private static let texts = [
    "Invalid update: invalid number of sections.  The number of sections contained in the table view "
      + "after the update (1) must be equal to the number of sections contained in the table view "
      + "before the update (2), plus or minus the number of sections inserted or deleted (0 inserted, "
      + "0 deleted).",
    "Invalid update: invalid number of rows in section 0.  The number of rows contained in an "
      + "existing section after the update (4) must be equal to the number of rows contained in that "
      + "section before the update (5), plus or minus the number of rows inserted or deleted from "
      + "that section (4 inserted, 4 deleted) and plus or minus the number of rows moved into or out "
      + "of that section (0 moved in, 0 moved out).",
    "attempt to delete row 1 from section 0 which only contains 1 rows before the update",
    "attempt to insert row 0 into section 1, but there are only 1 sections after the update",
    "attempt to insert row 1 into section 0, but there are only 1 rows in section 0 after the update",
    "attempt to delete section 2, but there are only 2 sections before the update",
    "attempt to delete and reload the same index path (0 - 0)",
    "attempt to perform an insert and a move to the same index path (0 - 0)",
  ]

  /// Returns the exception as Core Data logs it.
  private static func logged(_ reason: String) -> String {
    "#> console: CoreData: error: Serious application error.  An exception was caught from the "
      + "delegate of NSFetchedResultsController during a call to -controllerDidChangeContent:.  "
      + "\(reason) with userInfo (null)"
  }

  @Test("each is printed by a golden", arguments: texts)
  func printed(text: String) throws {
    let goldens = RepositoryFiles.url("Tests/GoldenTests/Goldens/tables")
    let scripts = try FileManager.default.contentsOfDirectory(
      at: goldens, includingPropertiesForKeys: nil)
    let lines = try scripts.flatMap {
      try String(contentsOf: $0, encoding: .utf8).components(separatedBy: "\n")
    }
    #expect(lines.contains(Self.logged(text)))
  }
}
