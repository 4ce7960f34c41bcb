import NearNames
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
}
