import Basics
import EngineWorlds
import FetchedResults
import RandomLaws
import Testing

@Suite("What is kept of others' saves until it is merged")
struct UnmergedSavesTests {
  private let book: EntityDescription

  init() throws { book = try BookShelf.book(of: try BookShelf.model()) }

  private func ids(_ numbers: [Int64]) -> [ObjectID] {
    numbers.map { ObjectID(entity: book, number: $0) }
  }

  private func save(_ inserted: [Int64] = [], updated: [Int64] = []) -> ContextSave {
    ContextSave(inserted: ids(inserted), updated: ids(updated))
  }

  private func numbers(_ part: UnmergedSaves.Part) -> [Int64]? {
    switch part {
    case .objects(let objects): objects.map(\.id.number)
    case .everything: nil
    }
  }

  @Test("whole saves are taken, at least one")
  func wholeSaves() {
    var saves = UnmergedSaves()
    saves.add(save([1, 2, 3]))
    saves.add(save([4]))
    saves.add(save([5, 6]))

    #expect(numbers(saves.take(objects: 2)) == [1, 2, 3])
    #expect(numbers(saves.take(objects: 2)) == [4])
    #expect(!saves.isEmpty)
    #expect(numbers(saves.take(objects: 9)) == [5, 6])
    #expect(saves.isEmpty)
    #expect(numbers(saves.take(objects: 9)) == [])
  }

  @Test("past the limit nothing is kept but that there was something; then it begins again")
  func limit() {
    var saves = UnmergedSaves()
    saves.limit = 4
    saves.add(save([1, 2, 3, 4, 5]))
    saves.add(save([6]))

    #expect(!saves.isEmpty)
    #expect(numbers(saves.take(objects: 1)) == nil)
    #expect(saves.isEmpty)
    saves.add(save([7]))
    #expect(numbers(saves.take(objects: 1)) == [7])
    for _ in 0..<100 { saves.add(save(updated: [1, 2, 3, 4])) }
    // One object many times is one object.
    #expect(Set(numbers(saves.take(objects: .max)) ?? []) == [1, 2, 3, 4])
  }

  @Test("random saves: each object arrives, as inserted if its first save inserted it")
  func random() {
    let seed = UInt64.random(in: 0..<1_000_000)
    for round in 0..<LawForm.rounds(300, long: 30_000) {
      var random = SeededGenerator(seed: seed &+ UInt64(round))
      var saves = UnmergedSaves()
      saves.limit = random.number(1...12)
      var waiting: [Int64: Bool] = [:]
      var last: Int64 = 0
      for _ in 0..<random.number(1...40) {
        if random.chance(4) {
          switch saves.take(objects: random.number(1...8)) {
          case .objects(let objects):
            for object in objects {
              // An object may come twice.
              if let isInserted = waiting.removeValue(forKey: object.id.number) {
                #expect(object.isInserted == isInserted, "seed \(seed), round \(round)")
              }
            }
          case .everything: waiting = [:]
          }
          if saves.isEmpty { #expect(waiting.isEmpty, "seed \(seed), round \(round)") }
          continue
        }
        let inserted = (0..<random.number(0...3)).map { last + 1 + Int64($0) }
        last += Int64(inserted.count)
        let updated = (0..<random.number(0...3)).map { _ in Int64(random.number(0...Int(last))) }
        saves.add(save(inserted, updated: updated))
        for number in inserted { waiting[number] = true }
        for number in updated where waiting[number] == nil { waiting[number] = false }
      }
    }
  }
}
