/// The numbers given to new objects of a root entity, and which of them other processes have used
/// in the meantime.
///
/// Each process gives numbers in advance, starting after the file's last number. So two processes
/// may give the same number, and the second one to save finds that it is used. A number is never
/// used again, even if the other process's object is deleted.
struct GivenNumbers {
  /// The last number that was given according to the file, as far as this process knows.
  private var saved: Int64
  /// The last number that this process gave, or knows that another process gave.
  private(set) var last: Int64
  /// The last number at a time when no given number was waiting for a save.
  private var known: Int64
  /// How many saves of other processes were known when the file was last read.
  private var foreignSaves = 0
  /// The numbers that both this process and another one gave.
  private var taken: [ClosedRange<Int64>] = []

  init(last: Int64 = 0) {
    saved = last
    self.last = last
    known = last
  }

  /// Returns a number that was not given before.
  ///
  /// - Parameters:
  ///   - foreignSaves: How many saves of other processes are known by now. A context may have read
  ///     their objects, and must not confuse a new object with one of them.
  ///   - lastOfFile: Reads the last given number from the file; nil if it cannot be read.
  mutating func next(foreignSaves: Int, lastOfFile: () -> Int64?) -> Int64 {
    let nothingWaits = last == known
    if nothingWaits || foreignSaves != self.foreignSaves {
      if let last = lastOfFile() { note(lastOfFile: last) }
      if nothingWaits { known = last }
      self.foreignSaves = foreignSaves
    }
    last += 1
    return last
  }

  /// Notes the last number that was given according to the file.
  ///
  /// Other processes gave every number up to it that was not saved from here.
  mutating func note(lastOfFile: Int64) {
    guard lastOfFile > saved else { return }
    let end = min(lastOfFile, last)
    if end > saved {
      if let before = taken.last, before.upperBound == saved {
        taken[taken.count - 1] = before.lowerBound...end
      } else {
        taken.append(saved + 1...end)
      }
    }
    saved = lastOfFile
    last = max(last, lastOfFile)
  }

  /// Whether another process also gave a number that was given here.
  func isTaken(_ number: Int64) -> Bool {
    taken.contains { $0.contains(number) }
  }

  /// Notes a save, which wrote the numbers given so far into the file.
  mutating func didSave() {
    saved = max(saved, last)
    known = last
  }
}
