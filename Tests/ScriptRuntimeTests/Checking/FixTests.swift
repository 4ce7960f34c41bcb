import ScriptRuntime
import ScriptSyntax
import ScriptWorlds
import Testing

/// The fix that a finding offers removes the finding.
struct FixTests {
  private static let setup = """
    entity Author { name: String, books: [Book] inverse author }
    entity Book { title: String, pages: Int, author: Author? inverse books }
    let dune = insert Book(title: "Dune")
    controller books = Book sort by title

    """

  @Test(
    "a script with its fix carried out has nothing to complain of",
    arguments: [
      "prnt 1", "entity lower { name: String }", "entity X { name: Strin }",
      "entity X { a: [Book] on delete nulify }", "set locle ja", "delegate books chnges",
      "fetch Book sort by title using localised", "context bg policy overwrit", "store memry",
      "print dune.titel", "print dun", "print $dun", "fetch Bok", "fetch bok", "fetch boks",
      "delegate boks none", "insert Book(titel: \"x\")", "insert Bok(title: \"x\")",
      "update Book { titel = \"x\" }", "insert Book(title = \"x\")", "update Book { title: \"x\" }",
      "print 1 <> 2", "print 1 = 2", "print uppercas(\"x\")",
      "fetch Book sort by titel", "fetch Book where title CONTAINZ 'x'",
      "fetch Author where books.@cuont > 1",
      "fetch Book where pages > 1 srot by title", "fetch Book where pages > 1 an title == 'x'",
      "save # ok\nprint 1 #comment", "print “x\"",
      "fetch Book where title == $dunee.title", "objects Bok", "save bgg\ncontext bg",
      "show boks", "entity X : Bok { a: Int }", "print 1；save",
    ])
  func fixes(text: String) throws {
    let source = SourceText(name: "a.frc", text: Self.setup + text + "\n")
    let finding = try #require(Self.findings(in: source).first)
    // Not every message knows the intended text.
    guard let replacement = finding.diagnostic.replacement else {
      #expect(Self.unknown.contains(text), "\(finding.diagnostic.message)")
      return
    }
    var bytes = source.bytes
    bytes.replaceSubrange(finding.diagnostic.range, with: Array(replacement.utf8))

    let rest = Self.findings(in: SourceText(name: "a.frc", bytes: bytes))

    #expect(rest.map(\.diagnostic.message) == [], "\(String(decoding: bytes, as: UTF8.self))")
    #expect(!Self.unknown.contains(text))
  }

  /// The findings that offer no fix.
  private static let unknown: Set = ["save bgg\ncontext bg"]

  @Test("a finding is one JSON object, with its range and its fixes")
  func json() throws {
    let finding = try #require(
      Self.findings(in: SourceText(name: "a.frc", text: "print 1\nprnt \"本\"\n")).first)

    #expect(
      finding.json.description == """
        {"file":"a.frc","severity":"error","message":"unknown statement 'prnt'; did you mean \
        'print'?","range":{"start":{"line":2,"column":1,"offset":8},"end":{"line":2,"column":5,\
        "offset":12}},"fixes":[{"title":"replace 'prnt' with 'print'","edits":[{"range":{"start":\
        {"line":2,"column":1,"offset":8},"end":{"line":2,"column":5,"offset":12}},"text":"print"}\
        ]}]}
        """)
  }

  private static func findings(in source: SourceText) -> [Finding] {
    let script = ScriptParser.parse(source)
    guard !script.hasErrors else {
      return script.diagnostics.map { Finding($0, in: source) }
    }
    return Checker(environment: ScriptFiles()).check(script)
  }
}
