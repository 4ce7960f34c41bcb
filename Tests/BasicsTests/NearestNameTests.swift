import Basics
import Testing

struct NearestNameTests {
  @Test("the nearest name differs little or not at all")
  func nearestNames() {
    let names = ["insert", "title", "publisher", "Book", "本の題名"]
    #expect(nearestName(to: "inser", among: names) == "insert")
    #expect(nearestName(to: "titel", among: names) == "title")
    #expect(nearestName(to: "book", among: names) == "Book")
    #expect(nearestName(to: "本の題", among: names) == "本の題名")
    #expect(nearestName(to: "xyz", among: names) == nil)
    #expect(nearestName(to: "", among: names) == nil)
    #expect(nearestName(to: "title", among: ["title"]) == nil)
  }

  @Test("a text full of unknown names does not compare each with every known one")
  func limitedSearch() {
    let search = NearNameSearch(comparisons: 10)
    var looks = 0
    func names() -> [String] {
      looks += 1
      return ["title", "pages", "author", "publisher"]
    }

    let found = (1...100).map { _ in search.nearestName(to: "titel", among: names()) }

    #expect(found.prefix(3) == ["title", "title", "title"])
    #expect(found.dropFirst(3).allSatisfy { $0 == nil })
    #expect(looks == 3)
  }
}
