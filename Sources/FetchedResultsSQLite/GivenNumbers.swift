/// The numbers given to new objects of a root entity, and which of them others have taken in the
/// meantime.
///
/// Each process gives numbers in advance, from the file's last number on. So two
/// may give the same number, and the second to save finds it taken. It stays
/// taken when the other process's object is deleted: a number is never used
/// again.
struct GivenNumbers {
  /// The last number that the file says was given, as far as that is known here.
  private var saved: Int64
  /// The last number given here, or known to be given by others.
  private(set) var last: Int64
  /// The last number when nothing was waiting for a save.
  private var known: Int64
  /// How many saves of others were noticed when the file was last asked.
  private var foreignSaves = 0
  /// The numbers that were given here, and by others too.
  private var taken: [ClosedRange<Int64>] = []

  init(last: Int64 = 0) {
    saved = last
    self.last = last
    known = last
  }

  /// Returns a number that was not given before.
  ///
  /// - Parameters:
  ///   - foreignSaves: How many saves of others were noticed by now. A context may
  ///     have read what they saved, and must not take a new object for it.
  ///   - lastOfFile: Asks the file for the last number given; nil if it cannot be read.
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

  /// Takes note of the last number that the file says was given: others gave
  /// every number up to it that was not saved from here.
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

  /// Whether a number that was given here was given by others, too.
  func isTaken(_ number: Int64) -> Bool {
    taken.contains { $0.contains(number) }
  }

  /// Takes note of a save, which told the file of the numbers given so far.
  mutating func didSave() {
    saved = max(saved, last)
    known = last
  }
}
