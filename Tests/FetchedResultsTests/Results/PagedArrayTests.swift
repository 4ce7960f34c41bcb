import Basics
import FetchedResults
import Testing

@Suite("the paged array against a dictionary")
struct PagedArrayTests {
  @Test("what was stored is read, all else is the placeholder", arguments: 0..<10)
  func random(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var array = PagedArray(placeholder: -1)
    var model: [Int64: Int] = [:]
    let bound: Int64 = seed < 5 ? 20 : 10_000
    for step in 0..<500 {
      let index = Int64.random(in: 0..<bound, using: &random)
      array[index] = step
      model[index] = step
      let other = Int64.random(in: 0..<bound, using: &random)
      #expect(array[other] == model[other] ?? -1, "seed \(seed), step \(step)")
    }
    #expect(array.stored.filter { $0 >= 0 }.sorted() == model.values.sorted())
  }

  @Test("any index may be read, also one below 0 or far above")
  func outside() {
    var array = PagedArray(placeholder: 0)
    array[1023] = 7
    #expect([array[-1], array[1022], array[1023], array[1024], array[.max]] == [0, 0, 7, 0, 0])
    #expect(array[.min] == 0)
  }

  @Test("numbers far apart take no more room than near ones")
  func far() {
    var array = PagedArray(placeholder: 0)
    let indices: [Int64] = [.min, -1, 5, 1 << 27, 20_000_000_000, .max]
    for (place, index) in indices.enumerated() { array[index] = place + 1 }
    #expect(indices.map { array[$0] } == [1, 2, 3, 4, 5, 6])
    #expect([array[-2], array[.max - 1], array[1 << 40]] == [0, 0, 0])
    #expect(array.stored.filter { $0 > 0 } == [3, 1, 2, 4, 5, 6])
    array[.max] = 0
    #expect(array[.max] == 0)
    array.removeAll()
    #expect(indices.map { array[$0] } == [0, 0, 0, 0, 0, 0])
  }

  @Test("removing all leaves placeholders")
  func removeAll() {
    var array = PagedArray(placeholder: 0)
    array[5] = 7
    array.removeAll()
    #expect(array[5] == 0)
    #expect(Array(array.stored) == [])
  }

  @Test("one made of elements reads as one that was filled", arguments: [0, 1, 1023, 1024, 5000])
  func elements(count: Int) {
    let elements = ContiguousArray((0..<count).map { 1024..<2048 ~= $0 ? 0 : $0 % 7 })
    let array = PagedArray(elements, placeholder: 0)
    for index in 0..<count { #expect(array[Int64(index)] == elements[index]) }
    #expect(array[Int64(count)] == 0)
  }
}
