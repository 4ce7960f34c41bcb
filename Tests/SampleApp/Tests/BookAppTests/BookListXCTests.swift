import BookApp
import FetchedResultsTesting
import XCTest

/// The same in XCTest, where failures are thrown.
final class BookListXCTests: XCTestCase {
  func testScripts() throws {
    for script in FRCScript.all(in: "Scripts") { try script.run() }
  }

  func testBookList() throws {
    try fuzz(turns: 500, seed: 1) { BookList() }
  }

  func testStaleBookList() {
    let line = #line + 1
    XCTAssertThrowsError(try fuzz(turns: 500, seed: 42) { StaleBookList() }) { error in
      XCTAssertTrue("\(error)".hasPrefix("\(#filePath):\(line): StaleBookList shows"))
    }
  }
}
