import FetchedResults
import FetchedResultsSQLite
import RandomLaws
import ScriptFuzzing
import ScriptRuntime
import ScriptSyntax
import ScriptWorlds
import Testing

struct FuzzerTests {
  /// Makes one world after the other, and records the first failure.
  private func expectLawful(
    _ fuzzer: Fuzzer, seconds: Double, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for seed in LawSeeds(seconds: seconds) {
      let outcome = fuzzer.run(turns: Fuzzer.turnsPerWorld, seed: seed)
      if let failure = outcome.failure {
        Issue.record(
          "seed \(seed): \(failure.failure)\n\(failure.script)", sourceLocation: sourceLocation)
        return
      }
      #expect(outcome.turns == Fuzzer.turnsPerWorld, sourceLocation: sourceLocation)
    }
  }

  /// Makes a few worlds for each seed.
  private func expectLawful(
    _ script: SourceText, seeds: ClosedRange<UInt64>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for seed in seeds {
      let outcome = Fuzzer(script, environment: { ScriptFiles() }).run(turns: 80, seed: seed)
      if let failure = outcome.failure {
        Issue.record(
          "seed \(seed): \(failure.failure)\n\(failure.script)", sourceLocation: sourceLocation)
      }
    }
  }

  @Test("every law holds over random turns of the built-in model")
  func builtIn() { expectLawful(Fuzzer(environment: { ScriptFiles() }), seconds: 1.2) }

  @Test("memory and a file print and save the same")
  func bothStores() {
    expectLawful(Fuzzer(environment: { StoreFiles() }, stores: TrialStore.all), seconds: 0.9)
  }

  @Test("rows that differ from store to store are found where nothing is printed")
  func rows() throws {
    // The second store has another clock, which shows when an object is saved.
    let late = TrialStore(name: "late", opening: "set clock @2030-01-01")
    let trial = Trial(environment: { ScriptFiles() }, stores: [.memory, late])
    let rows = ScriptParser.parse(
      SourceText(
        name: "rows.frc",
        text: """
          entity A { derived made: Date? = 'now()' }
          insert A
          save
          """))
    #expect(trial.failure(of: rows)?.kind == .rows("late"))
  }

  @Test("and over those of a script with every type, rules and several entities")
  func ownModel() {
    let script = SourceText(
      name: "model.frc",
      text: """
        abstract entity Thing { name: String? }
        entity Box : Thing { things: [Toy] inverse box on delete cascade, size: Int16 = 1 }
        entity Toy : Thing {
          box: Box? inverse things
          price: Decimal?
          weight: Double = 0.5
          bought: Date?
          code: UUID?
          page: URI?
          picture: Data?
          transient label: String = uppercase(name)
        }
        controller byBox = Toy sort by box.name, name section by box.name
        controller sized = Box sort by size desc
        """)
    expectLawful(Fuzzer(script, environment: { ScriptFiles() }), seconds: 0.6)
  }

  @Test("attributes have names that are reserved words of predicates")
  func reservedNames() {
    let script = SourceText(
      name: "model.frc",
      text: """
        entity Book { title: String?, in: Int = 0, any: String?, nil: Int = 0, not: Double = 1 }
        entity Like { subquery: Int = 0, between: String = "a" }
        """)
    expectLawful(script, seeds: 1...8)
  }

  @Test("statements with a syntax error are a failure of that name, and none of them runs")
  func syntaxErrors() throws {
    let script = SourceText(name: "model.frc", text: "let a = 1\nprnt 1\nprint 1 / 0\n")

    let outcome = Fuzzer(script, environment: { ScriptFiles() }).run(turns: 1, seed: 1)

    let failure = try #require(outcome.failure).failure
    #expect(failure.kind == .error("syntax"))
    #expect(failure.reason.hasPrefix("model.frc:2:1: error: "))
  }

  @Test("the script has contexts with the names that a world gives its own")
  func namedContexts() {
    let script = SourceText(
      name: "model.frc",
      text: """
        entity A { n: Int = 0 }
        context other
        context other2 parent other
        context child parent main
        """)
    expectLawful(script, seeds: 1...6)
  }

  @Test("the script has observers, which have no delegates with callbacks")
  func namedObservers() {
    let script = SourceText(
      name: "model.frc",
      text: """
        entity Book { title: String?, pages: Int = 0 }
        request c1 = Book where pages > 1 sort by title
        observer o2 = Book sort by pages
        """)
    expectLawful(script, seeds: 1...8)
  }

  @Test("worlds have a number of turns at most")
  func worlds() {
    let script = SourceText(name: "model.frc", text: "entity A { n: Int = 0 }")

    let outcome = Fuzzer(script, environment: { ScriptFiles() })
      .run(turns: 2 * Fuzzer.turnsPerWorld + 1, seed: 7)

    #expect(outcome.worlds == 3)
  }

  @Test("and where another process changes the file, whose history is merged")
  func otherProcess() {
    let script = SourceText(
      name: "history.frc",
      text: """
        store sqlite "shared.sqlite" history
        entity Team { name: String?, members: [Item] inverse team on delete cascade }
        entity Item { title: String = "x", rank: Int = 0, team: Team? inverse members }
        controller all = Item sort by rank, title
        controller teams = Item where team != nil sort by team.name, title section by team.name
        """)
    expectLawful(Fuzzer(script, environment: { StoreFiles() }), seconds: 0.6)
  }

  /// Hooks that make changes when objects are inserted, saved and deleted.
  private static let hooks = SourceText(
    name: "hooks.frc",
    text: """
      entity Team {
        name: String?
        members: [Item] inverse team on delete cascade
        on prepareForDeletion { for member in self.members { member.rank = 9 } }
      }
      entity Item {
        title: String = "x"
        team: Team? inverse members
        rank: Int = 0
        saves: Int = 0
        on awakeFromInsert { self.rank = 3; self.title = "new" }
        on willSave { if self.saves < self.rank { self.saves = self.rank } }
        on didSave { if self.rank == 7 { self.rank = 6; self.title = "b" } }
        on prepareForDeletion { if self.rank == 6 { insert Item(title: "c", rank: 1) } }
      }
      entity Special : Item {
        size: Int = 1
        on willSave { if self.size != self.saves { self.size = self.saves } }
      }
      observe main
      controller all = Item sort by rank, title
      controller saved = Item where saves > 2 sort by saves desc, title section by title
      controller special = Special sort by size section by rank

      """)

  @Test("and where hooks edit objects")
  func editingHooks() {
    expectLawful(Fuzzer(Self.hooks, environment: { ScriptFiles() }), seconds: 0.6)
  }

  @Test("hooks edit the same on both stores")
  func editingHooksOnBothStores() {
    expectLawful(
      Fuzzer(Self.hooks, environment: { StoreFiles() }, stores: TrialStore.all), seconds: 0.9)
  }

  @Test("a controller that a predicate stops is expected to stop, one of split sections is not")
  func stopped() {
    let script = SourceText(
      name: "model.frc",
      text: """
        entity Book { title: String = "a", pages: Int = 0 }
        controller books = Book where 12 / pages > 2 sort by title
        controller mixed = Book sort by pages section by title
        """)
    expectLawful(Fuzzer(script, environment: { ScriptFiles() }), seconds: 0.6)
  }

  @Test("a seed always makes the same turns, and what fails is a script that fails so")
  func reproduction() throws {
    // Of the two one says another time, once a turn asks for it.
    let stores = [TrialStore.memory] + [TrialStore(name: "late", opening: "set clock @2030-01-01")]
    let prologue = SourceText(
      name: "model.frc",
      text: """
        entity A { n: Int = 0 }
        controller a = A sort by n
        delegate a { didChangeContent { if count(A) > 6 { print now() } } }
        """)
    let fuzzer = Fuzzer(prologue, environment: { ScriptFiles() }, stores: stores)

    let outcome = fuzzer.run(turns: 500, seed: 3)
    let again = fuzzer.run(turns: 500, seed: 3)

    let failure = try #require(outcome.failure)
    #expect(failure.failure.kind == .store("late"))
    #expect(again.failure?.script == failure.script)
    #expect(again.turns == outcome.turns)
    let trial = Trial(environment: { ScriptFiles() }, stores: stores)
    let script = ScriptParser.parse(SourceText(name: "fuzz.frc", text: failure.script))
    #expect(!script.hasErrors)
    #expect(trial.failure(of: script)?.kind == .store("late"))
  }
}
