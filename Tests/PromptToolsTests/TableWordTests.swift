import PromptTools
import ScriptWorlds
import Testing

/// What the prompt shows and completes for tables.
struct TableWordTests {
  private static let setup = """
    entity Book { title: String }
    controller books = Book sort by title
    fetch books

    """

  @Test(
    "what a person is told",
    arguments: [
      ("table view = books", "# show view draws it"),
      ("table view = books; suspend view", "# view does not follow changes until resume view"),
      (
        "table view = books; suspend view; resume view",
        "# view follows changes again, from the next turn on"
      ),
      (
        "controller others = Book sort by title; table view = others",
        "# fetch others fills it, show view draws it"
      ),
    ])
  func acknowledgements(text: String, words: String) throws {
    let world = try ScriptWorld(Self.setup)

    #expect(try world.acknowledgements(of: text) == [words])
  }

  @Test(
    "completion",
    arguments: [
      ("suspend |", ["view"]), ("reload |", ["view"]), ("trace view |", ["off", "on"]),
      ("table other = |", ["books"]), ("table other = books |", ["reload"]),
      ("show v|", ["view"]),
      (
        "table other = books {\n  |",
        ["delete ", "insert ", "move ", "sectionDelete ", "sectionInsert ", "update "]
      ),
      (
        "table other = books { sectionInsert |",
        ["deleteSections ", "insertSections ", "nothing ", "reloadData "]
      ),
      ("table other = books { update configure|", ["configureCell ", "configureCellWithObject "]),
      ("perform st|", ["stepping "]),
    ])
  func completion(marked: String, candidates: [String]) throws {
    let world = try ScriptWorld(Self.setup + "table view = books")
    let cursor = try #require(marked.firstIndex(of: "|"))
    let text = String(marked[..<cursor])
    let found = Completions(in: text, at: text.utf8.count, session: world.session)

    #expect(found.candidates.sorted() == candidates)
  }
}
