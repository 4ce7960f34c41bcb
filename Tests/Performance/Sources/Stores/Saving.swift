import CSQLiteLoops
import FetchedResults
import Foundation

/// Compares the save of inserted objects with prepared inserts of the same columns in one
/// transaction.
enum Saving {
  static func measure(in folder: URL, objects count: Int, repetitions: Int) throws {
    var ours: [Double] = []
    var theirs: [Double] = []
    for repetition in 0..<repetitions {
      let theirFile = folder.appendingPathComponent("theirs\(repetition).sqlite").path
      _ = try Rows.open(theirFile)
      theirs.append(
        try milliseconds {
          try Rows.check(
            insert_rows(theirFile, Rows.insertion, 1, Int64(count), Int64(Rows.sections)))
        })

      let context = try Rows.open(folder.appendingPathComponent("ours\(repetition).sqlite").path)
      let entity = try Rows.entity(in: context)
      for number in 1...count { Rows.fill(context.insert(entity), number: Int64(number)) }
      context.processPendingChanges()
      ours.append(try milliseconds { try context.save() })
    }
    report("save of \(count) inserted objects", ours: ours, theirs: theirs, limit: 2)
  }
}
