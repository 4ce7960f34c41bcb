import FetchedResults
import Foundation

@main
struct Client {
  static func main() throws {
    let library = try Library()
    let emma = library.add("Emma", publisher: "Penguin", pages: 474)
    library.add("Dune", publisher: "Ace", pages: 412)
    library.add("A leaflet", publisher: "Ace", pages: 8)
    try library.context.save()

    let list = try BookList(of: library)
    library.add("Ubik 10", publisher: "Ace", pages: 202)
    library.add("Ubik 9", publisher: "Ace", pages: 201)
    emma["publisher"] = "Virago"
    try library.context.save()

    let heard = [
      "begin updates",
      "delete section 1 Penguin",
      "insert section 1 Virago",
      "insert Ubik 9 to [0, 1]",
      "insert Ubik 10 to [0, 2]",
      "move Emma at [1, 0] to [1, 0]",
      "end updates",
    ]
    let lines = ["Ace (3)", "  Dune", "  Ubik 9", "  Ubik 10", "Virago (1)", "  Emma"]
    print((list.heard + list.lines).joined(separator: "\n"))
    guard list.heard == heard, list.lines == lines else {
      print("expected", (heard + lines).joined(separator: "\n"), separator: "\n")
      exit(EXIT_FAILURE)
    }
  }
}
