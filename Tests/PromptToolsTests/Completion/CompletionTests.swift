import Foundation
import PromptTools
import ScriptSyntax
import ScriptWorlds
import Testing

/// The completions outside predicates, at the `
/// ` of each text.
@Suite struct CompletionTests {
  private func candidates(_ marked: String) throws -> [String] {
    try CompletionPlaces.candidates(marked)
  }

  // MARK: Statements

  @Test(
    "where a statement begins, its words are offered",
    arguments: [
      "try |", "perform { |", "repeat 3 {\n|", "fetch Book; |", "if true { } else { |",
      "perform {\n  insert Book(title: \"a\")\n  |", "for b in 1...3 {\n  # why\n  |",
    ])
  func statements(_ text: String) throws {
    let words = try candidates(text).map { $0.trimmingSuffix(" ") }

    #expect(words == ScriptParser.statementWords.filter { $0 != "return" })
  }

  @Test("a word that stands alone has no blank behind it")
  func blanks() throws {
    #expect(try candidates("sa|") == ["save"])
    #expect(try candidates("in|") == ["include ", "insert "])
  }

  @Test("a statement may begin with an object, once a letter of it is typed")
  func objects() throws {
    #expect(try candidates("du|") == ["dune."])
    #expect(
      try candidates("perform { let other = dune; o|") == [
        "other.", "objects ", "observe ", "observer ", "obtain ",
      ])
  }

  @Test(
    "in strings and comments, and where only something new can stand, nothing is offered",
    arguments: [
      "print \"in|", "print 'in|", "# in|", "print 1 # in|", "let |", "for |", "entity |",
      "request |", "insert Book(title: \"x|", "print \"a\nin|", "nonsense |",
      "print 12|", "print \"Book/|",
    ])
  func nothing(_ text: String) throws {
    #expect(try candidates(text) == [])
  }

  @Test(
    "where a context may be named, contexts are offered",
    arguments: ["save |", "reset |", "merge main into |", "automerge |", "observe |"])
  func contexts(_ text: String) throws {
    #expect(try candidates(text) == ["main"])
  }

  @Test("a context, the result of a batch request or the history of the store is merged")
  func merged() throws {
    let words = try candidates("merge |").map { $0.trimmingCharacters(in: .whitespaces) }
    #expect(words.sorted() == ["batch", "history", "main"])
  }

  // MARK: Objects

  @Test("behind insert and its count stand entities")
  func entities() throws {
    #expect(try candidates("insert |") == ["Author(", "Book("])
    #expect(try candidates("insert b|") == ["Book("])
    #expect(try candidates("insert 10 |") == ["Author(", "Book("])
    #expect(try candidates("let x = insert A|") == ["Author("])
    #expect(try candidates("objects |") == ["Author", "Book"])
  }

  @Test("in an insert stand the entity's attributes that are not given yet")
  func inserted() throws {
    #expect(try candidates("insert Book(|") == ["title: ", "publisher: ", "pages: "])
    #expect(try candidates("insert Book(title: \"x\", |") == ["publisher: ", "pages: "])
    #expect(try candidates("insert Book(\n  p|") == ["publisher: ", "pages: "])
    #expect(try candidates("insert Author(|") == ["name: "])
  }

  @Test("in an update's braces stand attributes, as targets and as values")
  func updated() throws {
    #expect(try candidates("update Book { |") == ["title ", "publisher ", "pages "])
    #expect(try candidates("update recent { pages = 1, |") == ["title ", "publisher "])
    #expect(try candidates("update Book where pages > 1 {\n  pages += 1\n  t|") == ["title "])
    #expect(try candidates("update Book { pages = pa|") == ["pages"])
  }

  @Test("what can be deleted: objects by name, matching ones, caches")
  func deleted() throws {
    let found = try candidates("delete |")

    #expect(found.starts(with: sources + ["dune"]))
    #expect(found.contains("caches") && found.contains("cache "))
    #expect(try candidates("delete Book |") == clauses)
  }

  @Test("behind explain stand values, behind swift what it prints, behind quirk its words")
  func reasons() throws {
    #expect(try candidates("explain |").starts(with: ["dune"]))
    #expect(
      Set(try candidates("swift |")) == [
        "books", "main", "Author", "Book", "batch ", "count ", "delete ", "fetch ", "history ",
        "merge ", "obtain ",
      ])
    #expect(try candidates("swift batch |") == ["insert ", "update ", "delete "])
    #expect(
      try candidates("quirk |") == [
        "samePathMove ", "updateAndMove ", "sectionChangeAsUpdate ", "snapshotsWithoutReloads ",
        "unreadMergesLost ", "countedSections ", "unrelatedSavesFire ",
        "deletedRowsTrap ",
      ])
    #expect(try candidates("quirk samePathMove |") == ["on", "off"])
  }

  @Test("an observer has a request with a clause of its own, or a history, and other members")
  func observers() throws {
    #expect(try candidates("observer list = Book |") == clauses + ["updates "])
    #expect(try candidates("observer list = Book updates |") == ["saves ", "turns "])
    #expect(try candidates("observer sync = his|") == ["history "])
    #expect(try candidates("observer sync = history of Bo|") == ["Book"])
    let world = try ScriptWorld(
      "entity Book { title: String }\nobserver list = Book sort by title")
    func found(_ text: String) -> [String] {
      Completions(in: text, at: text.utf8.count, session: world.session).candidates
    }
    for text in ["fetch ", "let x = fetch ", "for b in fetch "] {
      #expect(found(text) == ["Book"], "an observer is not fetched")
    }
    #expect(found("swift fetch ") == ["Book", "list"])
    #expect(found("count ") == ["Book", "list"])
    #expect(found("observer other = ") == ["Book", "list", "history "])
    #expect(found("print list.") == ["results", "sections", "element(at: ", "indexPath(for: "])
    #expect(found("show l") == ["list"])
    #expect(found("delegate l") == ["list"])
  }

  @Test("observers of the history are shown, and no entity without objects of its own is inserted")
  func historyObserversAndAbstractEntities() throws {
    let world = try ScriptWorld(
      """
      store memory history
      abstract entity Item { name: String }
      entity Book : Item { }
      observer sync = history
      """)
    func found(_ text: String) -> [String] {
      Completions(in: text, at: text.utf8.count, session: world.session).candidates
    }
    #expect(found("show ") == ["sync", "model"])
    #expect(found("swift s") == ["sync"])
    #expect(found("change ") == [])
    #expect(found("insert ") == ["Book("])
    #expect(found("import 'a.csv' into ") == ["Book"])
    #expect(found("objects ") == ["Book", "Item"])
  }

  @Test("an observation is on or off, and an entity has hooks in which self is an object")
  func observationsAndHooks() throws {
    #expect(try candidates("observe main |") == ["off", "on"])
    #expect(
      try candidates("entity X { on |") == [
        "awakeFromInsert ", "awakeFromFetch ", "willSave ", "didSave ", "prepareForDeletion ",
        "validateForDelete ",
      ])
    #expect(try candidates("entity Book { on willSave { print self.p|") == ["publisher", "pages"])
    #expect(try candidates("entity X { on validateForDelete { ret|") == ["return "])
    #expect(try !candidates("entity X { on willSave { ret|").contains("return "))
  }

  @Test("options of a request")
  func options() throws {
    #expect(try candidates("fetch Book includesPendingChanges |") == ["on", "off"])
    #expect(try candidates("fetch Book pre|") == ["prefetch "])
    // An attribute is no relationship.
    #expect(try candidates("fetch Book prefetch p|") == [])
  }

  // MARK: Requests

  @Test(
    "where a request begins stand entities, requests and controllers",
    arguments: [
      "fetch |", "count |", "update |", "controller x = |", "request x = |", "print count(|",
      "let x = fetch |", "controller x =\n  |",
    ])
  func requests(_ text: String) throws {
    #expect(try candidates(text) == sources)
  }

  @Test(
    "behind a source stand the clauses that are not given yet",
    arguments: ["fetch Book |", "update Book |", "controller x = recent |", "print count(Book |"])
  func allClauses(_ text: String) throws {
    #expect(try candidates(text) == clauses)
  }

  @Test("a clause is offered once, and also at the start of the next line")
  func furtherClauses() throws {
    #expect(
      try candidates("fetch Book limit 3 |")
        == clauses.filter { $0 != "limit " })
    #expect(
      try candidates("fetch Book s|")
        == ["sort by ", "section by ", "shouldRefreshRefetchedObjects "])
    #expect(try candidates("fetch Book sort |") == ["by "])
    #expect(try candidates("perform {\n  fetch Book\n    w|") == ["where "])
    #expect(try candidates("change books |") == clauses)
  }

  @Test("behind sort by and section by stand attributes")
  func keys() throws {
    #expect(try candidates("fetch Book sort by |") == attributes)
    #expect(try candidates("fetch books sort by title, p|") == ["publisher", "pages"])
    #expect(try candidates("controller x = Book section by |") == attributes)
    #expect(
      try candidates("fetch Book sort by title |")
        == ["asc", "desc", "using "] + clauses.filter { $0 != "sort by " })
    #expect(
      try candidates("fetch Book sort by title using l|")
        == ["localized", "localizedCaseInsensitive", "localizedStandard"])
  }

  // MARK: Controllers

  @Test(
    "where a controller must stand, controllers are offered",
    arguments: ["change |", "delegate |"])
  func controllers(_ text: String) throws {
    #expect(try candidates(text) == ["books"])
  }

  @Test("what can be shown is a controller, or the model")
  func shown() throws {
    #expect(try candidates("show |") == ["books", "model"])
  }

  @Test("the modes of a delegate, settings, stores, and the request to show")
  func fixedWords() throws {
    #expect(
      try candidates("delegate books |")
        == ["changes", "didChange", "none", "snapshot", "diff", "counts", "{ "])
    #expect(try candidates("set |") == ["clock ", "locale ", "policy ", "sql ", "nil ", "author "])
    #expect(try candidates("store |") == ["memory", "sqlite "])
    #expect(try candidates("show books.|") == ["request"])
  }

  @Test("in a delegate of one's own stand callbacks, and their variables in those")
  func callbacks() throws {
    #expect(
      try candidates("delegate books {\n  didChange|")
        == ["didChangeObject ", "didChangeSection ", "didChangeContent "])
    #expect(
      try candidates("delegate books { didChangeObject { print $|")
        == ["$dune", "$indexPath", "$newIndexPath", "$object", "$type", "$words"])
    #expect(try candidates("delegate books { didChangeObject { print $object.|") == attributes)
    #expect(try candidates("delegate books { sectionIndexTitle key { re|").contains("return "))
    #expect(try candidates("delegate books { sectionIndexTitle key { return k|") == ["key"])
    #expect(try !candidates("delegate books { didChangeContent { ret|").contains("return "))
  }

  // MARK: Control

  @Test("the words inside loops and conditions")
  func control() throws {
    #expect(try candidates("for b |") == ["in "])
    #expect(try candidates("if true { } |") == ["else "])
    #expect(try candidates("if true { }\nel|") == ["else "])
    #expect(try candidates("if true { } else i|") == ["if "])
  }

  @Test("in an entity stand its parent, the other side of a relationship, and what leads back")
  func relationships() throws {
    #expect(try candidates("entity X : |") == ["Author", "Book"])
    #expect(try candidates("entity X { a: A|") == ["Author"])
    #expect(try candidates("entity X { a: [|") == ["Author", "Book"])
    #expect(try candidates("entity X { a: [Author] inverse |") == ["name"])
    #expect(try candidates("entity X { a: [Author] o|") == ["on delete ", "ordered"])
    #expect(
      try candidates("entity X { a: [Author] on delete |")
        == ["cascade", "deny", "noAction", "nullify"])
  }

  @Test("the words of indexes")
  func indexes() throws {
    #expect(try candidates("entity X { a: String ind|") == ["indexed"])
    #expect(try candidates("entity X {\n  ind|") == ["index "])
    #expect(try candidates("entity X { a: String, index i (a d|") == ["desc"])
  }

  @Test("types in an entity")
  func types() throws {
    #expect(try candidates("entity X { a: D|") == ["Data", "Date", "Decimal", "Double"])
    #expect(try candidates("entity X {\n  a: String\n  b: U|") == ["URI", "UUID"])
  }

  // MARK: The place

  @Test("what is replaced begins with the word, and ends at the cursor")
  func replacement() throws {
    #expect(try CompletionPlaces.completions("inse|rt x").replacementStart == 0)
    #expect(try CompletionPlaces.completions("print \"日本\" + du|").replacementStart == 17)
    #expect(try CompletionPlaces.completions("print $d|").replacementStart == 6)
    #expect(try CompletionPlaces.completions("print |").replacementStart == 6)
  }

  @Test("case does not count until a capital letter is typed")
  func letterCase() throws {
    #expect(try candidates("fetch b|") == ["Book", "books"])
    #expect(try candidates("fetch B|") == ["Book"])
    #expect(try candidates("fetch Book where title == 'a' a|") == ["AND "])
  }

  @Test("names in any script are completed")
  func otherScripts() throws {
    let world = try ScriptWorld("entity 本 { 題名: String }")
    let text = "insert 本(題"
    let found = Completions(in: text, at: text.utf8.count, session: world.session)

    #expect(found.candidates == ["題名: "])
    #expect(found.replacementStart == "insert 本(".utf8.count)
  }

  @Test("an error before the statement does not matter")
  func errorsBefore() throws {
    #expect(try candidates("insert Book(title = 3); show |") == ["books", "model"])
  }
}

extension String {
  fileprivate func trimmingSuffix(_ suffix: String) -> String {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
  }
}
